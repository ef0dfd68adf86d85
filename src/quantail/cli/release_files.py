"""The files of one release: synthetic tables, the release card in three forms, and the model if asked for."""

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pyarrow as pa

from quantail.cli.cards import card_paths, write_card
from quantail.cli.console import note, say, warn
from quantail.cli.outputs import check_outputs
from quantail.cli.staging import Staging
from quantail.errors import DataError, OptionError
from quantail.frames.release import marked
from quantail.io import Place, Where, check_output, database_tables, write_table
from quantail.report import release_card
from quantail.schema import Schema, formula_columns, formula_warning

if TYPE_CHECKING:
    from quantail.cli.release import Fit
    from quantail.planning import Expectation
    from quantail.table_or_panel import AnyRelease

MARK = "not-private"
MOST_ROWS, MOST_REPLICATES = 10**8, 10**4  # more would fail for want of memory, after the budget is spent


@dataclass(frozen=True)
class ReleaseFiles:
    """Names of the files of one release.

    With several replicates or fits the tables are numbered: out.parquet becomes out-1.parquet, out-2.parquet, ...; in a
    database, out becomes out_1, out_2, ... The card goes beside the file (of the table or of the database), or here
    if the table is on a server.
    """

    output: Place
    rows: int | None = None
    replicates: int = 1
    model: Path | None = None
    force: bool = False
    fits: int = 1

    def __post_init__(self) -> None:
        if self.rows is not None and not 1 <= self.rows <= MOST_ROWS:
            raise OptionError(f"--rows must be at least 1 and at most {MOST_ROWS}")
        if not 1 <= self.replicates <= MOST_REPLICATES:
            raise OptionError(f"--replicates must be at least 1 and at most {MOST_REPLICATES}")
        if self.fits > 1 and (self.replicates > 1 or self.model is not None):
            raise OptionError(
                "--fits gives one table from each of several fits, which are all paid for; --replicates gives several "
                "tables from one fit, at no further cost, and --model keeps that fit: leave out --fits, or the others"
            )

    @property
    def tables(self) -> tuple[Place, ...]:
        """Where the synthetic tables go."""
        tables = max(self.replicates, self.fits)
        if tables == 1:
            return (self.output,)
        return tuple(self.output.numbered(number) for number in range(1, tables + 1))

    @property
    def beside(self) -> Path:
        """What the card stands beside: the name of a table may hold points, so it gets an ending of its own."""
        return self.output.folder / f"{self.output.name}.table"

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files, tables last: where a table has appeared, its card has; tables in databases are none."""
        files = [place.path for place in self.tables if place.scheme == "file" and place.path is not None]
        return (*([self.model] if self.model else []), *card_paths(self.beside), *files)

    def check(self, inputs: Iterable[Where | None]) -> None:
        """Raise a DataError unless everything can be written."""
        given = [place for place in inputs if place is not None]
        database = self.output.path if self.output.scheme != "file" else None
        check_outputs(self.paths, given, self.force, [] if database is None else [database])
        for place in self.tables:
            if place in map(Place.of, given):  # on a server; files were compared as files
                raise DataError(f"{place} is also an input; choose another output name")
            check_output(place, overwrite=self.force, rows=self.rows or 0)

    def dry_run(self, columns: pa.Table, rows: int, schema: Schema) -> None:
        """Write tables without rows and take them back: what a file or database refuses must show before the charge.

        `rows`: how many a synthetic table will have at most, unless another number was asked for.
        """
        check_output(self.output, overwrite=self.force, rows=self.rows or rows)
        if self.output.scheme != "file":
            empty = [(columns.slice(0, 0), place) for place in self.tables]
            with database_tables(empty, self.force, keep=False):
                pass
        elif self.output.path is not None:
            with TemporaryDirectory(prefix=".quantail-", dir=self.output.folder) as folder:
                write_table(columns.slice(0, 0), Path(folder, self.output.path.name), schema=schema)

    def write(
        self,
        model: "AnyRelease",
        seed: int | None = None,
        fit: "Fit | None" = None,
        expectation: "Expectation | None" = None,
        given: pa.Table | None = None,
        where: str | None = None,
    ) -> None:
        """Draw the tables and write everything, together or not at all; the card may state expected errors.

        Public columns of the fitted table, or rows that are given, are kept as they are; `where` chooses rows.
        """
        kept = fit.public if fit is not None and given is None else given
        models = fit.models if fit is not None else (model,)
        # None of these goes with panels, for which all were refused before.
        wanted = {"rows": self.rows, "given": kept, "where": where}
        asked: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
        drawn = [one.sample(replicates=self.replicates, seed=seed, **asked) for one in models]
        frames = drawn[0] if self.replicates > 1 else drawn
        tables = [marked(nw.from_native(frame).to_arrow(), model.private) for frame in frames]
        ledger, entry = (fit.account, fit.entry) if fit else (None, None)
        sizes = {"rows": tables[0].num_rows, "replicates": len(tables), "fits": len(models)}
        card = release_card(
            fit or model,
            **sizes,
            ledger=ledger,
            entry=entry,
            expectation=expectation,
            given=() if kept is None else kept.column_names,
            where=where,
            left_out=fit.left_out if fit is not None else (),
        )
        stored = [pair for pair in zip(tables, self.tables, strict=True) if pair[1].scheme != "file"]
        # The database commits after the files have moved, and before they can no longer be taken back.
        with (
            Staging(self.paths) as staging,
            database_tables(stored, self.force) if stored else nullcontext(),
        ):
            write_card(card, self.beside, staging)
            if self.model is not None:
                model.save(staging.place(self.model))
            for place, table in zip(self.tables, tables, strict=True):
                if place.scheme == "file" and place.path is not None:
                    write_table(table, staging.place(place.path), schema=model.schema)
            if fit is not None:
                fit.confirm()
            staging.commit()

    def announce(self, model: "AnyRelease", *, anew: bool = True) -> None:
        """Say what was written, and what to mind; of a model that was there before, its card says what it lost."""
        private, schema = model.private, model.schema
        for path in (*self.tables, *([self.model] if self.model else [])):
            say(f"Wrote {path}" + ("" if private else "  (NOT PRIVATE)"))
        say(f"Beside it: {', '.join(path.name for path in card_paths(self.beside))}.")
        for line in model.facts().relations if anew else ():
            note(line)
        for name in formula_columns(schema):
            warn(formula_warning(name))
        if private:
            note("Release the table together with its card. The model may be released too.")
        elif MARK not in self.output.name.replace("_", "-"):
            better = f"{self.output.name}_{MARK}".replace("-", "_")
            if self.output.scheme == "file" and self.output.path is not None:
                better = f"{self.output.name}.{MARK}{self.output.path.suffix}"
            warn(f"NOT PRIVATE: so that nobody mistakes this table, give it a name such as {better}.")
