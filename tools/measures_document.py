"""Write the tables of docs/measures.md anew from the registry: `python -m tools.measures_document`."""

from pathlib import Path

from quantail.evaluation import FAMILIES, MEASURES, Measure

DOCUMENT = Path(__file__).parents[1] / "docs" / "measures.md"
BEGIN, END = "<!-- measures: made by tools/measures_document.py -->\n", "<!-- end of measures -->\n"
TITLES = {
    "overall": "Overall: can the rows be told apart?",
    "columns": "Columns one by one",
    "tails": "Tails and totals",
    "relations": "Relations between two columns",
    "counts": "Tables of counts",
    "regressions": "Regressions",
    "panels": "Panels",
}


def line(measure: Measure) -> str:
    """Write a measure as a line of a table."""
    low, high = (f"{end:g}".replace("inf", "∞") for end in measure.range)
    name = f"{measure.title} `{measure.name}`"
    cells = (name, measure.meaning, f"{low} to {high}", measure.direction, measure.null, measure.reference)
    return f"| {' | '.join(cells)} |"


def tables() -> str:
    """Write all tables, one for each family."""
    head = (
        "| measure | meaning | range | better | independent sample | reference |\n|---|---|---|---|---|---|"
    )
    parts = []
    for family in FAMILIES:
        lines = [line(measure) for measure in MEASURES.values() if measure.family == family]
        parts.append("\n".join([f"### {TITLES[family]} (`{family}`)", "", head, *lines, ""]))
    return "\n" + "\n".join(parts) + "\n"


def rewritten(text: str) -> str:
    """Put the tables in place of those between the two marks."""
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + tables() + END + rest.partition(END)[2]


if __name__ == "__main__":
    DOCUMENT.write_text(rewritten(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
