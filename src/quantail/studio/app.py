"""The studio as an ASGI application: what stands before every page, and which page answers where.

Nothing that goes wrong inside reaches the server's log or a page with its text: an error that we did not write may
quote confidential values.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route

from quantail.errors import QuantailError
from quantail.studio import (
    ledger_pages,
    plan_pages,
    release_pages,
    result_pages,
    run_pages,
    schema_pages,
    table_pages,
)
from quantail.studio.access import Access, Refusal
from quantail.studio.folder import Folder, OutsideError
from quantail.studio.launch import BusyError
from quantail.studio.visit import Studio, Visit
from quantail.studio.work import internal_error

Handler = Callable[[Visit], Response]
Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

LARGEST_FORM, MOST_FIELDS = 1 << 23, 5000  # a codebook of a hundred thousand labels fits
_FORM = "application/x-www-form-urlencoded"
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not no-referrer: browsers then send forms with the origin "null".
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}

PAGES: dict[tuple[str, str], Handler] = {
    ("GET", "/"): table_pages.home,
    ("GET", "/table"): table_pages.table,
    ("GET", "/check"): table_pages.check,
    ("POST", "/table/draft"): table_pages.draft_schema,
    ("GET", "/schema"): schema_pages.overview,
    ("POST", "/schema/facts"): schema_pages.save_facts,
    ("POST", "/schema/columns"): schema_pages.change_columns,
    ("POST", "/schema/rules"): schema_pages.change_rules,
    ("POST", "/schema/csv"): schema_pages.save_csv,
    ("POST", "/schema/panel"): schema_pages.save_panel,
    ("GET", "/schema/column"): schema_pages.column,
    ("POST", "/schema/column"): schema_pages.save_column,
    ("GET", "/plan"): plan_pages.plan,
    ("POST", "/plan"): plan_pages.work_out,
    ("GET", "/ledger"): ledger_pages.ledger,
    ("POST", "/ledger/create"): ledger_pages.create,
    ("POST", "/ledger/raise"): ledger_pages.raise_limit,
    ("GET", "/release"): release_pages.release,
    ("GET", "/release/review"): release_pages.review,
    ("POST", "/release/review"): release_pages.start,
    ("GET", "/run"): run_pages.run,
    ("GET", "/run/state"): run_pages.state,
    ("POST", "/run/cancel"): run_pages.cancel,
    ("GET", "/results"): result_pages.results,
    ("GET", "/read"): result_pages.read,
    ("POST", "/results/report"): result_pages.make_report,
    ("POST", "/results/draw"): result_pages.draw,
}


def studio_app(folder: Folder, access: Access) -> Application:
    """Make the application of one folder."""
    studio = Studio.of(folder, access)
    pages = [Route(path, _endpoint(studio, method, path), methods=[method]) for method, path in PAGES]
    still = [
        Route(f"/{name}", _still(name, kind))
        for name, kind in (("style.css", "css"), ("studio.js", "javascript"))
    ]
    routes = [
        Route("/open/{token}", _open(studio), methods=["GET"]),
        Mount(f"/{access.prefix}", routes=[*pages, *still]),
    ]
    inner = Starlette(routes=routes, exception_handlers={404: _missing, 405: _missing})
    return _guarded(inner, access)


def _guarded(inner: Application, access: Access) -> Application:
    """Let requests through that come from the studio's own pages, and put its headers on every answer."""

    async def answer(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # no web sockets; nothing is accepted
        started = False

        async def sent(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                given = {name for name, _ in message["headers"]}
                more = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message["headers"], *(pair for pair in more if pair[0] not in given)]
            await send(message)

        refused = access.refusal(scope["method"], scope["path"], _headers(scope))
        try:
            await (inner if refused is None else _plain(refused))(scope, receive, sent)
        except Exception as error:
            if not started:
                await _plain(Refusal(500, internal_error(error)))(scope, receive, sent)

    return answer


def _headers(scope: Message) -> dict[str, str]:
    """Return the headers of a request; one that comes twice counts as neither."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        found[key] = "" if key in found else value.decode("latin-1")
    return found


def _plain(refusal: Refusal) -> Response:
    return Response(refusal.reason + "\n", refusal.status, media_type="text/plain; charset=utf-8")


def _open(studio: Studio) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        if not studio.access.admits(request.path_params["token"]):
            return _plain(Refusal(403, "This is not the token that `quantail studio` printed."))
        # Not a redirect: coming from a terminal's link or a file, the browser would not send the cookie with it.
        home = studio.address("/")
        page = (
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Quantail studio</title>'
            '<link rel="icon" href="data:,">'
            f'<meta http-equiv="refresh" content="0;url={home}"></head>'
            f'<body><p><a href="{home}">Open the studio</a></p></body></html>'
        )
        return HTMLResponse(page, headers={"set-cookie": studio.access.cookie()})

    return answer


def _still(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    content = files("quantail.studio").joinpath("static", name).read_bytes()

    async def answer(request: Request) -> Response:
        return Response(content, media_type=f"text/{kind}; charset=utf-8")

    return answer


def _endpoint(studio: Studio, method: str, path: str) -> Callable[[Request], Awaitable[Response]]:
    handler = PAGES[method, path]

    async def answer(request: Request) -> Response:
        form = await _form(request) if method == "POST" else {}
        visit = Visit(studio, dict(request.query_params), form)
        if method == "POST" and not studio.access.accepts_form(path, visit.sent("form_token")):
            return _plain(
                Refusal(403, "This form was not made by a page of the studio; load its page again.")
            )
        return await run_in_threadpool(_answered, handler, visit)

    return answer


def _answered(handler: Handler, visit: Visit) -> Response:
    """Answer; what goes wrong becomes a page that says what to do."""
    try:
        return handler(visit)
    except QuantailError as error:
        status = 404 if isinstance(error, OutsideError) else 409 if isinstance(error, BusyError) else 422
        return visit.page("error.html", status, message_text=visit.told(error))
    except Exception as error:
        return visit.page("error.html", 500, message_text=internal_error(error))


async def _form(request: Request) -> dict[str, list[str]]:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise HTTPException(415)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_FORM:
            raise HTTPException(413)
    try:
        return parse_qs(
            body.decode("ascii"),
            keep_blank_values=True,
            encoding="utf-8",
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError:
        raise HTTPException(400) from None


async def _missing(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return _plain(Refusal(status, "There is no such page."))
