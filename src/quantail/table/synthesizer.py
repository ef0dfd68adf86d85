"""TableSynthesizer: from a confidential table and a schema to a released model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from quantail.curves import Rows
from quantail.errors import DataError, SchemaError
from quantail.frames import FEWEST_ROWS
from quantail.io import Kind, read_table
from quantail.privacy import Definition, Ledger, Plan, Terms, split
from quantail.release.facts import plan_of_fits
from quantail.release.model import check_size
from quantail.release.progress import Progress, group_progress
from quantail.release.synthesizer import Amount, Synthesizer, described_panel
from quantail.schema import Schema, core_of
from quantail.table.grouped_design import GroupedDesign, Pool
from quantail.table.methods import AnyColumn, method_of
from quantail.table.model import GroupModel, TableModel
from quantail.table.relations import asked_lines
from quantail.table.rows import GroupKey, TableRows, group_keys
from quantail.table.tuning import SIZES_SHARE

_SIZES_NOISE = (2**32 - 1,)  # no group has this code: the stream of simulated noise for their sizes


class TableSynthesizer(Synthesizer[TableRows, GroupedDesign | None, TableModel]):
    """Makes differentially private models of a table.

    Parameters
    ----------
    schema : Schema
        What is public about the table.
    epsilon : int, float, str or Fraction
        The whole privacy budget of one fit.
    method : {"tables", "kng", "stepwise", "sandwich"}
        How columns are modelled: by themselves, with slopes and privately chosen tables of counts, which find relations
        of any shape; or by one of the paper's orders of single quantiles.
    definition : {"pure", "zcdp"}
        Pure epsilon-DP, or zCDP that implies (epsilon, delta)-DP.
    delta : float, optional
        With "zcdp" only.
    noise : {"secure", "simulated"}
        "simulated" is seeded, has the same law, and is NOT PRIVATE: for experiments.
    seed : int, optional
        With "simulated" only.
    slopes : {"fixed", "varying"}, optional
        The paper's orders only, as all that follows: whether all quantiles share the median's slopes.
    draw : {"quantiles", "interpolate"}, optional
        Synthetic values are released quantiles picked at random, or lie between them.
    taus, main : sequence of float, optional
        Quantile levels (the paper's 49), and the main ones of a sandwich (the paper's 6).
    shares : mapping, optional
        Shares of the budget: "columns", "median", "main" (see `quantail.orders.settings` for the paper's values).

    Examples
    --------
    >>> from quantail.examples import paper_schema
    >>> TableSynthesizer(paper_schema(), epsilon=1).plan(rows=5000).cost
    Fraction(1, 1)
    """

    def __init__(
        self,
        schema: Schema,
        epsilon: Amount = 1,
        *,
        method: str = "tables",
        definition: Definition = "pure",
        delta: Amount | None = None,
        noise: Literal["secure", "simulated"] = "secure",
        seed: int | None = None,
        slopes: Literal["fixed", "varying"] | None = None,
        draw: Literal["quantiles", "interpolate"] | None = None,
        taus: Sequence[float] | None = None,
        main: Sequence[float] | None = None,
        shares: Mapping[str, Any] | None = None,
    ) -> None:
        if described_panel(schema) is not None:
            # Without the section a row would be protected, and no longer a history.
            raise SchemaError(
                "the schema describes a panel; use PanelSynthesizer, or quantail.synthesizer_for, which tells tables "
                "from panels"
            )
        self._method = method_of(method)
        options = {"slopes": slopes, "draw": draw, "taus": taus, "main": main, "shares": shares}
        self._settings = self._method.settings(options)
        if method != "tables" and any(column.heaps for column in schema.columns):
            raise SchemaError(
                f'method {method!r} knows no heaps; use method "tables", or take heaps out of the schema'
            )
        self._options = {name: _plain(value) for name, value in options.items() if value is not None}
        self._set_up(schema, epsilon, method, noise, seed, definition, delta)

    def plan(self, rows: int | Mapping[GroupKey, int], fits: int = 1) -> Plan:
        """Return the budget plan for a table of so many rows, touching no data.

        Parameters
        ----------
        rows : int or mapping
            Rows of the table; with groups, rows of each group by its category codes, or a total that is taken to
            be spread evenly.
        fits : int
            How many fits of the table (`fit_many`); their costs add up.
        """
        sizes = dict(rows) if isinstance(rows, Mapping) else self._even(rows)
        return plan_of_fits([self.design(sizes).plan] * fits)

    def relations(self, rows: int | Mapping[GroupKey, int]) -> tuple[str, ...]:
        """Say what a fit of so many rows asks about relations between columns, and which epsilon would ask for more.

        Examples
        --------
        >>> from quantail.schema import Column
        >>> schema = Schema(tuple(Column(f"x{k}", "numeric", 0, 1) for k in range(40)), unit="firm")
        >>> TableSynthesizer(schema, epsilon=1, method="tables").relations(rows=1000)[0][:47]
        'The 40 columns come out independent of each oth'
        """
        if self.method != "tables":
            return ()
        sizes = dict(rows) if isinstance(rows, Mapping) else self._even(rows)
        smallest = min(design.rows for design in self.design(sizes).designs.values())
        return asked_lines(self.schema, smallest, self._shares()[1], self.epsilon, self.delta)

    def trying_out(self, simulated_rows: int) -> Self:
        """Return a synthesizer for fits that are no release: these look at the model through fewer simulated rows.

        All that is asked, and its noise, stays as it is; a fit takes half the time.
        """
        if self.method != "tables":
            return self
        rules = replace(self._settings.rules, simulated_rows=simulated_rows)
        return self._drawing_from(self._source, replace(self._settings, rules=rules))

    # The steps of a fit, for engines that take them in different places.

    def begin(
        self, true: Mapping[GroupKey, int], terms: Terms, ledger: Ledger | None = None
    ) -> GroupedDesign:
        """Pay for a fit, and return what will be asked of groups of true sizes, or of sizes released first."""
        design = self._drawn_up(true)
        self._charge(terms, ledger)
        return design or self._counted_design(true)

    def design(self, sizes: Mapping[GroupKey, int]) -> GroupedDesign:
        """Draw up what will be asked of groups of these sizes, which are public or released."""
        return self._design_of(self.pools(sizes), sizes)

    def _design_of(self, pools: Sequence[Pool], sizes: Mapping[GroupKey, int]) -> GroupedDesign:
        counting, cost = self._shares()
        leaf = None if counting is None else self._rows_leaf(counting)
        designs = {}
        for pool in pools:
            name = self._name(pool[0]) + (f" and {len(pool) - 1} small groups" if len(pool) > 1 else "")
            rows = sum(sizes[key] for key in pool)
            designs[pool] = self._method.design(
                self._settings, self.schema, rows, cost, self.definition, name
            )
        return GroupedDesign(dict(sizes), designs, leaf, bool(self.schema.by))

    def pools(self, sizes: Mapping[GroupKey, int]) -> list[Pool]:
        """Return groups that are fitted together: those of fewer than `merge_below` rows, others by themselves.

        If the small ones together are still too few, the smallest of the others joins them. Sizes are public, or
        released, so this is a public rule.
        """
        held = [key for key in sizes if sizes[key] >= 1]
        least = self.schema.merge_below
        pool = [key for key in held if sizes[key] < least]
        others = sorted((key for key in held if sizes[key] >= least), key=lambda key: sizes[key])
        if pool and others and sum(sizes[key] for key in pool) < least:
            pool.append(others[0])
        merged = sorted(pool, key=held.index)
        return [(key,) if key not in pool else tuple(merged) for key in held if key not in merged[1:]]

    def fit_pool(
        self,
        pool: Pool,
        design: GroupedDesign,
        rows: Rows,
        tell: Callable[[str], None] = lambda name: None,
    ) -> tuple[AnyColumn, ...]:
        """Release the columns of groups that are fitted together.

        They have noise of their own, so that simulated noise is the same wherever and whenever they are fitted.
        """
        own = design.designs[pool]
        gate = self._source.gate(own.plan, self._source.noise(pool[0]), self.schema.neighbours)
        return self._method.fit(gate, own, rows, tell)

    def assemble(
        self,
        library: Kind,
        design: GroupedDesign,
        fitted: Mapping[GroupKey, tuple[AnyColumn, ...]],
        terms: Terms,
    ) -> TableModel:
        """Return the model made of released groups."""
        groups = tuple(GroupModel(key, design.sizes[key], columns) for key, columns in fitted.items())
        return TableModel(
            self.schema, design.plan, terms, self._source.private, library, groups, self._options
        )

    @property
    def counting(self) -> Fraction | None:
        """What the number of rows costs under add/remove; None where it is public."""
        return self._shares()[0]

    def _admit(self, frame: Any) -> TableRows:
        return TableRows.of(
            read_table(frame, self.schema) if isinstance(frame, str | Path) else frame, self.schema
        )

    def _prepare(self, data: TableRows) -> GroupedDesign | None:
        return self._drawn_up(data.sizes)

    def _drawn_up(self, true: Mapping[GroupKey, int]) -> GroupedDesign | None:
        """Draw up what will be asked, or None where that takes sizes which are not released yet.

        What is wrong with it must show before the charge in any case; private sizes are not known then: any will do.
        """
        if self.schema.neighbours == "add-remove":
            self.design(self._even(1))
            return None
        if sum(true.values()) < FEWEST_ROWS:
            raise DataError(
                f"the table has fewer than {FEWEST_ROWS} rows, too few for any private summary; "
                "collect more rows, or pool this table with others"
            )
        return self.design(true)

    def _release(
        self, data: TableRows, design: GroupedDesign | None, terms: Terms, progress: Progress | None
    ) -> TableModel:
        asked = design or self._counted_design(data.sizes)
        fitted = dict[GroupKey, tuple[AnyColumn, ...]]()
        columns = len(core_of(self.schema).schema.columns) - len(self.schema.by)
        for done, pool in enumerate(asked.designs):
            tell = group_progress(progress, done, len(asked.designs), columns)
            fitted |= dict.fromkeys(pool, self.fit_pool(pool, asked, data.rows(pool), tell))
        return self.assemble(data.library, asked, fitted, terms)

    def _shares(self) -> tuple[Fraction | None, Fraction]:
        """Return the budget for counting rows (add/remove only) and the rest."""
        if self.schema.neighbours == "replace-one":
            return None, self.cost
        counted, rest = split(self.cost, [SIZES_SHARE, 1 - SIZES_SHARE])
        return counted, rest

    def _rows_leaf(self, cost: Fraction) -> Plan:
        note = "number of rows" + (" of every group" if self.schema.by else "")
        return Plan.leaf("rows", cost, note, self.unit)

    def _counted_design(self, true: Mapping[GroupKey, int]) -> GroupedDesign:
        """Release the sizes of all groups under add/remove, and draw up what will be asked of groups of these."""
        assert self.counting is not None
        sizes = self._released_sizes(true, self.counting)
        return self._design_of(self.pools(sizes), sizes)  # sizes that are released

    def _released_sizes(self, true: Mapping[GroupKey, int], cost: Fraction) -> dict[GroupKey, int]:
        """Return released counts of at least one."""
        leaf, counts = self._rows_leaf(cost), np.array(list(true.values()), dtype=np.int64)
        gate = self._source.gate(leaf, self._source.noise(_SIZES_NOISE), "add-remove")
        noisy = np.maximum(gate.count(leaf, counts, 1), 1)
        return dict(zip(true, noisy.tolist(), strict=True))

    def _even(self, rows: int) -> dict[GroupKey, int]:
        keys = group_keys(self.schema)
        return {key: max(check_size(rows, "rows") // len(keys), 1) for key in keys}

    def _name(self, key: GroupKey) -> str:
        if not key:
            return self.schema.name or "table"
        core = core_of(self.schema).schema
        labels = (core.column(name).categories[code] for name, code in zip(self.schema.by, key, strict=True))
        return ", ".join(labels)


def plan(
    schema: Schema,
    rows: int | Mapping[GroupKey, int],
    epsilon: Amount = 1,
    **options: Any,
) -> Plan:
    """Return the budget plan of a fit, touching no data.

    Parameters
    ----------
    rows : int or mapping
        As in `TableSynthesizer.plan`.
    **options
        Options of `TableSynthesizer`, such as `definition` and `delta`.

    Examples
    --------
    >>> from quantail.examples import paper_schema
    >>> plan(paper_schema(), rows=5000, epsilon="1/4").cost
    Fraction(1, 4)
    """
    return TableSynthesizer(schema, epsilon, **options).plan(rows)


def _plain(option: Any) -> Any:
    """Return an option as JSON can hold it; fractions as text, which is read back exactly."""
    if isinstance(option, Mapping):
        return {name: _plain(part) for name, part in option.items()}
    if isinstance(option, str) or not isinstance(option, Sequence):
        return str(option) if isinstance(option, Fraction) else option
    return [_plain(part) for part in option]
