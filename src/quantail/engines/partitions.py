"""A folder of Parquet files, partitioned by public groups.

    table/region=north/part-0.parquet       every group has a folder of its own, nested in any order of the columns
    table/region=south/part-0.parquet       that make up a group; its name says the label, whatever the file holds

Files of a group are read in the order of their names, as types that hold the columns of all groups: what one group
looks like does not depend on who reads it, or together with which others. A group, or a part of it, is a `Source`
that workers open themselves; the driver looks at names and footers only.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from quantail.engines.column_types import common_types
from quantail.errors import DataError
from quantail.io import Place, Source
from quantail.schema import Schema, core_of
from quantail.table.rows import GroupKey, group_keys

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Stretch:
    """Consecutive row groups of one file, with the labels that its folders say."""

    file: str
    labels: Labels
    first: int
    last: int
    rows: int


class StretchSource(Source):
    """Stretches of files, one after the other; there may be none.

    Parameters
    ----------
    folder : Path
        The partitioned table, to be named in messages.
    stretches : tuple of Stretch
        What is read.
    columns : pyarrow.Schema
        As what it is read.
    """

    advice = "the folder must hold complete Parquet files with the same columns and types"

    def __init__(self, folder: Path, stretches: tuple[Stretch, ...], columns: pa.Schema) -> None:
        super().__init__(Place.of(folder))
        self.stretches, self._columns = stretches, columns

    def parts(self) -> list["StretchSource"]:
        """Return every stretch as a source of its own; one without rows if there is none."""
        folder = self.place.path
        assert folder is not None
        single: list[tuple[Stretch, ...]] = [(stretch,) for stretch in self.stretches] or [()]
        return [StretchSource(folder, part, self._columns) for part in single]

    def _types(self) -> pa.Schema:
        return self._columns

    def _rows(self) -> int:
        return sum(stretch.rows for stretch in self.stretches)

    def _chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        for stretch in self.stretches:
            stored = [name for name in self._columns.names if name not in dict(stretch.labels)]
            with pq.ParquetFile(stretch.file, pre_buffer=False) as file:
                wanted = list(range(stretch.first, stretch.last))
                for batch in file.iter_batches(batch_rows, row_groups=wanted, columns=stored):
                    yield self._labelled(pa.Table.from_batches([batch]).select(stored), stretch)

    def _labelled(self, table: pa.Table, stretch: Stretch) -> pa.Table:
        for name, label in stretch.labels:
            table = table.append_column(name, pa.repeat(pa.scalar(label), table.num_rows))
        return table.select(self._columns.names).cast(self._columns)


@dataclass(frozen=True)
class Footer:
    """What the footer of a file says: its columns, and the rows of each of its row groups."""

    columns: pa.Schema
    rows: tuple[int, ...]

    @classmethod
    def of(cls, path: Path) -> "Footer":
        """Read it, or raise a DataError."""
        try:
            with pq.ParquetFile(path) as file:
                found = file.metadata
                return cls(
                    file.schema_arrow, tuple(found.row_group(k).num_rows for k in range(found.num_row_groups))
                )
        except (OSError, pa.ArrowException):
            pass
        raise DataError(f"cannot read {path}; a Parquet file must be complete")


@dataclass(frozen=True)
class Partitions:
    """The files of every group."""

    folder: Path  # the partitioned table
    schema: Schema  # its `by` says which columns make up a group
    # rows of one stretch, if row groups are that small: what a worker reads for one task of a large group
    most: int = 2**22

    @cached_property
    def files(self) -> dict[GroupKey, list[tuple[Path, Labels]]]:
        """Files of every group with the labels of their folders; groups without files included."""
        found = {key: list[tuple[Path, Labels]]() for key in group_keys(self.schema)}
        paths = sorted(path for path in self.folder.rglob("*.parquet") if not _is_hidden(path, self.folder))
        if not paths:
            raise DataError(f"{self.folder} holds no Parquet files; name the folder of a partitioned table")
        for path in paths:
            labels = self._labels(path)
            found[self._key(path, labels)].append((path, tuple(labels.items())))
        return found

    @cached_property
    def types(self) -> pa.Schema:
        """The schema's columns, as types that hold them in all files."""
        labels = pa.schema([(name, pa.string()) for name in self.schema.by])
        return common_types(
            {path: footer.columns for path, footer in self._footers.items()}, labels, self.schema
        )

    def source(self, pool: tuple[GroupKey, ...]) -> StretchSource:
        """Return the rows of some groups."""
        stretches = (
            stretch
            for key in pool
            for path, labels in self.files[key]
            for stretch in self._stretches(path, labels)
        )
        return StretchSource(self.folder, tuple(stretches), self.types)

    def sizes(self) -> dict[GroupKey, int]:
        """Return the true number of rows of every group, from the footers of its files."""
        return {
            key: sum(sum(self._footers[path].rows) for path, _ in files) for key, files in self.files.items()
        }

    @cached_property
    def _footers(self) -> dict[Path, Footer]:
        return {path: Footer.of(path) for files in self.files.values() for path, _ in files}

    def _stretches(self, path: Path, labels: Labels) -> Iterator[Stretch]:
        first = rows = 0
        for place, more in enumerate(self._footers[path].rows):
            if rows and rows + more > self.most:
                yield Stretch(str(path), labels, first, place, rows)
                first, rows = place, 0
            rows += more
        if rows:
            yield Stretch(str(path), labels, first, len(self._footers[path].rows), rows)

    def _labels(self, path: Path) -> dict[str, str]:
        folders = (part.partition("=") for part in path.relative_to(self.folder).parts[:-1])
        return {name: unquote(label) for name, sign, label in folders if sign and name in self.schema.by}

    def _key(self, path: Path, labels: dict[str, str]) -> GroupKey:
        core = core_of(self.schema).schema
        codes = []
        for name in self.schema.by:
            if name not in labels:
                raise DataError(f"{path} is in no folder {name}=...; partition the table by {name!r}")
            categories = core.column(name).categories
            if labels[name] not in categories:
                raise DataError(f"{path} is of a group that the schema does not list among its categories")
            codes.append(categories.index(labels[name]))
        return tuple(codes)


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
