"""Pages about what was released: card, model and further tables; and the internal report, which stays inside."""

from typing import Any

from starlette.responses import Response

from quantail.errors import OptionError, QuantailError
from quantail.io.files import FORMATS
from quantail.studio.folder import CARD, CARD_PAGE, REPORT_PAGE, OutsideError
from quantail.studio.launch import run_id
from quantail.studio.records import read_json
from quantail.studio.visit import Visit

# Whatever a page of the folder holds: no script runs in it, it asks for nothing and has no part in the studio.
_SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_LARGEST_PAGE = 1 << 28
_ENDINGS = tuple(suffix for suffix, kind in FORMATS.items() if kind.write is not None)


def results(visit: Visit, error: str = "") -> Response:
    """List what was released in this folder."""
    contents = visit.studio.folder.contents()
    return visit.page(
        "results.html",
        422 if error else 200,
        releases=[_release(visit, name) for name in contents.releases],
        models=contents.models,
        reports=contents.reports,
        tables=contents.tables,
        error=error,
    )


def _release(visit: Visit, card: str) -> dict[str, Any]:
    """Read what a card says, as far as a list shows it; it may have been written by anybody."""
    stem, folder = card.removesuffix(CARD), visit.studio.folder
    found = read_json(folder.file(card)) or {}
    promise, released = found.get("promise"), found.get("release")
    tables = [f"{stem}{ending}" for ending in _ENDINGS] + [f"{stem}-1{ending}" for ending in _ENDINGS]
    return {
        "stem": stem,
        "title": str(found.get("title", stem)),
        "date": str(found.get("date", "")),
        "private": found.get("private") is True,
        "epsilon": str(promise.get("epsilon", "")) if isinstance(promise, dict) else "",
        "rows": released.get("rows", "") if isinstance(released, dict) else "",
        "page": f"{stem}{CARD_PAGE}" if _is_there(visit, f"{stem}{CARD_PAGE}") else "",
        "model": f"{stem}.model.json" if _is_there(visit, f"{stem}.model.json") else "",
        "synthetic": next((name for name in tables if _is_there(visit, name)), ""),
        "report": f"{stem}.internal-{REPORT_PAGE}"
        if _is_there(visit, f"{stem}.internal-{REPORT_PAGE}")
        else "",
        "real": _real_of(visit, stem),
    }


def _real_of(visit: Visit, stem: str) -> str:
    """Return the table that a release was made from, as its run says."""
    for run in visit.studio.records.ids():
        request = visit.studio.records.read(run).request
        if request.get("kind") == "release" and str(request.get("output", "")).rpartition(".")[0] == stem:
            return str(request.get("table", ""))
    return ""


def _is_there(visit: Visit, name: str) -> bool:
    try:
        return visit.studio.folder.file(name).is_file()
    except OutsideError:
        return False


def read(visit: Visit) -> Response:
    """Show a card or a report as it was written, shut off from the studio."""
    name = visit.sent("file")
    if not name.endswith((CARD_PAGE, REPORT_PAGE)):
        raise OutsideError("only cards and reports are shown here")
    path = visit.studio.folder.file(name)
    if path.stat().st_size > _LARGEST_PAGE:
        raise OptionError(f"{name} is too large to be shown here; open it in a browser")
    return Response(
        path.read_bytes(),
        media_type="text/html; charset=utf-8",
        headers={"content-security-policy": _SANDBOX},
    )


def make_report(visit: Visit) -> Response:
    """Start the internal report of a release."""
    synthetic = visit.sent("synthetic")
    stem = visit.sent("stem")
    request = {
        "kind": "report",
        "table": visit.sent("table"),
        "synthetic": synthetic,
        "model": visit.sent("model"),
        "output": f"{stem}.internal-{REPORT_PAGE}",
    }
    return _started(visit, request)


def draw(visit: Visit) -> Response:
    """Start drawing more tables from a model, at no cost."""
    rows, tables = visit.sent("rows"), visit.sent("replicates") or "1"
    try:
        if not all(text.isdecimal() for text in (rows or "0", tables)):
            raise OptionError("rows and tables are whole numbers; rows may be left blank")
        visit.studio.folder.new_file(visit.sent("output"))
    except QuantailError as error:
        return results(visit, visit.told(error))
    request = {
        "kind": "draw",
        "model": visit.sent("model"),
        "output": visit.sent("output"),
        "rows": int(rows) if rows else None,
        "replicates": int(tables),
    }
    return _started(visit, request)


def _started(visit: Visit, request: dict[str, Any]) -> Response:
    for name in ("table", "synthetic", "model"):
        if name in request:
            visit.studio.folder.file(request[name])
    run = run_id(request, visit.studio.records.count(request["kind"]))
    visit.studio.launcher.start(run, request)
    return visit.go("/run", id=run)
