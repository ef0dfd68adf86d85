"""How a CSV file is written: separator, marks of numbers, encoding, dates, words for a missing value (`[csv]`).

None of it is found out from rows: what a single row looks like must not decide how the others are read. A file without
the section is UTF-8, separated by commas, with 1234.5 and 2020-01-31. Synthetic CSV files are written alike.
"""

from dataclasses import dataclass
from typing import Any

from quantail.errors import SchemaError

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_ALLOWED = {
    "separator": tuple(SEPARATORS),
    "decimal": (".", ","),
    "thousands": ("", ",", ".", " ", "'"),
    "encoding": ("utf-8", "utf-16", "windows-1252", "iso-8859-1", "iso-8859-15"),
    "dates": ("2020-01-31", "31.01.2020", "31/01/2020", "31-01-2020", "01/31/2020"),
}


@dataclass(frozen=True)
class CsvFormat:
    r"""How CSV files are written, the confidential one and those made of it.

    Parameters
    ----------
    separator : {",", ";", "\t", "|"}
        What stands between two cells.
    decimal : {".", ","}
        What stands before the decimals of a number.
    thousands : {"", ",", ".", " ", "'"}
        What may stand between groups of three digits; a space also means those that do not break a line.
    encoding : {"utf-8", "utf-16", "windows-1252", "iso-8859-1", "iso-8859-15"}
        How characters are stored.
    dates : {"2020-01-31", "31.01.2020", "31/01/2020", "31-01-2020", "01/31/2020"}
        How the last day of January 2020 would be written.
    missing : tuple of str
        Words that stand for a missing value, such as "k.A." or "?", besides an empty cell; where a column lists the
        same word among its categories, it is a label there. Synthetic CSV files have the first of them. The only
        option that holds for Excel workbooks, too.

    Raises
    ------
    SchemaError
        If a mark is unknown, two marks are the same, or a word cannot be stored in the encoding.

    Examples
    --------
    >>> CsvFormat(separator=";", decimal=",").told()
    {'separator': ';', 'decimal': ','}
    """

    separator: str = ","
    decimal: str = "."
    thousands: str = ""
    encoding: str = "utf-8"
    dates: str = "2020-01-31"
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for option, allowed in _ALLOWED.items():
            if getattr(self, option) not in allowed:
                listed = ", ".join(map(_written, allowed))
                raise SchemaError(f"[csv] {option} is unknown; write one of {listed}, or save the file anew")
        if self.decimal in (self.separator, self.thousands):
            other = "separator" if self.decimal == self.separator else "thousands"
            raise SchemaError(f"[csv] decimal and {other} are the same mark; correct one of them")
        object.__setattr__(self, "missing", _words(self.missing))
        for word in self.missing:
            if not self.can_hold(word):
                raise SchemaError(
                    f"[csv] missing: {word!r} cannot be stored in {self.encoding}; correct one of them"
                )

    def can_hold(self, text: str) -> bool:
        """Whether a text can be stored in the encoding."""
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def told(self) -> dict[str, Any]:
        """Return what differs from a plain CSV file: the lines that `[csv]` needs."""
        plain = CsvFormat()
        return {
            option: getattr(self, option)
            for option in (*_ALLOWED, "missing")
            if getattr(self, option) != getattr(plain, option)
        }


def _words(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list | tuple) or not all(isinstance(word, str) for word in given):
        raise SchemaError(
            '[csv] missing lists words that stand for a missing value; write missing = ["NA", "?"]'
        )
    if any(word != word.strip() or "\n" in word for word in given):
        raise SchemaError(
            "[csv] missing: a word begins or ends with a space, or is longer than a line; correct it"
        )
    return tuple(given)


def _written(mark: str) -> str:
    return '"\\t"' if mark == "\t" else f'"{mark}"'
