"""Pages about a run: how far it is, a way to cancel it, and how it ended, with what the ledger says."""

from typing import Any

from starlette.responses import JSONResponse, Response

from quantail.errors import QuantailError
from quantail.privacy.ledger import Ledger
from quantail.studio.ledger_pages import account_of
from quantail.studio.records import Run
from quantail.studio.visit import Visit


def run(visit: Visit) -> Response:
    """Show a run."""
    found = visit.studio.records.read(visit.sent("id"))
    context = visit.context | {
        name: found.request[name] for name in ("table", "schema", "ledger") if name in found.request
    }
    message = found.message.replace(f"{visit.studio.folder.root}/", "")
    return visit.page("run.html", run=found, ended=message, account=_account(visit, found), context=context)


def state(visit: Visit) -> Response:
    """Tell the script of a page how far a run is."""
    found = visit.studio.records.read(visit.sent("id"))
    return JSONResponse({"state": found.state, "step": found.step, "fraction": round(found.fraction, 4)})


def cancel(visit: Visit) -> Response:
    """Ask a run to stop."""
    found = visit.sent("id")
    visit.studio.records.cancel(found)
    back = {name: visit.sent(name) for name in ("rows", "epsilon", "method") if visit.sent(name)}
    return visit.go(
        visit.sent("back") if visit.sent("back") in ("/run", "/plan") else "/run", id=found, **back
    )


def _account(visit: Visit, found: Run) -> dict[str, Any] | str | None:
    """Return what the ledger says of a release: the charges since it began, or why it cannot be read."""
    if found.kind != "release":
        return None
    try:
        opened = Ledger.open(visit.studio.folder.file(found.request["ledger"]))
        return account_of(opened, since=int(found.request["records"]))
    except QuantailError as error:
        return visit.told(error)
