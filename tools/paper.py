"""The paper as PDF: `python -m tools.paper build/quantail.pdf` (pandoc to Typst; group `paper` of pyproject.toml)."""

import sys
import tempfile
from pathlib import Path

PAPER = Path(__file__).resolve().parents[1] / "docs" / "paper" / "quantail.md"
STYLE = """
#show table: set text(size: 6.5pt)
#show figure: set block(breakable: true)
#set par(justify: true)
"""


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
            extra_args=["--standalone", "--include-in-header", str(style)],
        )
        out.parent.mkdir(parents=True, exist_ok=True)
        typst.compile(str(source), output=str(out))


if __name__ == "__main__":
    build(Path(sys.argv[1]))
