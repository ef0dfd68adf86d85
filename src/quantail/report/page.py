"""The sheet of paper: one HTML file with its style inside, which asks nothing of any network."""

from collections.abc import Sequence
from importlib.resources import files

from quantail._version import __version__
from quantail.markup import Child, Markup, element, join

# A browser that honours it refuses scripts and every request, whatever a page may hold.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(title: str, mark: Child, body: Sequence[Child], kind: str = "") -> str:
    """Put a page together.

    Parameters
    ----------
    title : str
        What the browser's tab says.
    mark : Markup or str, optional
        A strip that stays on top: what the reader must not overlook.
    body : sequence of Markup
        The sections.
    kind : str
        "card" for a narrower page.

    Returns
    -------
    str
        A complete HTML document.
    """
    style = files("quantail.report").joinpath("style.css").read_text(encoding="utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Markup(style)),
    )
    strip = mark and element("div", element("p", mark), class_="mark-strip", role="note")
    content = element(
        "body",
        element("a", "Skip to the content", href="#content", class_="skip"),
        strip,
        element("main", *body, id="content"),
        element("footer", element("p", f"Made by quantail {__version__}.")),
        class_=kind or None,
    )
    return f"<!DOCTYPE html>\n{element('html', head, content, lang='en')}\n"


def section(identity: str, title: str, *children: Child, hint: str = "") -> Markup:
    """Write a section with a heading that links can lead to, and a line that says how to read it."""
    return element(
        "section",
        element("h2", title, id=f"{identity}-title"),
        element("p", hint, class_="hint") if hint else None,
        *children,
        id=identity,
        aria_labelledby=f"{identity}-title",
    )


def facts(pairs: Sequence[tuple[str, Child]]) -> Markup:
    """List short facts, each under its name."""
    return element(
        "dl", *(element("div", element("dt", n), element("dd", v)) for n, v in pairs), class_="facts"
    )


def links(targets: Sequence[tuple[str, str]], label: str, kind: str = "") -> Markup:
    """Write a row of links to places on this page."""
    items = (element("li", element("a", text, href=f"#{where}")) for where, text in targets)
    return element("nav", element("ul", *items), aria_label=label, class_=kind or None)


def table(
    caption: str,
    head: Sequence[str],
    rows: Sequence[Sequence[Child]],
    numbers: Sequence[int] = (),
    stacks: bool = False,
) -> Markup:
    """Write a table that scrolls sideways where it is too wide, or stacks its cells on a phone.

    `numbers` are the columns set to the right; a stacked cell carries its column's title.
    """
    titles = (
        element("th", t, scope="col", class_="num" if k in numbers else None) for k, t in enumerate(head)
    )
    lines = (
        element(
            "tr",
            *(
                element("th", cell, scope="row")
                if place == 0
                else element(
                    "td",
                    cell,
                    class_="num" if place in numbers else None,
                    data_title=head[place] if stacks and cell else None,
                )
                for place, cell in enumerate(row)
            ),
        )
        for row in rows
    )
    inner = element(
        "table",
        element("thead", element("tr", *titles)),
        element("tbody", *lines),
        class_="stacks" if stacks else None,
    )
    # Focusable, so that a keyboard can scroll it.
    return element("div", inner, class_="scroll", role="region", aria_label=caption, tabindex="0")


def bullets(lines: Sequence[str]) -> Markup:
    """Write a list of sentences."""
    return element("ul", *(element("li", line) for line in lines))


def sentence(*parts: Child) -> Markup:
    """Write a paragraph."""
    return element("p", join(parts))
