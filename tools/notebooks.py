"""Run the notebooks of docs/notebooks and write them back with what they showed.

    python -m tools.notebooks

A notebook runs in an empty folder and reads nothing but made-up tables. Tests run them too, and throw the outputs away.
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
_SECONDS = 300


def notebooks() -> list[Path]:
    """Return all notebooks, in the order in which people should read them."""
    return sorted(FOLDER.glob("*.ipynb"))


def executed(path: Path, folder: Path) -> Any:
    """Return a notebook after a run in a folder; a cell that fails is an error."""
    book = nbformat.read(path, as_version=4)
    client = NotebookClient(
        book, timeout=_SECONDS, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    return client.execute()


def tidied(book: Any) -> Any:
    """Return a notebook without what differs from run to run: names of kernels, addresses, progress that went by."""
    for place, cell in enumerate(book.cells):
        cell["id"] = f"cell-{place}"
        cell["metadata"] = {}
        if cell.cell_type == "code":
            cell["outputs"] = [out for out in cell.outputs if _says_something(out)]
            for out in cell.outputs:
                if "data" in out:  # addresses of objects
                    out["data"] = {
                        kind: re.sub(r" at 0x[0-9a-f]+", "", text) for kind, text in out["data"].items()
                    }
    book["metadata"] = {"language_info": {"name": "python"}}
    return book


def _says_something(out: Any) -> bool:
    return out.output_type != "display_data" or any(text for text in out["data"].values())


def main() -> int:
    """Run all notebooks and write them back."""
    for path in notebooks():
        with TemporaryDirectory() as folder:
            nbformat.write(tidied(executed(path, Path(folder))), path)
        print(path.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
