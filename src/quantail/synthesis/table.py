"""TableSynthesizer: from a confidential table and a schema to a released model."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quantail.errors import DataError, OptionError, SchemaError
from quantail.frames import FrameShape, confidential_columns
from quantail.privacy import (
    Definition,
    Gate,
    Ledger,
    Noise,
    Plan,
    SecureNoise,
    SimulatedNoise,
    as_decimal,
    parse_amount,
    parse_epsilon,
    rho_from,
    split,
)
from quantail.quantiles import HeldRows
from quantail.schema import Schema, core_of
from quantail.synthesis.methods import AnyDesign, method_of
from quantail.synthesis.model import GroupModel, TableModel
from quantail.synthesis.parameters import Parameters

FEWEST_ROWS = 20
_ROWS_SHARE = 0.02  # add/remove: what the number of rows may cost
Progress = Callable[[str, float], None]
GroupKey = tuple[int, ...]


class TableSynthesizer(Parameters):
    """Makes differentially private models of a table.

    Parameters
    ----------
    schema : Schema
        What is public about the table.
    epsilon : int, float, str or Fraction
        The whole privacy budget of one fit.
    method : {"ladder", "kng", "stepwise", "sandwich"}
        How columns are modelled: the ladder, or one of the paper's orders of single quantiles.
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
    draw : {"rungs", "interpolate"}, optional
        Synthetic values are released quantiles picked at random, or lie between them.
    taus, main : sequence of float, optional
        Quantile levels (the paper's 49), and the main ones of a sandwich (the paper's 6).
    shares : mapping, optional
        Shares of the budget: "columns", "median", "main" (see `lines_settings` for the paper's values).

    Examples
    --------
    >>> from quantail.datasets import paper_schema
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
        draw: Literal["rungs", "interpolate"] | None = None,
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
        if definition not in ("pure", "zcdp"):
            raise OptionError("definition must be 'pure' or 'zcdp'")
        if (definition == "zcdp") != (delta is not None):
            raise OptionError("delta goes with definition='zcdp' and only with it")
        if noise not in ("secure", "simulated"):
            raise OptionError("noise must be 'secure' or 'simulated'")
        if noise == "secure" and seed is not None:
            raise OptionError("secure noise cannot be seeded; use noise='simulated' for experiments")
        self.schema, self.epsilon, self.method = schema, parse_epsilon(epsilon), method
        self.definition, self.noise, self.seed = definition, noise, seed
        self.delta = None if delta is None else parse_amount(delta, "delta")
        self._cost = self.epsilon if self.delta is None else rho_from(self.epsilon, self.delta)

    def plan(self, rows: int | Mapping[GroupKey, int]) -> Plan:
        """Return the budget plan for a table of so many rows, touching no data.

        Parameters
        ----------
        rows : int or mapping
            Rows of the table; with groups, rows of each group by its category codes, or a total that is taken to
            be spread evenly.
        """
        sizes = dict(rows) if isinstance(rows, Mapping) else self._even(rows)
        counted, rest = self._shares()
        return self._whole(counted, [self._design(pool, sizes, rest).plan for pool in self._pools(sizes)])

    def fit(self, frame: Any, ledger: Ledger | None = None, progress: Progress | None = None) -> TableModel:
        """Release a model of a confidential table.

        Parameters
        ----------
        frame : pandas, polars or pyarrow table
            One row per unit.
        ledger : Ledger, optional
            Charged with the whole budget before any value takes part in a question.
        progress : callable, optional
            Called with the column's name and the share of work done.

        Returns
        -------
        TableModel
            Also kept as `model_`, where tools such as scikit-learn's look for what was fitted.
        """
        confidential = confidential_columns(frame, self.schema)
        shape = FrameShape.of(frame, self.schema)
        members = self._members(confidential)
        counted, rest = self._shares()
        if counted is None and sum(map(len, members.values())) < FEWEST_ROWS:
            raise DataError(
                f"the table has fewer than {FEWEST_ROWS} rows, too few for any private summary; "
                "collect more rows, or pool this table with others"
            )
        if ledger is not None:
            self._charge(ledger, {key: len(rows) for key, rows in members.items() if len(rows)})
        noise = self._noise()
        sizes = self._sizes(members, counted, noise)
        models, plans = [], []
        pools = self._pools(sizes)
        for done, pool in enumerate(pools):
            design = self._design(pool, sizes, rest)
            # A group has noise of its own, so that simulated noise is the same wherever and whenever it is fitted.
            gate = Gate(design.plan, self._noise(pool[0]) if pool[0] else noise, self.schema.neighbours)
            rows = np.concatenate([members[key] for key in pool])
            table = HeldRows(
                {name: values[rows] if pool[0] else values for name, values in confidential.items()}
            )
            tell = _telling(progress, done, len(pools), len(design.columns))
            columns = self._method.fit(gate, design, table, tell)
            models += [GroupModel(key, sizes[key], columns) for key in pool]
            plans.append(design.plan)
        self.model_ = TableModel(
            self.schema,
            self._whole(counted, plans),
            as_decimal(self.epsilon),
            "" if self.delta is None else str(float(self.delta)),
            self.method,
            noise.private,
            shape,
            tuple(models),
        )
        return self.model_

    def _charge(self, ledger: Ledger, sizes: Mapping[GroupKey, int]) -> None:
        """Pay for a fit. The plan is drawn up first in any case: what is wrong with it must show before."""
        is_public = self.schema.neighbours == "replace-one"
        intended = self.plan(sizes if is_public else 1)  # private sizes are not known yet: any will do
        ledger.charge(
            self._cost,
            f"fit {self.schema.name or 'table'} ({self.method})",
            intended.hash() if is_public else "rows are private",
            dataset=self.schema.name or None,
            unit="epsilon" if self.delta is None else "rho",
        )

    def _noise(self, group: GroupKey = ()) -> Noise:
        return SecureNoise() if self.noise == "secure" else SimulatedNoise(self.seed or 0, group)

    def _shares(self) -> tuple[Fraction | None, Fraction]:
        """Return the budget for counting rows (add/remove only) and the rest."""
        if self.schema.neighbours == "replace-one":
            return None, self._cost
        counted, rest = split(self._cost, [_ROWS_SHARE, 1 - _ROWS_SHARE])
        return counted, rest

    def _design(self, pool: tuple[GroupKey, ...], sizes: Mapping[GroupKey, int], cost: Fraction) -> AnyDesign:
        """Return the design for groups that are fitted together."""
        name = self._name(pool[0]) + (f" and {len(pool) - 1} small groups" if len(pool) > 1 else "")
        rows = sum(sizes[key] for key in pool)
        return self._method.design(self._settings, self.schema, rows, cost, self.definition, name)

    def _pools(self, sizes: Mapping[GroupKey, int]) -> list[tuple[GroupKey, ...]]:
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

    def _whole(self, counted: Fraction | None, groups: list[Plan]) -> Plan:
        body = groups[0] if not self.schema.by else Plan.parallel("groups", groups)
        if counted is None:
            return body
        return Plan.sequence("release", [self._rows_leaf(counted), body])

    def _rows_leaf(self, cost: Fraction) -> Plan:
        unit: Literal["epsilon", "rho"] = "epsilon" if self.delta is None else "rho"
        return Plan.leaf("rows", cost, "number of rows" + (" of every group" if self.schema.by else ""), unit)

    def _sizes(
        self, members: Mapping[GroupKey, NDArray[np.int64]], counted: Fraction | None, noise: Noise
    ) -> dict[GroupKey, int]:
        """Return public sizes: the rows themselves, or under add/remove a released count of at least one."""
        true = np.array([len(rows) for rows in members.values()], dtype=np.int64)
        if counted is not None:
            leaf = self._rows_leaf(counted)
            true = np.maximum(Gate(leaf, noise, "add-remove").count(leaf, true, 1), 1)
        return dict(zip(members, true.tolist(), strict=True))

    def _members(self, confidential: Mapping[str, NDArray[Any]]) -> dict[GroupKey, NDArray[np.int64]]:
        """Return the rows of every public group, empty ones included."""
        rows = len(next(iter(confidential.values())))
        if not self.schema.by:
            return {(): np.arange(rows)}
        levels = [len(core_of(self.schema).schema.column(name).categories) for name in self.schema.by]
        cell = np.ravel_multi_index([confidential[name] for name in self.schema.by], levels)
        order = np.argsort(cell, kind="stable")
        ends = np.searchsorted(cell[order], np.arange(np.prod(levels) + 1))
        keys = product(*(range(level) for level in levels))
        return {key: order[ends[k] : ends[k + 1]] for k, key in enumerate(keys)}

    def _even(self, rows: int) -> dict[GroupKey, int]:
        if not isinstance(rows, int) or isinstance(rows, bool) or rows < 1:
            raise OptionError("rows must be a whole number of at least 1")
        core = core_of(self.schema).schema
        keys = list(product(*(range(len(core.column(name).categories)) for name in self.schema.by)))
        return {key: max(rows // len(keys), 1) for key in keys}

    def _name(self, key: GroupKey) -> str:
        if not key:
            return self.schema.name or "table"
        core = core_of(self.schema).schema
        labels = (core.column(name).categories[code] for name, code in zip(self.schema.by, key, strict=True))
        return ", ".join(labels)


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
    >>> from quantail.datasets import paper_schema
    >>> plan(paper_schema(), rows=5000, epsilon="1/4").cost
    Fraction(1, 4)
    """
    return TableSynthesizer(schema, epsilon, **options).plan(rows)


def _telling(progress: Progress | None, done: int, groups: int, columns: int) -> Callable[[str], None]:
    """Return a function that reports a column as a share of all the work."""
    state = {"columns": 0}

    def tell(name: str) -> None:
        if progress is not None:
            progress(name, (done + state["columns"] / columns) / groups)
        state["columns"] += 1

    return tell
