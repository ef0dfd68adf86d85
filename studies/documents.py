"""Tables and figures in the text of README and docs, written from stored results: `python -m studies documents`.

A document holds a table, or a single figure, between two comments; what stands there is replaced, so nothing is typed
by hand. A figure is named by the keys that lead to it in the `results.json` of a folder, or in another file of it
(`lbd-epsilon-1:together/pooled/jc_mae`); "default" stands for the default method:

    <!-- table: simulation -->
    ...
    <!-- end of table -->

    KM <!-- figure: simulation-epsilon-1/default/km -->967<!-- end -->
"""

import re
from pathlib import Path

from quantail.errors import DataError
from studies.catalogue import ROOT
from studies.document_cells import figure
from studies.document_tables import TABLES

DOCUMENTS = (
    Path("README.md"),
    Path("docs/evidence.md"),
    Path("docs/from-the-paper-to-quantail.md"),
    Path("docs/inference.md"),
    Path("docs/lbd-study.md"),
    Path("docs/panels.md"),
    Path("docs/paper/quantail.md"),
    Path("docs/paper/paper.md"),
    Path("docs/the-paper.md"),
    Path("studies/README.md"),
)
_PLACE = re.compile(r"(<!-- table: ([a-z-]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
_FIGURE = re.compile(r"(<!-- figure: ([^>]+?) -->).*?(<!-- end -->)")


def outdated(root: Path = ROOT) -> list[Path]:
    """Return the documents whose tables are not those of the results."""
    texts = ((path, (root / path).read_text(encoding="utf-8")) for path in DOCUMENTS)
    return [path for path, text in texts if with_tables(text) != text]


def write_documents(root: Path = ROOT) -> list[Path]:
    """Write every table anew; return the documents that changed."""
    changed = outdated(root)
    for path in changed:
        text = (root / path).read_text(encoding="utf-8")
        (root / path).write_text(with_tables(text), encoding="utf-8")
    return changed


def with_tables(text: str) -> str:
    r"""Return a document with its tables and figures as the results have them.

    Examples
    --------
    >>> "| step |" in with_tables("<!-- table: ablation -->\n<!-- end of table -->")
    True
    """

    def table(place: re.Match[str]) -> str:
        if place[2] not in TABLES:
            raise DataError(f"a document asks for the table {place[2]!r}; there are: {', '.join(TABLES)}")
        return f"{place[1]}{TABLES[place[2]]()}\n{place[3]}"

    return _FIGURE.sub(lambda place: f"{place[1]}{figure(place[2])}{place[3]}", _PLACE.sub(table, text))
