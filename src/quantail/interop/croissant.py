"""The card of a release as Croissant 1.0 (JSON-LD, MLCommons): what data portals and loaders of data sets read.

One file with its checksum, one record set with the columns of the data dictionary, and the words of the card under the
vocabulary for responsible AI: what is protected, what the table is for, and where it ends.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quantail.errors import OptionError
from quantail.interop.dictionary import data_dictionary
from quantail.report.card_facts import promise_facts, release_facts
from quantail.schema import Schema

CONFORMS_TO = ("http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0")
ENCODINGS = {".csv": "text/csv", ".tsv": "text/tsv", ".parquet": "application/x-parquet"}
"""From the ending of a file to what Croissant calls its format: those whose records its readers can load."""

_TYPES = {
    "numeric": "sc:Float",
    "integer": "sc:Integer",
    "boolean": "sc:Boolean",
    "date": "sc:Date",
    "datetime": "sc:Date",
    "period": "sc:Integer",
}
_OWN_TERMS = (
    "citeAs column conformsTo equivalentProperty extract field fileProperty fileObject fileSet format includes "
    "isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate "
    "separator source subField transform"
)
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    **{term: f"cr:{term}" for term in _OWN_TERMS.split()},
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
}


def croissant(
    card: Mapping[str, Any], table: str | Path, *, curator: str = "", url: str = "", license: str = ""
) -> dict[str, Any]:
    """Return the card of a release as Croissant metadata of the synthetic file.

    Parameters
    ----------
    card : dict
        What `quantail.report.release_card` returned, or a .card.json file holds.
    table : path
        The synthetic table, as CSV or Parquet; the metadata name it, relative to where they lie, with its checksum.
    curator, url, license : str
        Who publishes the table, where, and under which licence (an address, or an SPDX name such as CC-BY-4.0).

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from quantail.examples import payroll_example, payroll_schema
    >>> from quantail.report import release_card
    >>> from quantail.table import TableSynthesizer
    >>> model = TableSynthesizer(payroll_schema(), 1, noise="simulated", seed=1).fit(payroll_example(200))
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "synthetic.csv")
    ...     _ = table.write_text("sector,employees,payroll", encoding="utf-8")
    ...     found = croissant(release_card(model, rows=200), table)
    >>> [field["dataType"] for field in found["recordSet"][0]["field"]]
    ['sc:Text', 'sc:Integer', 'sc:Float']
    """
    path = Path(table)
    if path.suffix not in ENCODINGS:
        raise OptionError(
            f"{path}: Croissant describes CSV and Parquet files; write the table as one of them"
        )
    schema = Schema.from_toml(card["terms"]["schema"])
    if path.suffix == ".csv" and schema.csv is not None and set(schema.csv.told()) - {"thousands"}:
        raise OptionError(
            f"{path}: Croissant describes CSV files as UTF-8 with commas, and [csv] in the schema says that this one "
            "is written otherwise; write the table as Parquet, too"
        )
    columns = data_dictionary(schema)["columns"]
    stated = [*release_facts(card), *promise_facts(card["promise"])]
    protected = "; ".join(f"{name}: {words}" for name, words in stated)
    found = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": list(CONFORMS_TO),
        "name": card["title"],
        "description": f"{card['notice']} {card['synthesis']['in_words']}",
        "datePublished": card["date"],
        "isLiveDataset": False,
        "url": url,
        "license": license,
        "creator": {"@type": "sc:Organization", "name": curator} if curator else "",
        "rai:personalSensitiveInformation": [protected],
        "rai:dataUseCases": list(card["use"]),
        "rai:dataLimitations": [*card["errors_to_expect"], *card["limits"]],
        "distribution": [_file(path)],
        "recordSet": [_records(path.name, columns)],
    }
    return {name: value for name, value in found.items() if value != ""}


def _file(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": ENCODINGS[path.suffix],
        "sha256": checksum,
    }


def _records(file: str, columns: list[dict[str, Any]]) -> dict[str, Any]:
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"rows/{column['name']}",
            "name": column["name"],
            "description": column["label"] or column["source"] or column["name"],
            "dataType": _type_of(column),
            "source": {"fileObject": {"@id": file}, "extract": {"column": column["name"]}},
        }
        for column in columns
    ]
    return {"@type": "cr:RecordSet", "@id": "rows", "name": "rows", "field": fields}


def _type_of(column: Mapping[str, Any]) -> str:
    """Return the type of a column; whole numbers with gaps are floats to those who know no missing integers."""
    if column["type"] == "integer" and column["may_be_missing"]:
        return "sc:Float"
    if column["type"] == "period" and isinstance(column["lower"], str):
        return "sc:Text"
    return _TYPES.get(column["type"], "sc:Text")
