"""Names as they are shown: on a terminal, on a page, in a message. What cannot be seen is spelled out, secrets are not.

A name comes from a schema or a table that somebody else may have written. Escape sequences would speak to the terminal,
changes of direction rewrite what stands around a name, a line break in it starts a line that says something else.
"""

import re

# Control characters (escape sequences begin with one), marks and changes of direction, separators of lines, and
# lone surrogates, which stand for bytes that are no text.
_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
_IN_TEXT, _IN_NAMES = re.compile(f"[{_CONTROL}]"), re.compile(f"[{_CONTROL}\t\n]")

SERVER = "postgresql://user@host/database#table"
"""How to write the address of a table on a server: the only one in which a user is shown."""

# A user and a password in an address, mistyped ones included: up to the last @ of a line, or, where the host was
# forgotten, what stands in place of its port; and options that are a password.
_SCHEME = r"([A-Za-z][\w+.-]*(?:[:;]/+|//+))"
_USERS = (re.compile(_SCHEME + r"[^\n]*@"), re.compile(r"()[^\s:@'\"`]+:\S*@"))
_NO_PORT = re.compile(_SCHEME + r"[^\s/#?@:]+:(?!\d*(?:[\s/#?,]|$))[^\s/#?@]*")
_OPTION = re.compile(
    r"((?:pass(?:word|wd|phrase|file)?|pwd|secret|token)[\w.-]*\s*=\s*)[^&\s#;,'\"`]+", re.IGNORECASE
)


def without_credentials(text: str) -> str:
    """Return text in which addresses show neither user nor password.

    Examples
    --------
    >>> without_credentials("cannot read postgresql:/ann:geheim@host/census?password=geheim#pay")
    'cannot read ***@host/census?password=***#pay'
    """
    return SERVER.join(map(_redacted, text.split(SERVER)))


def _redacted(text: str) -> str:
    for pattern in _USERS:
        text = pattern.sub(r"\1***@", text)
    return _OPTION.sub(r"\1***", _NO_PORT.sub(r"\1***", text))


def visible(name: str) -> str:
    r"""Return a name on one line, in which nothing acts and nothing is hidden.

    Examples
    --------
    >>> print(visible("pay\x1b[2J\nin all"))
    pay\x1b[2J\nin all
    """
    return _IN_NAMES.sub(_spelled, name)


def visible_text(text: str) -> str:
    """Return text of several lines, in which nothing acts and nothing is hidden; its own line breaks are kept."""
    return _IN_TEXT.sub(_spelled, text)


def visible_json(text: str) -> str:
    r"""Return JSON that means the same, with what cannot be seen written as ``\u0085``."""
    return _IN_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _spelled(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
