"""A fitted table: released columns, group by group, with the public facts that belong to them.

Everything in it is released: it can be published, and any number of tables can be drawn from it free of charge.
Saved as readable JSON; floats survive the round trip bit for bit.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.arrays import Integers
from quantail.errors import ModelError, OptionError
from quantail.frames import release_table
from quantail.io import Kind
from quantail.release.facts import Facts
from quantail.release.fields import check_fields
from quantail.release.memory import keep_freed_memory
from quantail.release.model import ReleasedModel, check_numbers, drawing_generator
from quantail.release.watching import watched
from quantail.schema import core_of
from quantail.table.columns import LabelColumn, NumberColumn
from quantail.table.conditional import BLOCK, RowCondition, kept_completions, kept_rows
from quantail.table.given import Given, group_rows, on_scales, read_given
from quantail.table.methods import METHODS, REPLACED, AnyColumn
from quantail.table.model_checks import check_group, check_rows
from quantail.table.relations import Relations, asked_lines, relations_of
from quantail.table.stage_one.column import CategoryModel

MOST_ROWS = 10**8  # drawn without being asked for: a number in a file must not fill the memory
MOST_ASKED = 10**9  # at once


@dataclass(frozen=True)
class GroupModel:
    """The released columns of one group of rows."""

    # the group's category codes, in the order of the schema's `by`; empty if the table has no groups
    codes: tuple[int, ...]
    rows: int  # public (or released) number of rows
    columns: tuple[AnyColumn, ...]


@dataclass(frozen=True, repr=False)
class TableModel(ReleasedModel):
    """A released model of a table.

    Attributes
    ----------
    groups : tuple of GroupModel
        The released columns, group by group.
    options : dict
        Options of the method that were given to the synthesizer, so that the mechanism can be run again.

    Examples
    --------
    >>> from quantail.examples import paper_schema, paper_split
    >>> from quantail.table import TableSynthesizer
    >>> import pyarrow as pa
    >>> train, _ = paper_split(1)
    >>> model = TableSynthesizer(paper_schema(), 1, noise="simulated", seed=1).fit(pa.table(train))
    >>> model.sample(3).num_rows
    3
    """

    groups: tuple[GroupModel, ...]
    options: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def size(self) -> int:
        """Rows of the original table (public, or released under add/remove)."""
        return sum(group.rows for group in self.groups)

    @property
    def rows(self) -> int:
        """Rows of a synthetic table, unless another number is asked for: as many as the original has."""
        return self.size

    def sample(
        self,
        rows: int | None = None,
        replicates: int = 1,
        seed: int | None = None,
        draw: Literal["balanced", "independent"] = "balanced",
        given: Any = None,
        where: str | None = None,
    ) -> Any:
        """Draw synthetic tables; free of charge, because the model is already released.

        Parameters
        ----------
        rows : int, optional
            Rows of each table; as many as the original by default.
        replicates : int
            Number of tables; a list is returned if it is above 1.
        seed : int, optional
            For the same rows again; by default they are different each time.
        draw : {"balanced", "independent"}
            "balanced" rows follow the model with far less sampling error than "independent" ones (a scrambled
            Sobol sequence instead of independent uniforms); combining rules for replicates need the latter.
        given : frame, optional
            Rows with the first columns in synthesis order (public ones, or a scenario): their values are kept, and
            the other columns are drawn in the light of them. Models with public columns need them. The order of
            given rows is not kept: the result is sorted by their values.
        where : str, optional
            Only rows in which this holds, such as "employees > 50 and sector in [mill, mine]", exactly as the model has
            them. With `rows` so many of them; without, those of a table as large as the original; of given rows, each
            is completed so that it holds.

        Returns
        -------
        frame or list of frames
            Of the library that was fitted, with the columns, order and types that the schema says.
        """
        check_numbers(rows=rows, replicates=replicates)
        _check_draw(draw)
        if rows is None and given is None and self.rows > MOST_ROWS:
            raise ModelError(
                f"the model describes more than {MOST_ROWS} rows; say how many to draw, or use chunks"
            )
        if rows is not None and rows > MOST_ASKED:
            raise OptionError(f"a table of more than {MOST_ASKED} rows is not drawn at once; use chunks")
        rng = drawing_generator(seed)
        kept = self._given(given, rows)
        condition = None if where is None else RowCondition.of(where, self.schema)
        tables = [
            self._frame(rows, rng, draw == "balanced", condition)
            if kept is None
            else self._completed(kept, rng, draw == "balanced", condition)
            for _ in range(replicates)
        ]
        return tables[0] if replicates == 1 else tables

    def chunks(
        self,
        rows: int | None = None,
        seed: int | None = None,
        draw: Literal["balanced", "independent"] = "balanced",
    ) -> Iterator[Any]:
        """Draw one synthetic table in frames of at most `BLOCK` rows, of any number of rows in all.

        Parameters are those of `sample`; with the same seed the frames hold the rows that it would return.
        """
        check_numbers(rows=rows)
        _check_draw(draw)
        self._given(None, rows)
        rng = drawing_generator(seed)
        yield from self._released(
            self._blocks(self.rows if rows is None else rows, rng, draw == "balanced"), self.library
        )

    def _given(self, frame: Any, rows: int | None) -> Given | None:
        public = [column.name for column in self.schema.columns if column.public]
        if frame is None:
            if public:
                raise OptionError(
                    f"the public columns {', '.join(map(repr, public))} are kept, not drawn; "
                    "pass rows that hold them: sample(given=frame)"
                )
            return None
        if rows is not None:
            raise OptionError("given rows say how many rows to draw; leave out rows")
        if not METHODS[self.method].streams:
            raise OptionError(f"method {self.method!r} cannot complete given rows; fit with method 'tables'")
        return read_given(frame, self.schema)

    def _completed(
        self, given: Given, rng: np.random.Generator, balanced: bool, condition: RowCondition | None
    ) -> Any:
        """Draw the columns that are not given, row by row of those that are."""

        def complete(places: Integers) -> dict[str, NDArray[Any]]:
            some = {name: values[places] for name, values in given.parts.items()}
            return self._complete(some, rng, balanced)

        size = next(iter(given.parts.values())).size
        if condition is None:
            columns = complete(np.arange(size))
        else:
            with watched(None, "sample") as tell:
                columns = kept_completions(condition, complete, size, tell)
        return release_table(columns, self.schema, self.library, given.values)

    def _complete(
        self, given: Mapping[str, NDArray[Any]], rng: np.random.Generator, balanced: bool
    ) -> dict[str, NDArray[Any]]:
        members = group_rows(given, self.schema, [group.codes for group in self.groups])
        parts = []
        for group, rows in zip(self.groups, members, strict=True):
            if rows.size:
                own = {name: values[rows] for name, values in given.items()}
                drawn = self._draw(group, rows.size, rng, balanced, own)
                parts.append(drawn | {name: _kept(values, drawn[name]) for name, values in own.items()})
        order = np.argsort(np.concatenate([rows for rows in members if rows.size]), kind="stable")
        return {name: np.concatenate([part[name] for part in parts])[order] for name in parts[0]}

    def _frame(
        self, rows: int | None, rng: np.random.Generator, balanced: bool, condition: RowCondition | None
    ) -> Any:
        n = self.rows if rows is None else rows
        if condition is None and self.library == "pyarrow" and n > BLOCK:
            # Long tables are put together without a copy.
            return pa.concat_tables(self._released(self._blocks(n, rng, balanced), "pyarrow"))
        if condition is None:
            columns = self._whole(n, rng, balanced)
        elif rows is None:
            columns = self._whole(n, rng, balanced)
            held = condition.holds(columns)
            columns = {name: values[held] for name, values in columns.items()}
        else:
            with watched(None, "sample") as tell:
                draw = partial(self._whole, rng=rng, balanced=balanced)
                columns = kept_rows(condition, draw, rows, rng, tell)
        return release_table(columns, self.schema, self.library)

    def _whole(self, n: int, rng: np.random.Generator, balanced: bool) -> dict[str, NDArray[Any]]:
        """Draw the plain columns of n rows."""
        parts = list(self._blocks(n, rng, balanced))
        names = core_of(self.schema).schema.names
        return {name: np.concatenate([part.pop(name) for part in parts]) for name in names}

    def _released(self, blocks: Iterable[dict[str, NDArray[Any]]], library: Kind) -> Iterator[Any]:
        """Release a table block by block; keys count on from one to the next."""
        first = 1
        for part in blocks:
            yield release_table(part, self.schema, library, first=first)
            first += len(next(iter(part.values())))

    def _blocks(self, n: int, rng: np.random.Generator, balanced: bool) -> Iterator[dict[str, NDArray[Any]]]:
        """Draw rows group by group, a block at a time."""
        keep_freed_memory()
        sizes = np.array([group.rows for group in self.groups])
        share = np.full(sizes.size, 1 / sizes.size) if sizes.sum() == 0 else sizes / sizes.sum()
        wanted = sizes if n == sizes.sum() else rng.multinomial(n, share)
        for group, m in zip(self.groups, wanted.tolist(), strict=True):
            for start in range(0, m, BLOCK):
                yield self._draw(group, min(BLOCK, m - start), rng, balanced)

    def _draw(
        self,
        group: GroupModel,
        n: int,
        rng: np.random.Generator,
        balanced: bool,
        given: Mapping[str, NDArray[Any]] | None = None,
    ) -> dict[str, NDArray[Any]]:
        # What a damaged model makes beyond the range of numbers is refused when the table is built.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            known = on_scales(given, group.columns, rng) if given else None
            values = dict(METHODS[self.method].draw(group.columns, n, rng, balanced, known, self.schema))
            for column in group.columns:
                if not isinstance(column, CategoryModel):
                    values[column.name] = column.scale.backward(values[column.name])
        return values | {
            name: np.full(n, code) for name, code in zip(self.schema.by, group.codes, strict=True)
        }

    def facts(self) -> Facts:
        """Return the public facts of the release."""
        return replace(super().facts(), relations=self.relations())

    def relations(self) -> tuple[str, ...]:
        """Say what was asked about relations between columns, what was found, and what was lost.

        Empty for the paper's methods, whose plans name every relation.
        """
        if self.method != "tables":
            return ()
        cost = self.plan.cost if self.schema.neighbours == "replace-one" else self.plan.children[-1].cost
        fewest = min(group.rows for group in self.groups)
        asked = asked_lines(self.schema, max(fewest, 1), cost, self.epsilon, self.delta)
        return (*asked, *self._relations().lines())

    def lost_relations(self) -> frozenset[frozenset[str]]:
        """Return the pairs of columns that may be related and were not asked about; none for the paper's methods."""
        return frozenset(map(frozenset, self._relations().lost)) if self.method == "tables" else frozenset()

    def _relations(self) -> Relations:
        columns = [column for group in self.groups for column in group.columns]
        laws = [column for column in columns if isinstance(column, NumberColumn | LabelColumn)]
        return relations_of(laws, self.schema)

    def _own_form(self) -> dict[str, Any]:
        groups = [
            {"codes": list(group.codes), "rows": group.rows, "columns": [c.to_dict() for c in group.columns]}
            for group in self.groups
        ]
        options = {"options": self.options} if self.options else {}
        return {**options, "library": self.library, "groups": groups}

    @classmethod
    def _read(cls, form: Mapping[str, Any], shared: Mapping[str, Any]) -> "TableModel":
        if form["method"] == REPLACED:
            raise ModelError(
                f"the model was fitted by method {REPLACED!r}, which this version has no more; draw from it with the "
                "version that fitted it, or fit the table again"
            )
        method, options = METHODS[form["method"]], form.get("options", {})
        method.settings(options)  # refuses what the synthesizer would refuse
        groups = tuple(
            GroupModel(tuple(g["codes"]), int(g["rows"]), tuple(method.read(c) for c in g["columns"]))
            for g in form["groups"]
        )
        model = cls(**shared, groups=groups, options=options)
        check_fields(model)
        return model

    def _try_out(self) -> None:
        """Raise a ValueError unless every group can be drawn from and yields finite values of every column."""
        if not self.groups:
            raise ValueError("no groups")
        for group in self.groups:
            check_group(group.codes, group.rows, group.columns, self.schema)
            check_rows(self._draw(group, 3, np.random.default_rng(0), balanced=False), self.schema)


def _kept(given: NDArray[Any], drawn: NDArray[Any]) -> NDArray[Any]:
    """Return given values; where a number is absent, the one that stands for it where relations look at it."""
    return np.where(np.isnan(given), drawn, given) if given.dtype.kind == "f" else given


def _check_draw(draw: str) -> None:
    if draw not in ("balanced", "independent"):
        raise OptionError("draw must be 'balanced' or 'independent'")
