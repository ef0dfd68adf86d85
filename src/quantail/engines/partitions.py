"""A folder of Parquet files, partitioned by public groups.

    table/region=north/part-0.parquet       every group has a folder of its own, nested in any order of the columns
    table/region=south/part-0.parquet       that make up a group; its name says the label, whatever the file holds

Files of a group are read in the order of their names. A group, or a part of it, is a `Source` that workers open
themselves; the driver looks at names and footers only.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from quantail.errors import DataError
from quantail.frames import Place, Source
from quantail.schema import Schema, core_of
from quantail.synthesis.table_rows import GroupKey, group_keys


@dataclass(frozen=True)
class Stretch:
    """Consecutive row groups of one file, with the labels that its folders say."""

    file: str
    labels: tuple[tuple[str, str], ...]
    first: int
    last: int
    rows: int


class StretchSource(Source):
    """Stretches of files, one after the other."""

    advice = "the folder must hold complete Parquet files with the same columns and types"

    def __init__(self, folder: Path, stretches: tuple[Stretch, ...]) -> None:
        super().__init__(Place.of(folder))
        self.stretches = stretches

    def _types(self) -> pa.Schema:
        return self._labelled(pq.read_schema(self.stretches[0].file).empty_table(), self.stretches[0]).schema

    def _rows(self) -> int:
        return sum(stretch.rows for stretch in self.stretches)

    def _chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        types = self._types()
        for stretch in self.stretches:
            with pq.ParquetFile(stretch.file, pre_buffer=False) as file:
                wanted = list(range(stretch.first, stretch.last))
                for batch in file.iter_batches(batch_rows, row_groups=wanted):
                    yield self._labelled(pa.Table.from_batches([batch]), stretch).cast(types)

    @staticmethod
    def _labelled(table: pa.Table, stretch: Stretch) -> pa.Table:
        for name, label in stretch.labels:
            if name in table.column_names:
                table = table.drop_columns([name])
            table = table.append_column(name, pa.repeat(pa.scalar(label), table.num_rows))
        return table


@dataclass(frozen=True)
class Partitions:
    """The files of every group.

    Parameters
    ----------
    folder : Path
        The partitioned table.
    schema : Schema
        Its `by` says which columns make up a group.
    most : int
        Rows of one stretch, if row groups are that small: what a worker reads for one task of a large group.
    """

    folder: Path
    schema: Schema
    most: int = 2**22

    @cached_property
    def files(self) -> dict[GroupKey, list[tuple[Path, tuple[tuple[str, str], ...]]]]:
        """Files of every group with the labels of their folders; groups without files included."""
        found = {key: list[tuple[Path, tuple[tuple[str, str], ...]]]() for key in group_keys(self.schema)}
        paths = sorted(path for path in self.folder.rglob("*.parquet") if not _is_hidden(path, self.folder))
        if not paths:
            raise DataError(f"{self.folder} holds no Parquet files; name the folder of a partitioned table")
        for path in paths:
            labels = self._labels(path)
            found[self._key(path, labels)].append((path, tuple(labels.items())))
        return found

    def source(self, pool: tuple[GroupKey, ...]) -> StretchSource | None:
        """Return the rows of some groups, or None if they have no files."""
        stretches = [
            stretch
            for key in pool
            for path, labels in self.files[key]
            for stretch in self._stretches(path, labels)
        ]
        return StretchSource(self.folder, tuple(stretches)) if stretches else None

    def sizes(self) -> dict[GroupKey, int]:
        """Return the true number of rows of every group, from the footers of its files."""
        return {key: source.rows or 0 if (source := self.source((key,))) else 0 for key in self.files}

    def empty(self) -> pa.Table:
        """Return a table without rows, of the columns that all groups have."""
        source = self.source(tuple(key for key, files in self.files.items() if files))
        assert source is not None
        return source.types.empty_table()

    def _stretches(self, path: Path, labels: tuple[tuple[str, str], ...]) -> Iterator[Stretch]:
        try:
            footer = pq.read_metadata(path)
        except (OSError, pa.ArrowException):
            footer = None
        if footer is None:
            raise DataError(f"cannot read {path}; a Parquet file must be complete")
        first = rows = 0
        for place in range(footer.num_row_groups):
            more = footer.row_group(place).num_rows
            if rows and rows + more > self.most:
                yield Stretch(str(path), labels, first, place, rows)
                first, rows = place, 0
            rows += more
        if rows or first == 0:  # a file without rows still says what its columns are
            yield Stretch(str(path), labels, first, footer.num_row_groups, rows)

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
