"""How a CSV file is written: separator, marks of numbers, encoding, dates; public facts of the `[csv]` section.

None of it is found out from rows: what a single row looks like must not decide how the others are read. A file without
the section is UTF-8, separated by commas, with 1234.5 and 2020-01-31; that is also how Quantail writes CSV files.
"""

from dataclasses import dataclass

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
    r"""How the confidential CSV file is written.

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

    Raises
    ------
    SchemaError
        If a mark is unknown, or two marks are the same.

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

    def __post_init__(self) -> None:
        for option, allowed in _ALLOWED.items():
            if getattr(self, option) not in allowed:
                listed = ", ".join(map(_written, allowed))
                raise SchemaError(f"[csv] {option} is unknown; write one of {listed}, or save the file anew")
        if self.decimal in (self.separator, self.thousands):
            other = "separator" if self.decimal == self.separator else "thousands"
            raise SchemaError(f"[csv] decimal and {other} are the same mark; correct one of them")

    def told(self) -> dict[str, str]:
        """Return what differs from a plain CSV file: the lines that `[csv]` needs."""
        plain = CsvFormat()
        return {
            option: getattr(self, option)
            for option in _ALLOWED
            if getattr(self, option) != getattr(plain, option)
        }


def _written(mark: str) -> str:
    return '"\\t"' if mark == "\t" else f'"{mark}"'
