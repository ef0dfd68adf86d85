"""Which files and functions of the package one value passes, from a CSV file to a synthetic row: by a profile.

`python -m tools.value_path` counts them by room, for a made-up payroll table that is read, fitted, drawn and written;
with `--names` it lists them. docs/walk.md is the same in words; a test holds it against this.
"""

import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import quantail
from quantail.examples import payroll_example, payroll_schema

SOURCE = Path(quantail.__file__).parent


def passed(run: Callable[[], object]) -> set[tuple[str, str]]:
    """Return every function of the package that is called while `run` runs, as its file and its name in it."""
    found = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            found.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    own = ((Path(file).relative_to(SOURCE), name) for file, name in found if file.startswith(f"{SOURCE}/"))
    return {(file.as_posix(), name) for file, name in own if not name.endswith(">")}


def main(names: bool) -> None:
    """Count what a value passes, by room."""
    with TemporaryDirectory() as made:
        table = Path(made, "payroll.csv")
        quantail.write_table(payroll_example(3000), table)
        synthesizer = quantail.synthesizer_for(payroll_schema(), 1, noise="simulated", seed=1)

        def copy_once() -> None:
            model = synthesizer.fit(table, ledger=False, progress=False)
            quantail.write_table(model.sample(seed=1), Path(made, "synthetic.csv"), overwrite=True)

        copy_once()  # what is imported on first use is no part of the way
        found = passed(copy_once)
    files = Counter(file.partition("/")[0] for file in {file for file, _ in found})
    functions = Counter(file.partition("/")[0] for file, _ in found)
    for room in sorted(files):
        print(f"{room:20}{files[room]:4} files{functions[room]:5} functions")
    print(f"{'in all':20}{files.total():4} files{functions.total():5} functions")
    if names:
        print(*(f"{file} {name}" for file, name in sorted(found)), sep="\n")


if __name__ == "__main__":
    main("--names" in sys.argv)
