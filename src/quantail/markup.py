"""HTML and SVG that cannot be broken by what it shows: every text is escaped unless it was built here.

Pages are put together from `element` alone, so a column called ``</script>`` is a column called ``</script>``.
Nothing beyond the standard library is needed, and so neither reports nor cards ask for an extra.
"""

import html
from collections.abc import Iterable

from quantail.visible import visible_text


class Markup(str):
    """Text that is HTML already and is not escaped again."""


Child = str | None | Iterable["Child"]
Value = str | float | bool | None


def escape(text: str) -> Markup:
    """Make text safe inside elements and quoted attributes.

    Examples
    --------
    >>> escape("a < b")
    'a &lt; b'
    """
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(visible_text(text)))


def element(name: str, /, *children: Child, **attributes: Value) -> Markup:
    """Write an element; texts among its children are escaped, None is left out.

    Parameters
    ----------
    name : str
        Its tag.
    *children : str, Markup, None or iterables of them
        What it holds.
    **attributes
        Underscores stand for hyphens, a trailing one is dropped (``class_``); True is written without a value,
        None and False are left out.

    Examples
    --------
    >>> element("p", "a & b", class_="note")
    '<p class="note">a &amp; b</p>'
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{join(children)}</{name}>")


def join(children: Child) -> Markup:
    """Put children one after another."""
    if children is None:
        return Markup()
    if isinstance(children, str):
        return escape(children)
    return Markup("".join(join(child) for child in children))


_VOID = frozenset({"meta", "br", "hr"})


def _attribute(key: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    return f' {name}="{escape(value) if isinstance(value, str) else format(value, ".6g")}"'
