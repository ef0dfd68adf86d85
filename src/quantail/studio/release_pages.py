"""Pages that lead to a release: what is asked for, a review of it, and the one button that charges.

The review carries the identity of the run that its button starts. It is made of everything that was reviewed, of the
ledger's last record and of the number of releases so far: two tabs that show the same review start the same run, and a
review that is out of date starts none.
"""

from typing import Any

from starlette.responses import Response

from quantail.cli.account import Payment
from quantail.cli.release import ReleaseOptions
from quantail.cli.release_files import ReleaseFiles
from quantail.errors import BudgetError, OptionError, QuantailError
from quantail.io import Place
from quantail.panel.methods import PANEL_METHODS
from quantail.privacy import as_decimal
from quantail.privacy.ledger import Ledger
from quantail.schema import Schema
from quantail.studio.launch import BusyError, run_id
from quantail.studio.ledger_pages import account_of
from quantail.studio.visit import Visit
from quantail.table.methods import METHODS

_ASKED = (
    "table",
    "schema",
    "ledger",
    "epsilon",
    "output",
    "definition",
    "delta",
    "method",
    "rows",
    "replicates",
)


def release(visit: Visit, error: str = "") -> Response:
    """Ask what to release."""
    typed = {name: visit.sent(name) for name in _ASKED}
    if not typed["output"] and typed["table"]:
        typed["output"] = typed["table"].rpartition(".")[0] + "-synthetic.csv"
    return visit.page(
        "release.html",
        422 if error else 200,
        contents=visit.studio.folder.contents(),
        typed=typed,
        methods=(*METHODS, *(name for name in PANEL_METHODS if name not in METHODS)),
        error=error,
    )


def review(visit: Visit, error: str = "") -> Response:
    """Check all that can be checked, and show what would be charged and written."""
    try:
        asked = _request(visit)
    except QuantailError as problem:
        return release(visit, visit.told(problem))
    schema = Schema.load(visit.studio.folder.file(asked["schema"]))
    account = account_of(Ledger.open(visit.studio.folder.file(asked["ledger"])))
    return visit.page(
        "review.html",
        409 if error else 200,
        typed={name: visit.sent(name) for name in _ASKED},
        asked=asked,
        account=account,
        cost=asked["cost"],
        unsourced=schema.unsourced(),
        schema_facts=schema,
        files=[visit.studio.folder.name_of(path) for path in _outputs(visit, asked).paths],
        run=_identity(visit, asked),
        error=error,
    )


def start(visit: Visit) -> Response:
    """Start the run that was reviewed, or lead to it if it was started before."""
    records, wanted = visit.studio.records, visit.sent("run")
    if records.exists(wanted):
        return visit.go("/run", id=wanted)
    try:
        asked = _request(visit)
    except QuantailError as problem:
        return release(visit, visit.told(problem))
    if _identity(visit, asked) != wanted:
        return review(
            visit, "Something has changed since this was shown. Nothing was charged; look at it again."
        )
    try:
        visit.studio.launcher.start(wanted, asked)
    except BusyError as problem:
        return review(visit, f"{visit.told(problem)}. Nothing was charged.")
    return visit.go("/run", id=wanted)


def _identity(visit: Visit, asked: dict[str, Any]) -> str:
    return run_id(asked, visit.studio.records.count("release"))


def _request(visit: Visit) -> dict[str, Any]:
    """Read the form and check all that can be checked without reading the table; nothing is charged."""
    for name in ("table", "schema", "ledger", "epsilon", "output"):
        if not visit.sent(name):
            raise OptionError(f"choose the {name}: it is blank")
    folder = visit.studio.folder
    schema = Schema.load(folder.file(visit.sent("schema")))
    opened = Ledger.open(folder.file(visit.sent("ledger")))
    output = folder.new_file(visit.sent("output"))
    asked: dict[str, Any] = {
        "kind": "release",
        **{name: visit.sent(name) for name in ("table", "schema", "ledger", "epsilon", "output")},
        "definition": visit.sent("definition") or "pure",
        "delta": visit.sent("delta") or None,
        "method": visit.sent("method") or None,
        "rows": _whole(visit.sent("rows"), "rows"),
        "replicates": _whole(visit.sent("replicates"), "tables") or 1,
        "model": folder.name_of(output.with_name(f"{output.stem}.model.json")),
        "fingerprint": schema.fingerprint(),
        "head": opened.head(),
        "records": len(opened.entries()),
        "cost": _affordable(visit, schema, opened),
    }
    _outputs(visit, asked).check([folder.file(asked[name]) for name in ("table", "schema", "ledger")])
    return asked


def _affordable(visit: Visit, schema: Schema, opened: Ledger) -> str:
    """Return what a release costs, or raise a BudgetError if the ledger does not cover it."""
    spending = ReleaseOptions(
        visit.sent("epsilon"),
        visit.sent("definition") or "pure",
        visit.sent("delta") or None,
        visit.sent("method") or None,
        payment=Payment(opened.path),
    )
    synthesizer = spending.synthesizer(schema)
    opened.require(schema.name, synthesizer.unit)
    cost, left = synthesizer.cost, opened.left
    if cost > left:
        raise BudgetError(
            f"The budget does not cover this ({opened.unit}): left {as_decimal(left)}, asked {as_decimal(cost)}. "
            "Nothing was charged. Ask for less, or have the limit raised."
        )
    return f"{as_decimal(cost)} {synthesizer.unit}"


def _outputs(visit: Visit, asked: dict[str, Any]) -> ReleaseFiles:
    folder = visit.studio.folder
    output, model = folder.place(asked["output"]), folder.place(asked["model"])
    return ReleaseFiles(Place.of(output), asked["rows"], asked["replicates"], model)


def _whole(text: str, what: str) -> int | None:
    if text and not text.isdecimal():
        raise OptionError(f"the number of {what} must be a whole number, or blank")
    return int(text) if text else None
