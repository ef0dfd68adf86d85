"""PanelSynthesizer: from a confidential panel and a schema to a released model.

What is protected is the whole history of a unit: neighbouring panels have the same units with the same public
columns, and one unit's confidential values differ in all of its periods at once (proofs/panel.md).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product, zip_longest
from typing import Any, Literal

import numpy as np

from quantail.errors import DataError, OptionError, SchemaError
from quantail.frames import PanelData, confidential_panel
from quantail.frames.panel import panel_of
from quantail.io import Kind, Source, library_kind
from quantail.panel.methods import panel_method_of
from quantail.panel.model import PanelGroup, PanelModel
from quantail.panel.unit_ids import UnitIds, check_disjoint, new_key
from quantail.panel.units import PanelUnits
from quantail.privacy import (
    Ledger,
    Noise,
    Plan,
    Terms,
    as_decimal,
    check_seed,
    parse_epsilon,
    source_of,
    stated_options,
)
from quantail.schema import Schema
from quantail.table.ladder.drawing import Drawing

Progress = Callable[[str, float], None]
_UNTOUCHED = "each is read twice, to be checked and to be fitted: fit copies that nothing else writes to"


class PanelSynthesizer(Drawing):
    """Makes differentially private models of a panel.

    Parameters
    ----------
    schema : Schema
        What is public about the panel; it has a [panel] section. The first confidential column leads
        (employment), later ones follow it (pay).
    epsilon : int, float, str or Fraction
        The whole privacy budget of one fit, for each group of units.
    method : str
        "pooled", or another key of `PANEL_METHODS`.
    noise : {"secure", "simulated"}
        "simulated" is seeded, has the same law, and is NOT PRIVATE: for experiments.
    seed : int, optional
        With "simulated" only.
    **options
        Options of the method; the pooled method has none.

    Examples
    --------
    >>> from quantail.schema import Column, Panel
    >>> panel = Panel("id", "first", "last", 2000, 2010)
    >>> schema = Schema((Column("emp", "integer", 0, 2000),), "establishment", panel=panel)
    >>> PanelSynthesizer(schema, epsilon=1).plan(units=5000).cost
    Fraction(1, 1)
    """

    def __init__(
        self,
        schema: Schema,
        epsilon: int | float | str | Fraction = 1,
        *,
        method: str = "pooled",
        noise: Literal["secure", "simulated"] = "secure",
        seed: int | None = None,
        **options: Any,
    ) -> None:
        if schema.panel is None:
            raise SchemaError("the schema has no [panel] section; add one, or use TableSynthesizer")
        self._method = panel_method_of(method)
        self._settings = self._method.settings(options)
        if noise not in ("secure", "simulated"):
            raise OptionError("noise must be 'secure' or 'simulated'")
        if noise == "secure" and seed is not None:
            raise OptionError("secure noise cannot be seeded; use noise='simulated' for experiments")
        check_seed(seed)
        self.schema, self.epsilon, self.method = schema, parse_epsilon(epsilon), method
        self.noise, self.seed = noise, seed
        self._source = source_of(noise, seed)
        self._labels = list(product(*(schema.column(name).categories for name in schema.by)))

    def plan(self, units: int | Mapping[int, int] = 1) -> Plan:
        """Return the budget plan for a panel of so many units, touching no data.

        Parameters
        ----------
        units : int or mapping
            Units of the panel, or of every group by its place among the schema's groups; a total is taken to be
            spread evenly.
        """
        if not isinstance(units, Mapping):
            if not isinstance(units, int) or isinstance(units, bool) or units < 1:
                raise OptionError("units must be a whole number of at least 1")
            units = {group: max(units // len(self._labels), 1) for group in range(len(self._labels))}
        plans = [self._plan(group, number) for group, number in units.items()]
        return Plan.parallel("groups", plans) if self.schema.by else plans[0]

    def terms(self, units: int) -> Terms:
        """Return the terms of a fit of so many units, touching no data; their hash stands on everything released.

        Parameters
        ----------
        units : int
            Units of the whole panel, in all of its groups and tables.
        """
        options = stated_options(self._settings)
        schema, epsilon = self.schema.to_toml(), str(self.epsilon)
        return Terms(schema, units, epsilon, "", "pure", self.method, options)

    def fit(self, frame: Any, ledger: Ledger | None = None, progress: Progress | None = None) -> PanelModel:
        """Release a model of a confidential panel.

        Parameters
        ----------
        frame : pandas, polars or pyarrow table
            Wide or long, as the schema says.
        ledger : Ledger, optional
            Charged with the whole budget before any value takes part in a question.
        progress : callable, optional
            Called with a label and the share of work done.

        Raises
        ------
        LostChargeError
            When the charge is no longer in the ledger at the end; there is no model then.
        """
        data, library = self._read(frame)
        plan, terms = self._plan_of(data), self.terms(len(data))
        self._charge(terms, ledger)
        model = self._release(data, library, plan, terms, self._source.noise(()), progress)
        if ledger is not None:
            ledger.confirm()
        return model

    def fit_each(self, tables: Iterable[Any], ledger: Ledger | None = None) -> Iterator[PanelModel]:
        """Release models of a panel that comes in several tables, one at a time, within the memory of one.

        Every group of the schema, and every unit, must be in one table only; then the tables together cost what one
        costs. So all tables are gone through twice: first to check each of them and that no unit is in two, then,
        after the ledger was charged once, to fit them.

        Parameters
        ----------
        tables : iterable that can be gone through twice
            Each with all units of the groups that it holds: a list of tables, of sources (`open_source`), or of
            functions without arguments that return a table, so that only one need be in memory.
        ledger : Ledger, optional
            Charged with the whole budget when all tables were found to fit, before any value takes part in a
            question.

        Raises
        ------
        OptionError
            If the tables can be gone through only once, as those of a generator.
        DataError
            If a table does not fit the schema, a group or a unit is in two tables, or a table changed in between.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from quantail.examples import industry_example
        >>> from quantail.schema import Column, Panel
        >>> trades = Column("trade", "category", categories=("shops", "crafts"))
        >>> panel = Panel("site", "opened", "closed", 2001, 2015)
        >>> schema = Schema((trades, Column("staff", "integer", 0, 5000)), "workplace", panel=panel, by=("trade",))
        >>> table = industry_example(150).append_column("trade", pa.array(["shops"] * 90 + ["crafts"] * 60))
        >>> tables = [lambda: table.slice(0, 90), lambda: table.slice(90)]
        >>> maker = PanelSynthesizer(schema, 1, noise="simulated", seed=1)
        >>> [len(model.units) for model in maker.fit_each(tables)]
        [90, 60]
        """
        if isinstance(tables, Iterator):
            raise OptionError(
                "these tables can be gone through only once, and all of them are checked for units in two tables "
                "before any is fitted; give a list of tables, of sources, or of functions that return a table"
            )
        return self._fit_each(tables, ledger)

    def _fit_each(self, tables: Iterable[Any], ledger: Ledger | None) -> Iterator[PanelModel]:
        key, noise = new_key(), self._source.noise(())
        found = [self._look(table, place, key)[-1] for place, table in enumerate(tables)]
        if not found:
            raise OptionError("there are no tables to fit; give at least one")
        for place, (ids, table) in enumerate(zip_longest(found, tables)):
            if ids is None or table is None:
                raise DataError(f"there are no longer as many tables as there were; {_UNTOUCHED}")
            data, library, again = self._look(table, place, key)
            if again.digest != ids.digest:
                raise DataError(f"{ids.name} changed after it was checked; {_UNTOUCHED}")
            if place == 0:
                terms = self.pay(found, ledger)
            model = self._release(data, library, self._plan_of(data), terms, noise, None)
            if ledger is not None:
                ledger.confirm()
            yield model

    def _look(self, table: Any, place: int, key: bytes) -> tuple[PanelData, Kind, UnitIds]:
        """Read one of several tables; say who its units are."""
        frame = _opened(table)
        data, library = self._read(frame)
        column = panel_of(self.schema).unit
        return data, library, UnitIds.of(f"table {place + 1}", frame, column, _units_of(data), key)

    # The steps of a fit, for engines that take them in different places.

    def pay(self, found: Sequence[UnitIds], ledger: Ledger | None = None) -> Terms:
        """Charge a ledger, if there is one, with the whole budget for tables without a common unit; return the terms.

        Raises
        ------
        DataError
            If a unit, or a group, is in two of the tables: nothing is charged.
        """
        check_disjoint(found)
        terms = self.terms(sum(number for ids in found for number in ids.groups.values()))
        self._charge(terms, ledger)
        return terms

    def fit_paid(self, frame: Any, terms: Terms, group: Sequence[int]) -> PanelModel:
        """Release a model of a group of a panel, given by its codes, whose terms are agreed on and paid for.

        It has noise of its own, so that simulated noise is the same wherever and whenever it is fitted.
        """
        data, library = self._read(frame)
        return self._release(data, library, self._plan_of(data), terms, self._source.noise(group), None)

    def _charge(self, terms: Terms, ledger: Ledger | None) -> None:
        self.plan()  # what is wrong with it must show before the charge
        if ledger is not None:
            purpose = f"fit {self.schema.name} ({self.method})"
            ledger.charge(self.epsilon, purpose, terms.hash(), dataset=self.schema.name, unit="epsilon")

    def _read(self, frame: Any) -> tuple[PanelData, Kind]:
        data = confidential_panel(frame, self.schema)
        if not len(data):
            raise DataError("the panel has no units; give a table with at least one row")
        return data, library_kind(frame)

    def _plan_of(self, data: PanelData) -> Plan:
        return self.plan(_units_of(data))

    def _release(
        self,
        data: PanelData,
        library: Kind,
        plan: Plan,
        terms: Terms,
        noise: Noise,
        progress: Progress | None,
    ) -> PanelModel:
        """Release the model of a panel that is paid for."""
        present, groups = np.unique(data.group).tolist(), []
        for done, (group, part) in enumerate(
            zip(present, plan.children if self.schema.by else (plan,), strict=True)
        ):
            gate = self._source.gate(part, noise, "replace-one")
            tell = _telling(progress, part.name, done, len(present), len(self.schema.confidential))
            released = self._method.fit(self._settings, gate, data.of_group(group), tell)
            groups.append(PanelGroup(group, released))
        return PanelModel(
            self.schema,
            plan,
            as_decimal(self.epsilon),
            self.method,
            self._source.private,
            library,
            PanelUnits.of(data),
            tuple(groups),
            terms,
        )

    def _plan(self, group: int, units: int) -> Plan:
        name = ", ".join(self._labels[group]) or self.schema.name or "panel"
        return self._method.plan(self._settings, self.schema, units, self.epsilon, name)


def _units_of(data: PanelData) -> dict[int, int]:
    """Count the units of every group that has some; their number is public."""
    groups, units = np.unique(data.group, return_counts=True)
    return dict(zip(groups.tolist(), units.tolist(), strict=True))


def _opened(table: Any) -> Any:
    """Return a table that may be given as a source, or as a function that returns it."""
    if isinstance(table, Source):
        return table.read()
    return table() if callable(table) else table


def _telling(
    progress: Progress | None, group: str, done: int, groups: int, columns: int
) -> Callable[[str], None]:
    """Return a function that reports a column as a share of all the work."""
    state = {"columns": 0}

    def tell(name: str) -> None:
        if progress is not None:
            progress(f"{group}: {name}", (done + state["columns"] / columns) / groups)
        state["columns"] += 1

    return tell
