"""Files without a clock: what writers put into headers about when and where they ran is replaced by a constant.

The same table then makes the same bytes, which can be compared, hashed and signed; and a file tells nothing about how
long a run took.
"""

import re
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_SPSS_AT, _SPSS_TIME = 92, re.compile(rb"\d\d [A-Z][a-z]{2} \d\d\d\d:\d\d:\d\d")
_SAS_AT, _SAS_TIME = (144, 160, 464, 480), re.compile(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment that a ZIP archive can name
_WRITTEN = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(<)")


def still_spss(path: Path) -> None:
    """Replace the time in the header of an SPSS file."""
    _replaced(path, (_SPSS_AT,), _SPSS_TIME, b"01 Jan 8000:00:00")


def still_transport(path: Path) -> None:
    """Replace the times in the header of a SAS transport file: of the library and of its one table."""
    _replaced(path, _SAS_AT, _SAS_TIME, b"01JAN80:00:00:00")


def still_archive(made: IO[bytes], path: Path) -> None:
    """Copy a ZIP archive, such as a workbook, with a constant for every time in it."""
    with ZipFile(made) as source, ZipFile(path, "x", ZIP_DEFLATED) as target:
        for name in sorted(source.namelist()):
            content = source.read(name)
            if name == "docProps/core.xml":
                content = _WRITTEN.sub(rb"\g<1>1980-01-01T00:00:00Z\g<2>", content)
            entry = ZipInfo(name, _EPOCH)
            entry.compress_type, entry.create_system = ZIP_DEFLATED, 3
            target.writestr(entry, content)


def _replaced(path: Path, places: tuple[int, ...], pattern: re.Pattern[bytes], constant: bytes) -> None:
    with path.open("rb+") as file:
        for place in places:
            file.seek(place)
            if not pattern.fullmatch(file.read(len(constant))):
                raise ValueError("no time where the format keeps one")
            file.seek(place)
            file.write(constant)
