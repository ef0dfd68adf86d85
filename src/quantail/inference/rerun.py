"""One rerun of the mechanism: a table simulated from the released model goes through everything again.

The released model is a simulator whose truth is known. What the mechanism does to a table drawn from it (dither, noise,
choices of predictors, shrinkage, synthesis) it did to the confidential one: the distance between a rerun's estimate and
the simulator's own shows how far the released estimate may lie from the population's. Nothing confidential takes part,
so reruns may use seeded noise. Tails are other ones in every rerun (`tail_doubt`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import narwhals as nw
import numpy as np

from quantail.arrays import Columns, Floats
from quantail.errors import DataError
from quantail.evaluation.reading import raw_columns, require_columns
from quantail.inference.estimand import Estimand, Figure
from quantail.inference.interval import shifted
from quantail.inference.relation_doubt import CHANGES, Bent, doubted_relation
from quantail.inference.repeating import synthesizer_of
from quantail.inference.resampling import resampled_units
from quantail.inference.statistic import Statistic
from quantail.inference.subset import WHERE, Subset
from quantail.inference.tail_doubt import SPREAD, Tail, doubted_tails, stretch_columns, stretch_table
from quantail.inference.unit_periods import unit_periods
from quantail.release.threads import one_thread
from quantail.schema import Schema
from quantail.table import TableModel
from quantail.table_or_panel import AnyModel

Draw = Literal["balanced", "independent"]

LARGE = 2**17  # rows of the table that stands for the model itself
PANELS = 10  # panels that stand for the model itself, each of all units


@dataclass(frozen=True, eq=False)
class Reference:
    """What the model says, from a table so large that its own sampling error does not matter; with any tails."""

    tails: tuple[Tail, ...]
    estimands: tuple[Estimand, ...]
    table: Columns
    said: Floats

    def powers(self, seed: int) -> list[float]:
        """Draw how far tails are stretched."""
        logs = np.random.default_rng(seed).normal(0.0, SPREAD, len(self.tails))
        return [float(power) for power in np.exp(logs)]

    def moved_back(self, estimates: Floats, powers: Sequence[float], bent: Bent | None = None) -> Floats:
        """Return estimates of a rerun by their distance from what the model with these tails and relations says."""
        names = {tail.column.name for tail in self.tails}
        moved, start = estimates.copy(), 0
        table = stretch_columns(self.table, self.tails, powers)
        if bent is not None:
            names.add(bent.relation.response.name)
            table = bent.columns(table)
        for estimand in self.estimands:
            part = slice(start, start + len(estimand.terms))
            start = part.stop
            if names & set(estimand.columns(table)):
                moved[part] = shifted(
                    estimand.link, estimates[part], _tried(estimand, table), self.said[part]
                )
        return moved


@dataclass(frozen=True)
class Rerun:
    """All that a rerun needs, so that other processes can do it."""

    model: AnyModel
    estimands: tuple[Estimand, ...]
    # rows, tables: of the analyst's synthetic tables: how many rows each has, and how many there are
    rows: int
    tables: int = 1
    draw: Draw = "balanced"  # how they were drawn
    public: Any = None  # their public columns, which every simulated table keeps
    where: Subset | None = None  # the rows that are asked about
    reference: Reference | None = None  # what the model of a table says, with any tails and relations
    bent: Bent | None = None  # a relation that is another one (`relation_doubt`)

    def __call__(self, seed: int) -> Floats:
        """Return the estimates of one rerun, NaN where it gives none, as they were with the model's own tails."""
        with one_thread():
            return self._estimated(seed)

    def _estimated(self, seed: int) -> Floats:
        drawing, noise, synthesis, doubt = np.random.SeedSequence(seed).generate_state(4, np.uint64).tolist()
        table = self._drawn(self.model, drawing, "independent")
        if self.reference is None:
            return self._released_again(table, drawing, noise, synthesis)
        powers = self.reference.powers(doubt)
        if self.reference.tails or self.bent is not None:
            table = nw.from_native(table, eager_only=True).to_arrow()
            table = stretch_table(table, self.reference.tails, powers)
        if self.bent is not None:
            table = self.bent.table(table, self.model.schema)
        again = self._released_again(table, drawing, noise, synthesis)
        return self.reference.moved_back(again, powers, self.bent)

    def doubtful(self) -> list[Rerun]:
        """Return the reruns that start from other relations, for every question that rests on one; those alone."""
        if self.reference is None:
            return []
        kept = frozenset(self.where.columns) if self.where else frozenset()
        found = []
        for estimand in self.estimands:
            relation = doubted_relation(self.model.schema, estimand, self.reference.table, kept)
            if relation is not None:
                found += [replace(self, bent=Bent(estimand.text, relation, change)) for change in CHANGES]
        return found

    def _released_again(self, table: Any, drawing: int, noise: int, synthesis: int) -> Floats:
        """Return the estimates after the whole mechanism was run on a table."""
        if self.model.schema.panel is not None and self.model.schema.panel.is_full:
            table = resampled_units(table, self.model.schema, np.random.default_rng(drawing))
        again = synthesizer_of(self.model, noise).fit(table, progress=False)
        seeds = np.random.SeedSequence(synthesis).generate_state(self.tables, np.uint64).tolist()
        tables = [self._drawn(again, part, self.draw, self.rows) for part in seeds]
        return np.asarray(np.mean([self._estimates(table) for table in tables], axis=0))

    def with_reference(self, seed: int) -> tuple[Floats, Rerun]:
        """Return what the model itself says, and the rerun that knows it."""
        if not isinstance(self.model, TableModel):
            return self.truth(seed), self
        large = self._drawn(self.model, seed, "balanced", max(LARGE, self.model.rows))
        table = analysed(large, self.model.schema, self.estimands, self.where)
        said = estimates_on(table, self.estimands)
        kept = frozenset(self.where.columns) if self.where else frozenset()
        tails = doubted_tails(self.model.schema, self.estimands, table, kept)
        return said, replace(self, reference=Reference(tails, self.estimands, table, said))

    def truth(self, seed: int) -> Floats:
        """Return what the model of a panel says: it has the units that it has, and is drawn several times."""
        seeds = np.random.SeedSequence(seed).generate_state(PANELS, np.uint64).tolist()
        return np.asarray(
            np.mean([self._estimates(self._drawn(self.model, one, "balanced")) for one in seeds], axis=0)
        )

    def _drawn(self, model: AnyModel, seed: int, draw: Draw, rows: int | None = None) -> Any:
        if not isinstance(model, TableModel):
            return model.sample(seed=seed)
        if self.public is None:
            return model.sample(rows, seed=seed, draw=draw)
        wanted = self.public.num_rows if rows is None else rows
        times = -(-wanted // self.public.num_rows)
        return model.sample(seed=seed, draw=draw, given=_repeated(self.public, times))

    def _estimates(self, frame: Any) -> Floats:
        return estimates_on(analysed(frame, self.model.schema, self.estimands, self.where), self.estimands)


def analysed(
    frame: Any, schema: Schema, estimands: Sequence[Estimand], where: Subset | None = None
) -> Columns:
    """Return the columns that are needed; numbers that the schema declares to mean a missing value are missing.

    Of a panel, rows are units in periods (`unit_periods`); which rows are asked about says `WHERE`.
    """
    shares = {
        estimand.what.column: estimand.what.condition
        for estimand in estimands
        if isinstance(estimand.what, Figure) and estimand.what.condition is not None
    }
    if schema.panel is not None:
        rows = unit_periods(frame, schema)
        counts = {name: counted.unit_periods(rows).astype(np.float64) for name, counted in shares.items()}
        rows = {**rows, **counts}
        return rows if where is None else {**rows, WHERE: where.unit_periods(rows)}
    functions = any(
        isinstance(estimand.what, Statistic) for estimand in estimands
    )  # which look at all columns
    named = [] if functions else [name for estimand in estimands for name in estimand.columns({})]
    table = raw_columns(frame, "synthetic", schema, named)
    needed = {name for estimand in estimands for name in estimand.columns(table) if name in table}
    columns = {name: values for name, values in table.items() if name in needed}
    columns |= {name: counted.rows(frame).astype(np.float64) for name, counted in shares.items()}
    return columns if where is None else columns | {WHERE: where.rows(frame)}


def public_part(frame: Any, schema: Schema) -> Any:
    """Return the public columns of a table as a pyarrow table, or None if there are none."""
    names = [column.name for column in schema.columns if column.public]
    if not names or schema.panel is not None:  # a model of a panel holds them itself
        return None
    wanted = [name for name in schema.synthesis_order if name in names or name in schema.by]
    require_columns(raw_columns(frame, "synthetic"), wanted, "synthetic")
    return nw.from_native(frame, eager_only=True).select(wanted).to_arrow()


def _repeated(table: Any, times: int) -> Any:
    import pyarrow as pa

    return table if times == 1 else pa.concat_tables([table] * times)


def estimates_on(table: Columns, estimands: Sequence[Estimand]) -> Floats:
    """Return all estimates on one table, NaN where it gives none."""
    return np.concatenate([_tried(estimand, table) for estimand in estimands])


def _tried(estimand: Estimand, table: Columns) -> Floats:
    """Return the estimates of one table; a table on which it is not defined is counted, not left out silently."""
    try:
        return estimand.estimates(table)
    except DataError:
        return np.full(len(estimand.terms), np.nan)
