"""The paper as PDF: `python -m tools.paper build/quantail.pdf` (pandoc to Typst; group `paper` of pyproject.toml)."""

import sys
import tempfile
from pathlib import Path

PAPER = Path(__file__).resolve().parents[1] / "docs" / "paper" / "quantail.md"
STYLE = """
#set page(margin: (x: 2.2cm, y: 2.4cm))
#set par(justify: true, leading: 0.62em)
#show heading: set block(above: 1.4em, below: 0.8em)
#show figure: set block(breakable: true)
#show table: set text(size: 7pt)
#show table: set par(justify: false, leading: 0.45em)
#set table(inset: (x: 3.5pt, y: 2.6pt))
#show table.cell.where(x: 0): set align(left)
"""
ONE_LINE = 10_000  # columns of text: a table whose lines are longer gets columns of equal width


def build(out: Path) -> None:
    """Write the paper as PDF."""
    import pypandoc
    import typst

    with tempfile.TemporaryDirectory() as folder:
        style, source = Path(folder) / "style.typ", Path(folder) / "paper.typ"
        style.write_text(STYLE, encoding="utf-8")
        pypandoc.convert_file(
            str(PAPER),
            "typst",
            format="markdown",
            outputfile=str(source),
            extra_args=["--standalone", f"--columns={ONE_LINE}", "--include-in-header", str(style)],
        )
        out.parent.mkdir(parents=True, exist_ok=True)
        typst.compile(str(source), output=str(out))


if __name__ == "__main__":
    build(Path(sys.argv[1]))
