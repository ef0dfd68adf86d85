"""Pages about ledgers: started openly, with a limit; what was spent, on what, and what became of it."""

from typing import Any

from starlette.responses import Response

from quantail.errors import LedgerError, OptionError, QuantailError, SchemaError
from quantail.privacy import as_decimal
from quantail.privacy.budget import Unit
from quantail.privacy.ledger import ELSEWHERE, Ledger
from quantail.schema import Schema
from quantail.studio.visit import Visit

_WORDS = {"open": "limit set", "limit": "limit raised", "charge": "charged"}


def ledger(visit: Visit, error: str = "") -> Response:
    """Show the ledgers of the folder, and one of them in full."""
    name, account = visit.sent("ledger"), None
    if name and not error:
        account = account_of(Ledger.open(visit.studio.folder.file(name)))
    typed = {key: visit.sent(key) for key in ("output", "dataset", "limit", "unit")}
    typed["dataset"] = typed["dataset"] or _data_set(visit)
    return visit.page(
        "ledger.html",
        422 if error else 200,
        account=account,
        ledgers=visit.studio.folder.contents().ledgers,
        typed=typed,
        error=error,
        notice="Saved." if visit.query.get("saved") else "",
    )


def account_of(opened: Ledger, since: int = 0) -> dict[str, Any]:
    """Give a ledger as pages show it; `since` leaves out records up to that number."""
    entries = opened.entries()
    fates = {entry.refers: entry.status for entry in entries if entry.kind == "mark"}
    limit, spent = opened.limit, opened.spent
    records = [
        {
            "number": entry.number,
            "time": entry.time.replace("T", " ").replace("+00:00", " UTC"),
            "what": _WORDS[entry.kind],
            "amount": as_decimal(entry.amount) if entry.amount is not None else "",
            "purpose": entry.purpose,
            "fate": "" if entry.kind != "charge" else _fate(fates.get(entry.number, ""), entry.plan_hash),
            "hash": entry.plan_hash,
            "is_charge": entry.kind == "charge",
        }
        for entry in entries
        if entry.kind != "mark" and entry.number > since
    ]
    return {
        "dataset": opened.dataset,
        "unit": opened.unit,
        "limit": as_decimal(limit),
        "spent": as_decimal(spent),
        "left": as_decimal(limit - spent),
        "share": min(float(spent / limit), 1.0) if limit else 1.0,
        "records": records,
        "head": entries[-1].hash,
        "problems": opened.verify(),
    }


def _fate(status: str, plan_hash: str) -> str:
    if plan_hash == ELSEWHERE:
        return "entered by hand"
    return {"released": "released", "failed": "failed, stays spent"}.get(
        status, "not marked: running, or killed"
    )


def create(visit: Visit) -> Response:
    """Start a ledger."""
    output = visit.sent("output")
    try:
        if not output.endswith(".ledger"):
            raise OptionError("the name of a ledger ends in .ledger; write one such as payroll.ledger")
        _require_first(visit, visit.sent("dataset"))
        unit: Unit = "rho" if visit.sent("unit") == "rho" else "epsilon"
        Ledger.create(visit.studio.folder.new_file(output), visit.sent("dataset"), visit.sent("limit"), unit)
    except QuantailError as error:
        return ledger(visit, visit.told(error))
    return visit.go("/ledger", ledger=output, saved=1)


def _require_first(visit: Visit, dataset: str) -> None:
    """Raise a LedgerError if the folder has a ledger of the data set already: a second one is a second budget."""
    for name in visit.studio.folder.contents().ledgers:
        try:
            taken = Ledger.open(visit.studio.folder.file(name)).dataset
        except LedgerError:  # a damaged one does not say
            continue
        if taken == dataset:
            raise LedgerError(
                f"{name} keeps count of data set {dataset!r} already: pay from it, or have its limit raised. A second "
                "ledger would be a second budget for the same data."
            )


def raise_limit(visit: Visit) -> Response:
    """Raise the limit of a ledger; who decided and why stay on record."""
    opened = Ledger.open(visit.studio.folder.file(visit.sent("ledger")))
    try:
        opened.raise_limit(visit.sent("limit"), visit.sent("reason"), by=visit.sent("by"))
    except QuantailError as error:
        return visit.page("error.html", 422, message_text=visit.told(error))
    return visit.go("/ledger", saved=1)


def _data_set(visit: Visit) -> str:
    """Return the name of the data set that is worked on, by which its ledger goes."""
    if not visit.sent("schema"):
        return ""
    try:
        return Schema.load(visit.studio.folder.file(visit.sent("schema"))).name
    except SchemaError:
        return ""
