"""TOML of schema files: texts and values to TOML, files to documents, with errors that name the line."""

import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

from quantail.errors import SchemaError
from quantail.schema.column_rules import LARGEST_INTEGER

# Our keys have one part or two. Python's reader takes time in the square of the number of parts, and has no limit.
_DEEP_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){50}""")
# How many characters to read over again in search of the line where something was left open.
_SEARCH = 5_000_000
_LARGEST_FILE = 2**26  # bytes; ten thousand columns take a fiftieth of it
_SHORT_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
}


def schema_text(path: str | Path) -> str:
    """Read the text of a schema file; one that is missing, or far too large, is a SchemaError."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(_LARGEST_FILE + 1)
        text = content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise SchemaError(f"{path}: the schema is not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        advice = "draft one with `quantail init FILE`, or check the path and its permissions"
        raise SchemaError(f"{path}: cannot read the schema ({error.strerror}); {advice}") from None
    if len(content) > _LARGEST_FILE:
        raise SchemaError(f"{path}: far too large for a schema; name the schema, not the table")
    return text


def parse_toml(text: str) -> dict[str, Any]:
    """Read TOML text of a schema, complete or not, or raise a SchemaError that names the line."""
    nested = "the schema is nested too deep; write plain sections and keys, as `quantail init` does"
    if _DEEP_KEY.search(text):
        raise SchemaError(nested)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # tomllib's message ends in "(at line 3, column 7)", or in this where something was never closed.
        said = _shortened(str(error)).replace(
            "at end of document", f"opened {_first_bad_line(text)}, never closed"
        )
        raise SchemaError(f"the schema is not valid TOML: {said}; correct that line") from None
    except RecursionError:
        raise SchemaError(nested) from None
    except ValueError:
        # Python refuses to read integers of thousands of digits.
        raise SchemaError("the schema holds a number that is too long; write it with an exponent") from None


def _shortened(said: str) -> str:
    """Shorten what an error quotes of a key or a line; the place of the error follows at the end."""
    return said if len(said) <= 200 else f"{said[:80]} ... {said[-80:]}"


def _first_bad_line(text: str) -> str:
    """Name the line after the longest run of lines that is valid TOML by itself; give up on long texts."""
    end, left, line = len(text), _SEARCH, text.count("\n") + 1
    while (end := text.rfind("\n", 0, end)) >= 0 and left >= 0:
        left -= end
        try:
            tomllib.loads(text[:end])
        except (ValueError, RecursionError):
            line -= 1
            continue
        return f"at line {line}"
    return "at line 1" if end < 0 else "on some line"


def toml_text(text: str) -> str:
    """Write text as a TOML basic string, quotes included."""
    return '"' + "".join(map(_escape, text)) + '"'


def toml_value(value: Any) -> str:
    """Write a value of a schema, complete or not, as TOML.

    Examples
    --------
    >>> toml_value(["north", 1e6, True])
    '["north", 1000000, true]'
    """
    if isinstance(value, str):
        return toml_text(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_INTEGER:
        return str(int(value))
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, date):
        return value.isoformat()
    raise SchemaError("the schema holds a value of an unknown kind; correct it in an editor")


def _escape(character: str) -> str:
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    if ord(character) < 0x20 or ord(character) == 0x7F:
        return f"\\u{ord(character):04X}"
    return character
