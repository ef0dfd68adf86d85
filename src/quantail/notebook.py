"""What a notebook shows of an object: a title, facts, one table and remarks. No script, no colours, every text escaped.

Objects say what is shown of them, the larger ones in a file `notebook.py` of their room: facts, schemas and answers,
which are public, and measures of real rows under a warning. A long table is cut. In print they are columns of text.
"""

from collections.abc import Sequence

from quantail.markup import Child, Markup, element
from quantail.visible import visible

MOST_ROWS = 40
"""Rows of a table that are shown; whoever wants the others prints the object or turns it into a frame."""

_LEFT, _WARNING = "text-align:left", "border-left:4px solid;padding-left:0.6em;font-weight:bold"
_LONGEST = 60  # characters of a name in a line


def shown(
    title: str,
    facts: Sequence[tuple[str, str]] = (),
    head: Sequence[str] = (),
    rows: Sequence[Sequence[str]] = (),
    remarks: Sequence[str] = (),
    warning: str = "",
) -> str:
    """Write what a notebook shows of an object as HTML.

    Examples
    --------
    >>> shown("<pay>")
    '<div><p><b>&lt;pay&gt;</b></p></div>'
    """
    more = len(rows) - MOST_ROWS
    below = [f"… and {more:,} more rows"] if more > 0 else []
    parts: list[Child] = [
        element("p", element("b", visible(title))),
        element("p", visible(warning), style=_WARNING) if warning else None,
        _table((), [(name, visible(text)) for name, text in facts]) if facts else None,
        _table(head, rows[:MOST_ROWS]) if rows else None,
        [element("p", visible(text)) for text in (*below, *remarks)],
    ]
    return str(element("div", *parts))


def short(name: str) -> str:
    r"""Return a name for a line of text: quoted, on one line, cut if it is long.

    Examples
    --------
    >>> print(short("pay\n" + 100 * "y"))
    'pay\nyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…'
    """
    told = visible(name)
    return f"'{told}'" if len(told) <= _LONGEST else f"'{told[:_LONGEST]}…'"


def counted(number: int, what: str) -> str:
    """Say how many there are.

    Examples
    --------
    >>> counted(1, "row"), counted(30_000, "row")
    ('1 row', '30,000 rows')
    """
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def in_columns(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Write rows as lines of text below their titles; the cells of some places stand on the right.

    Examples
    --------
    >>> in_columns(("term", "value"), [("pay", "10"), ("age", "1.5")], right=[1])
    ['term  value', 'pay      10', 'age     1.5']
    """
    lines = [[visible(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    names = element("thead", element("tr", *(element("th", visible(name), style=_LEFT) for name in head)))
    body = (element("tr", *(_cell(text) for text in row)) for row in rows)
    return element("table", names if head else None, element("tbody", *body))


def _cell(text: str) -> Markup:
    # Leading blanks are the depth of a tree.
    depth = len(text) - len(text.lstrip(" "))
    return element(
        "td", visible(text.lstrip(" ")), style=_LEFT + (f";padding-left:{depth}em" if depth else "")
    )
