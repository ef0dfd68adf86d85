"""TableSynthesizer: from a confidential table and a schema to a released model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from quantail.curves import Rows
from quantail.errors import DataError, OptionError, SchemaError
from quantail.io import Kind
from quantail.privacy import (
    Definition,
    Ledger,
    Plan,
    Terms,
    as_decimal,
    check_seed,
    parse_amount,
    parse_epsilon,
    rho_from,
    source_of,
    split,
    stated_options,
)
from quantail.release.parameters import Parameters
from quantail.release.progress import Progress, telling, telling_fit
from quantail.schema import Schema, core_of
from quantail.table.ladder.drawing import Drawing
from quantail.table.methods import AnyColumn, AnyDesign, method_of
from quantail.table.model import GroupModel, TableModel
from quantail.table.rows import GroupKey, TableRows, group_keys

FEWEST_ROWS = 20
_ROWS_SHARE = 0.02  # add/remove: what the number of rows may cost
_SIZES_NOISE = (2**32 - 1,)  # no group has this code: the stream of simulated noise for their sizes


class TableSynthesizer(Parameters, Drawing):
    """Makes differentially private models of a table.

    Parameters
    ----------
    schema : Schema
        What is public about the table.
    epsilon : int, float, str or Fraction
        The whole privacy budget of one fit.
    method : {"ladder", "tables", "kng", "stepwise", "sandwich"}
        How columns are modelled: the ladder; the ladder followed by privately chosen tables of counts, which find
        relations of any shape; or one of the paper's orders of single quantiles.
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
        epsilon: int | float | str | Fraction = 1,
        *,
        method: str = "ladder",
        definition: Definition = "pure",
        delta: float | str | Fraction | None = None,
        noise: Literal["secure", "simulated"] = "secure",
        seed: int | None = None,
        slopes: Literal["fixed", "varying"] | None = None,
        draw: Literal["quantiles", "interpolate"] | None = None,
        taus: Sequence[float] | None = None,
        main: Sequence[float] | None = None,
        shares: Mapping[str, Any] | None = None,
    ) -> None:
        if schema.panel is not None:
            raise SchemaError(
                "the schema describes a panel; use PanelSynthesizer, or remove its [panel] section"
            )
        self._method = method_of(method)
        options = {"slopes": slopes, "draw": draw, "taus": taus, "main": main, "shares": shares}
        self._settings = self._method.settings(options)
        self._options = {name: _plain(value) for name, value in options.items() if value is not None}
        if definition not in ("pure", "zcdp"):
            raise OptionError("definition must be 'pure' or 'zcdp'")
        if (definition == "zcdp") != (delta is not None):
            raise OptionError("delta goes with definition='zcdp' and only with it")
        if noise not in ("secure", "simulated"):
            raise OptionError("noise must be 'secure' or 'simulated'")
        if noise == "secure" and seed is not None:
            raise OptionError("secure noise cannot be seeded; use noise='simulated' for experiments")
        check_seed(seed)
        self.schema, self.epsilon, self.method = schema, parse_epsilon(epsilon), method
        self.definition, self.noise, self.seed = definition, noise, seed
        self._source = source_of(noise, seed)
        self.delta = None if delta is None else parse_amount(delta, "delta")
        self._cost = self.epsilon if self.delta is None else rho_from(self.epsilon, self.delta)

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
        counted, _ = self._shares()
        one = self._whole(counted, [self._design(pool, sizes).plan for pool in self.pools(sizes)])
        return one if fits == 1 else plan_of_fits([one] * fits)

    def terms(self, rows: int, fits: int = 1) -> Terms:
        """Return the terms of so many fits of a table, touching no data; their hash stands on everything released.

        Parameters
        ----------
        rows : int
            Rows of the whole table; left out of the terms under add/remove, which protects them.
        fits : int
            How many fits are paid for together.
        """
        return Terms(
            self.schema.to_toml(),
            rows if self.schema.neighbours == "replace-one" else None,
            str(self.epsilon),
            "" if self.delta is None else str(self.delta),
            self.definition,
            self.method,
            stated_options(self._settings),
            fits,
        )

    def fit(self, frame: Any, ledger: Ledger | None = None, progress: Progress | None = None) -> TableModel:
        """Release a model of a confidential table.

        Parameters
        ----------
        frame : pandas, polars or pyarrow table, or Source
            One row per unit. A source (`quantail.io.open_source`) may be larger than memory: it is read again
            for every question, and gives the same model.
        ledger : Ledger, optional
            Charged with the whole budget before any value takes part in a question.
        progress : callable, optional
            Called with the column's name and the share of work done.

        Returns
        -------
        TableModel
            Also kept as `model_`, where tools such as scikit-learn's look for what was fitted.

        Raises
        ------
        LostChargeError
            When the charge is no longer in the ledger at the end; there is no model then.
        """
        table = TableRows.of(frame, self.schema)
        terms = self.terms(sum(table.sizes.values()))
        model = self._release(table, self.begin(table.sizes, terms, ledger), terms, progress)
        if ledger is not None:
            ledger.confirm()
        self.model_ = model
        return model

    def fit_many(
        self, frame: Any, fits: int, ledger: Ledger | None = None, progress: Progress | None = None
    ) -> list[TableModel]:
        """Release several models of one table, each with noise of its own. Costs `fits` times epsilon.

        Several tables from one model are free: `fit` once, then `model.sample(replicates=m)`. Fits of their own are
        for combining rules that need them (`quantail.inference.combine`), and each is paid for in full.

        Parameters
        ----------
        frame, ledger, progress
            As in `fit`; the ledger is charged once, with the cost of all fits, before any value takes part.
        fits : int
            How many models.
        """
        if not isinstance(fits, int) or isinstance(fits, bool) or fits < 1:
            raise OptionError("fits must be a whole number of at least 1")
        table = TableRows.of(frame, self.schema)
        terms = self.terms(sum(table.sizes.values()), fits)
        self._pay(table.sizes, terms, ledger)
        models = []
        for number in range(fits):
            maker = self._with_noise_of_its_own(number)
            tell = telling_fit(progress, number, fits)
            models.append(maker._release(table, maker.begin(table.sizes, terms), terms, tell))
        if ledger is not None:
            ledger.confirm()
        return models

    # The steps of a fit, for engines that take them in different places.

    def begin(
        self, true: Mapping[GroupKey, int], terms: Terms, ledger: Ledger | None = None
    ) -> dict[GroupKey, int]:
        """Pay for a fit, and return the sizes of all groups: true ones, or released ones under add/remove."""
        self._pay(true, terms, ledger)
        counted, _ = self._shares()
        return self._sizes(true, counted)

    def pools(self, sizes: Mapping[GroupKey, int]) -> list[tuple[GroupKey, ...]]:
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
        pool: tuple[GroupKey, ...],
        sizes: Mapping[GroupKey, int],
        rows: Rows,
        tell: Callable[[str], None] = lambda name: None,
    ) -> tuple[AnyColumn, ...]:
        """Release the columns of groups that are fitted together.

        They have noise of their own, so that simulated noise is the same wherever and whenever they are fitted.
        """
        design = self._design(pool, sizes)
        gate = self._source.gate(design.plan, self._source.noise(pool[0]), self.schema.neighbours)
        return self._method.fit(gate, design, rows, tell)

    def assemble(
        self,
        library: Kind,
        sizes: Mapping[GroupKey, int],
        fitted: Mapping[GroupKey, tuple[AnyColumn, ...]],
        terms: Terms,
    ) -> TableModel:
        """Return the model made of released groups."""
        held = {key: sizes[key] for key in fitted}
        counted, _ = self._shares()
        plans = [self._design(pool, sizes).plan for pool in self.pools(held)]
        return TableModel(
            self.schema,
            self._whole(counted, plans),
            as_decimal(self.epsilon),
            "" if self.delta is None else str(float(self.delta)),
            self.method,
            self._source.private,
            library,
            tuple(GroupModel(key, sizes[key], columns) for key, columns in fitted.items()),
            terms,
            options=self._options,
        )

    def _release(
        self, table: TableRows, sizes: Mapping[GroupKey, int], terms: Terms, progress: Progress | None
    ) -> TableModel:
        """Release the model of a table that is paid for."""
        pools, fitted = self.pools(sizes), dict[GroupKey, tuple[AnyColumn, ...]]()
        columns = len(core_of(self.schema).schema.columns) - len(self.schema.by)
        for done, pool in enumerate(pools):
            tell = telling(progress, done, len(pools), columns)
            fitted |= dict.fromkeys(pool, self.fit_pool(pool, sizes, table.rows(pool), tell))
        return self.assemble(table.library, sizes, fitted, terms)

    def _with_noise_of_its_own(self, number: int) -> "TableSynthesizer":
        """Return the same synthesizer; simulated noise gets another seed, secure noise is never the same anyway."""
        if self.noise == "secure" or number == 0:
            return self
        seed = int(np.random.SeedSequence([self.seed or 0, number]).generate_state(1)[0])
        return TableSynthesizer(**{**self.get_params(), "seed": seed})

    def _pay(self, true: Mapping[GroupKey, int], terms: Terms, ledger: Ledger | None) -> None:
        """Refuse a table that is too small, and charge the ledger, if there is one, with all fits at once."""
        if self.schema.neighbours == "replace-one" and sum(true.values()) < FEWEST_ROWS:
            raise DataError(
                f"the table has fewer than {FEWEST_ROWS} rows, too few for any private summary; "
                "collect more rows, or pool this table with others"
            )
        if ledger is not None:
            self._charge(ledger, {key: rows for key, rows in true.items() if rows}, terms)

    def _charge(self, ledger: Ledger, sizes: Mapping[GroupKey, int], terms: Terms) -> None:
        """Pay for fits. The plan is drawn up first in any case: what is wrong with it must show before."""
        fits, is_public = terms.fits, self.schema.neighbours == "replace-one"
        self.plan(sizes if is_public else 1, fits)  # private sizes are not known yet: any will do
        name = f"{self.schema.name} ({self.method})"
        ledger.charge(
            fits * self._cost,
            f"fit {name}" if fits == 1 else f"{fits} fits of {name}, {fits} times the cost of one",
            terms.hash(),
            dataset=self.schema.name,
            unit="epsilon" if self.delta is None else "rho",
        )

    def _shares(self) -> tuple[Fraction | None, Fraction]:
        """Return the budget for counting rows (add/remove only) and the rest."""
        if self.schema.neighbours == "replace-one":
            return None, self._cost
        counted, rest = split(self._cost, [_ROWS_SHARE, 1 - _ROWS_SHARE])
        return counted, rest

    def _design(self, pool: tuple[GroupKey, ...], sizes: Mapping[GroupKey, int]) -> AnyDesign:
        """Return the design for groups that are fitted together."""
        _, cost = self._shares()
        name = self._name(pool[0]) + (f" and {len(pool) - 1} small groups" if len(pool) > 1 else "")
        rows = sum(sizes[key] for key in pool)
        return self._method.design(self._settings, self.schema, rows, cost, self.definition, name)

    def _whole(self, counted: Fraction | None, groups: list[Plan]) -> Plan:
        body = groups[0] if not self.schema.by else Plan.parallel("groups", groups)
        if counted is None:
            return body
        return Plan.sequence("release", [self._rows_leaf(counted), body])

    def _rows_leaf(self, cost: Fraction) -> Plan:
        unit: Literal["epsilon", "rho"] = "epsilon" if self.delta is None else "rho"
        return Plan.leaf("rows", cost, "number of rows" + (" of every group" if self.schema.by else ""), unit)

    def _sizes(self, true: Mapping[GroupKey, int], counted: Fraction | None) -> dict[GroupKey, int]:
        """Return public sizes: the true ones, or under add/remove released counts of at least one."""
        if counted is None:
            return dict(true)
        leaf, counts = self._rows_leaf(counted), np.array(list(true.values()), dtype=np.int64)
        gate = self._source.gate(leaf, self._source.noise(_SIZES_NOISE), "add-remove")
        noisy = np.maximum(gate.count(leaf, counts, 1), 1)
        return dict(zip(true, noisy.tolist(), strict=True))

    def _even(self, rows: int) -> dict[GroupKey, int]:
        if not isinstance(rows, int) or isinstance(rows, bool) or rows < 1:
            raise OptionError("rows must be a whole number of at least 1")
        keys = group_keys(self.schema)
        return {key: max(rows // len(keys), 1) for key in keys}

    def _name(self, key: GroupKey) -> str:
        if not key:
            return self.schema.name or "table"
        core = core_of(self.schema).schema
        labels = (core.column(name).categories[code] for name, code in zip(self.schema.by, key, strict=True))
        return ", ".join(labels)


def plan_of_fits(plans: Sequence[Plan]) -> Plan:
    """Return the plan of several fits of one table: costs add up."""
    numbered = [replace(plan, name=f"fit {number}") for number, plan in enumerate(plans, start=1)]
    return Plan.sequence(f"{len(plans)} fits", numbered, "each with noise of its own")


def plan(
    schema: Schema,
    rows: int | Mapping[GroupKey, int],
    epsilon: int | float | str | Fraction = 1,
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
