"""Parquet files, folders of them, and Arrow (Feather) files: they describe themselves and keep every type."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet

from quantail.io.source import Source


class ParquetSource(Source):
    """A Parquet file, read by row groups."""

    advice = "a Parquet file must be complete"

    def _types(self) -> pa.Schema:
        with self.place.file.open("rb") as file:
            return named(pa.parquet.read_schema(file))

    def _rows(self) -> int | None:
        with self.place.file.open("rb") as file:
            return cast(int, pa.parquet.read_metadata(file).num_rows)

    def _chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        types = self._types()
        with self.place.file.open("rb") as file:
            # Otherwise Arrow reads ahead to the end of the file, however large.
            for batch in pa.parquet.ParquetFile(file, pre_buffer=False).iter_batches(batch_rows):
                yield pa.Table.from_batches([batch]).cast(types)

    def _read(self) -> pa.Table:
        with self.place.file.open("rb") as file:
            table = pa.parquet.ParquetFile(file).read()
        named(table.schema)
        return table


class FolderSource(Source):
    """A folder of Parquet files with the same columns; folders named key=value inside it add the column key."""

    advice = "the folder must hold complete Parquet files with the same columns and types"

    def _dataset(self) -> Any:
        from pyarrow import dataset

        frugal = dataset.ParquetFragmentScanOptions(pre_buffer=False)
        kind = dataset.ParquetFileFormat(default_fragment_scan_options=frugal)
        found = dataset.dataset(self.place.path, format=kind, partitioning="hive")
        if not found.files:
            raise ValueError("no files")
        return found

    def _types(self) -> pa.Schema:
        return named(self._dataset().schema)

    def _rows(self) -> int | None:
        return cast(int, self._dataset().count_rows())

    def _chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        dataset = self._dataset()
        options = {"use_threads": False, "batch_readahead": 0, "fragment_readahead": 0}
        for batch in dataset.to_batches(batch_size=batch_rows, **options):
            yield pa.Table.from_batches([batch]).cast(dataset.schema)


class ArrowSource(Source):
    """An Arrow file: the IPC file format (which Feather is) or the stream format."""

    advice = "an Arrow file must be complete"

    def _reader(self, file: Any) -> Any:
        try:
            return pa.ipc.open_file(file)
        except pa.ArrowInvalid:
            file.seek(0)
            return pa.ipc.open_stream(file)

    def _types(self) -> pa.Schema:
        with pa.memory_map(str(self.place.path)) as file:
            return named(self._reader(file).schema)

    def _chunks(self, batch_rows: int) -> Iterator[pa.Table]:
        with pa.memory_map(str(self.place.path)) as file:
            reader = self._reader(file)
            count = getattr(reader, "num_record_batches", None)
            batches = reader if count is None else (reader.get_batch(k) for k in range(count))
            for batch in batches:
                batch.validate(full=True)
                yield pa.Table.from_batches([batch])


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a table as a Parquet file."""
    pa.parquet.write_table(table, path)


def write_arrow(table: pa.Table, path: Path) -> None:
    """Write a table as a Feather file, which is an Arrow file."""
    from pyarrow import feather

    feather.write_feather(table, str(path), compression="lz4")


def named(types: pa.Schema) -> pa.Schema:
    """Raise a ValueError, where it is caught, if names are not UTF-8; Arrow looks at them only when asked."""
    types.names  # noqa: B018
    return types
