"""The files of one release: synthetic tables, the release card in three forms, and the model if asked for."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pyarrow as pa

from quantail.cli.cards import CardFiles
from quantail.cli.console import note, say, warn
from quantail.cli.staging import Staging, check_outputs
from quantail.errors import OptionError
from quantail.frames import check_output, write_table
from quantail.report import release_card

if TYPE_CHECKING:
    from quantail.cli.release import Fit
    from quantail.synthesis import TableModel

MARK = "not-private"
MOST_ROWS, MOST_REPLICATES = 10**8, 10**4  # more would fail for want of memory, after the budget is spent


@dataclass(frozen=True)
class Bundle:
    """Names of the files of one release.

    With several replicates the tables are numbered: out.parquet becomes out-1.parquet, out-2.parquet, ...
    """

    output: Path
    rows: int | None = None
    replicates: int = 1
    model: Path | None = None

    def __post_init__(self) -> None:
        if self.rows is not None and not 1 <= self.rows <= MOST_ROWS:
            raise OptionError(f"--rows must be at least 1 and at most {MOST_ROWS}")
        if not 1 <= self.replicates <= MOST_REPLICATES:
            raise OptionError(f"--replicates must be at least 1 and at most {MOST_REPLICATES}")

    @property
    def tables(self) -> tuple[Path, ...]:
        """Where the synthetic tables go."""
        if self.replicates == 1:
            return (self.output,)
        stem, suffix = self.output.stem, self.output.suffix
        numbers = range(1, self.replicates + 1)
        return tuple(self.output.with_name(f"{stem}-{number}{suffix}") for number in numbers)

    @property
    def cards(self) -> CardFiles:
        """Where the card goes."""
        return CardFiles(self.output)

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files, tables first."""
        return (*self.tables, *self.cards.paths, *([self.model] if self.model else []))

    def check(self, inputs: Iterable[Path | None], force: bool) -> None:
        """Raise a DataError unless every file can be written."""
        check_outputs(self.paths, [path for path in inputs if path is not None], force)
        for path in self.tables:
            check_output(path, overwrite=force)

    def write(self, model: "TableModel", seed: int | None = None, fit: "Fit | None" = None) -> None:
        """Draw the tables and write everything, together or not at all."""
        drawn = model.sample(self.rows, replicates=self.replicates, seed=seed)
        tables = [_marked(frame, model.private) for frame in (drawn if self.replicates > 1 else [drawn])]
        ledger, entry = (fit.account, fit.entry) if fit else (None, None)
        card = release_card(
            model, rows=tables[0].num_rows, replicates=len(tables), ledger=ledger, entry=entry
        )
        with Staging(self.paths) as staging:
            for path, table in zip(self.tables, tables, strict=True):
                write_table(table, staging.place(path))
            self.cards.write(card, staging)
            if self.model is not None:
                model.save(staging.place(self.model))
            staging.commit()

    def announce(self, private: bool) -> None:
        """Say what was written."""
        for path in self.paths:
            say(f"Wrote {path}" + ("" if private else "  (NOT PRIVATE)"))
        if private:
            note("Release the table together with its card. The model may be released too.")
        elif MARK not in self.output.name:
            better = f"{self.output.stem}.{MARK}{self.output.suffix}"
            warn(f"NOT PRIVATE: so that nobody mistakes this file, give it a name such as {better}.")


def _marked(frame: Any, private: bool) -> pa.Table:
    """Note in the table itself what it is; Parquet files keep this, CSV files cannot."""
    table = nw.from_native(frame).to_arrow()
    words = "synthetic, differentially private" if private else "synthetic, NOT PRIVATE (simulated noise)"
    return table.replace_schema_metadata({**(table.schema.metadata or {}), b"quantail": words.encode()})
