"""PanelSynthesizer: from a confidential panel and a schema to a released model.

What is protected is the whole history of a unit: under full synthesis everything about it, under partial synthesis its
confidential values in all of its periods at once (proofs/panel.md, proofs/skeleton.md).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from quantail.errors import DataError, OptionError, SchemaError
from quantail.frames import PanelData, protected_panel, release_panel
from quantail.frames.panel import panel_of
from quantail.io import Kind, Source, library_kind, read_table
from quantail.panel.borrowing import borrowing_groups, plan_borrowing, release_small
from quantail.panel.methods import panel_method_of
from quantail.panel.model import PanelGroup, PanelModel
from quantail.panel.skeleton import release_units
from quantail.panel.unit_ids import UnitIds, check_disjoint, new_key
from quantail.panel.units import PanelUnits, group_names
from quantail.privacy import Gate, Ledger, Noise, Plan, Terms
from quantail.release.confidential import Confidential
from quantail.release.facts import Facts, plan_of_fits
from quantail.release.model import check_size
from quantail.release.paying import Payer, paying_ledger
from quantail.release.progress import Progress, group_progress
from quantail.release.synthesizer import Amount, Synthesizer, described_panel
from quantail.schema import Schema

_APART = "each by itself, small ones too: borrow = false"
_UNTOUCHED = "each is read twice, to be checked and to be fitted: fit copies that nothing else writes to"


@dataclass(frozen=True, eq=False, repr=False)
class HeldPanel(Confidential):
    """A panel in memory: its histories, and the library that it came in."""

    data: PanelData
    library: Kind

    @property
    def schema(self) -> Schema:  # type: ignore[override]
        """What it was checked against."""
        return self.data.schema

    @property
    def size(self) -> int:
        """Units of the panel; protected under add/remove."""
        return len(self.data)

    @property
    def copied_rows(self) -> int:
        """Rows of a synthetic panel, at most: units if it is wide, units times periods if it is long."""
        panel = panel_of(self.schema)
        return len(self.data) * (1 if panel.layout == "wide" else len(panel.periods))

    @property
    def units(self) -> dict[int, int]:
        """Units of groups by the group's place: of those that have some, or of all if their number is protected."""
        number = np.bincount(self.data.group, minlength=len(group_names(self.schema)))
        protected = self.schema.neighbours == "add-remove"
        return {group: int(units) for group, units in enumerate(number) if units or protected}

    def empty_copy(self) -> pa.Table:
        """Return a synthetic panel without units."""
        return release_panel(self.data.take([]))


class PanelSynthesizer(Synthesizer[HeldPanel, Plan, PanelModel]):
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
        epsilon: Amount = 1,
        *,
        method: str = "pooled",
        noise: Literal["secure", "simulated"] = "secure",
        seed: int | None = None,
        **options: Any,
    ) -> None:
        panel = described_panel(schema)
        if panel is None:
            raise SchemaError("the schema has no [panel] section; add one, or use TableSynthesizer")
        self._method = panel_method_of(method)
        self._settings = self._method.settings(options)
        if panel.is_full and not self._method.full:
            raise OptionError(
                f"method {method!r} needs public entries and exits, and full synthesis makes them synthetic; use the "
                'pooled method, or write synthesis = "partial" in [panel] if they are public'
            )
        self._set_up(schema, epsilon, method, noise, seed)
        self._groups = group_names(schema)

    def plan(self, units: int | Mapping[int, int] = 1, fits: int = 1) -> Plan:
        """Return the budget plan for a panel of so many units, touching no data.

        Parameters
        ----------
        units : int or mapping
            Units of the panel, or of every group by its place among the schema's groups; a total is taken to be
            spread evenly.
        fits : int
            How many fits of the panel (`fit_many`); their costs add up.
        """
        if not isinstance(units, Mapping):
            share = max(check_size(units, "units") // len(self._groups), 1)
            units = dict.fromkeys(range(len(self._groups)), share)
        return panel_plan(self.schema, self._plans(units, self._borrowing(units)), fits)

    def fit_each(self, tables: Iterable[Any], ledger: Payer = None) -> Iterator[PanelModel]:
        """Release models of a panel that comes in several tables, one at a time, within the memory of one.

        Every group of the schema, and every unit, must be in one table only; then the tables together cost what one
        costs. So all tables are gone through twice: first to check each of them and that no unit is in two, then,
        after the ledger was charged once, to fit them.

        Parameters
        ----------
        tables : iterable that can be gone through twice
            Each with all units of the groups that it holds: a list of tables, of sources (`open_source`), or of
            functions without arguments that return a table, so that only one need be in memory.
        ledger : Ledger or path, optional
            As in `fit`: charged with the whole budget when all tables were found to fit, before any value takes part
            in a question.

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
        >>> synthesizer = PanelSynthesizer(schema, 1, noise="simulated", seed=1)
        >>> [len(model.units) for model in synthesizer.fit_each(tables)]
        [90, 60]
        """
        if isinstance(tables, Iterator):
            raise OptionError(
                "these tables can be gone through only once, and all of them are checked for units in two tables "
                "before any is fitted; give a list of tables, of sources, or of functions that return a table"
            )
        return self._fit_each(tables, paying_ledger(ledger, self._source.private, stacklevel=2))

    def _fit_each(self, tables: Iterable[Any], ledger: Ledger | None) -> Iterator[PanelModel]:
        key, noise = new_key(), self._source.noise(())
        found = [self._look(table, place, key)[1] for place, table in enumerate(tables)]
        if not found:
            raise OptionError("there are no tables to fit; give at least one")
        for place, (ids, table) in enumerate(zip_longest(found, tables)):
            if ids is None or table is None:
                raise DataError(f"there are no longer as many tables as there were; {_UNTOUCHED}")
            data, again = self._look(table, place, key)
            if again.digest != ids.digest:
                raise DataError(f"{ids.name} changed after it was checked; {_UNTOUCHED}")
            if place == 0:
                terms = self.pay(found, ledger)
            model = self._release(data, self._prepare(data), terms, None, noise)
            if ledger is not None:
                ledger.confirm()
            yield model

    def _look(self, table: Any, place: int, key: bytes) -> tuple[HeldPanel, UnitIds]:
        """Read one of several tables; say who its units are."""
        frame = opened(table, self.schema)
        data, column = self.read(frame), panel_of(self.schema).unit
        return data, UnitIds.of(f"table {place + 1}", frame, column, data.units, key)

    # The steps of a fit, for engines that take them in different places.

    def pay(self, found: Sequence[UnitIds], ledger: Ledger | None = None) -> Terms:
        """Charge a ledger, if there is one, with the whole budget for tables without a common unit; return the terms.

        Raises
        ------
        DataError
            If a unit, or a group, is in two of the tables: nothing is charged.
        """
        check_disjoint(found)
        self.plan()  # what is wrong with it must show before the charge
        terms = self.terms(sum(number for ids in found for number in ids.groups.values()))
        self._charge(terms, ledger)
        return terms

    def facts(self, units: Mapping[int, int], terms: Terms) -> Facts:
        """Return the facts of a release whose groups, given by their places, were fitted in several places."""
        plan, private = panel_plan(self.schema, self._plans(units, ()), 1), self._source.private
        return Facts(self.schema, plan, terms, self.epsilon, None, private, sum(units.values()))

    def fit_paid(self, frame: Any, terms: Terms, group: Sequence[int]) -> PanelModel:
        """Release a model of a group of a panel, given by its codes, whose terms are agreed on and paid for.

        It has noise of its own, so that simulated noise is the same wherever and whenever it is fitted.
        """
        data = self.read(frame)
        return self._release(data, self._prepare(data), terms, None, self._source.noise(group))

    def _admit(self, frame: Any) -> HeldPanel:
        return held_panel(frame, self.schema)

    def _prepare(self, data: HeldPanel) -> Plan:
        return self.plan(data.units)

    def _release(
        self,
        data: HeldPanel,
        design: Plan,
        terms: Terms,
        progress: Progress | None,
        noise: Noise | None = None,
    ) -> PanelModel:
        noise, fitted = self._source.noise(()) if noise is None else noise, []
        parts, small = design.children if self.schema.by else (design,), self._borrowing(data.units)
        alone = [group for group in data.units if group not in small]
        tells = [
            group_progress(progress, done, len(parts), len(self.schema.histories), part.name)
            for done, part in enumerate(parts)
        ]
        for group, part, tell in zip(
            alone, parts, tells, strict=False
        ):  # the part of small groups is the last
            gate, real = self._gate(part, noise), data.data.of_group(group)
            made = release_units(gate, real, group)
            released = self._method.fit(self._settings, gate, real, made, tell)
            fitted.append((PanelGroup(group, released), made))
        if small:
            together = release_small(
                lambda own: self._gate(own, noise), parts[-1], data.data, small, tells[-1]
            )
            fitted += [(PanelGroup(group, released), made) for group, released, made in together]
        full, own = panel_of(self.schema).is_full, [made for _, made in fitted]
        units = PanelUnits.together(own) if full else PanelUnits.of(data.data)
        groups = tuple(sorted((group for group, _ in fitted), key=lambda group: group.group))
        return PanelModel(self.schema, design, terms, self._source.private, data.library, units, groups)

    def _gate(self, part: Plan, noise: Noise) -> Gate:
        return self._source.gate(part, noise, self.schema.neighbours, panel_of(self.schema).units_protected)

    def _borrowing(self, units: Mapping[int, int]) -> tuple[int, ...]:
        """Return the groups that borrow from each other, by their public sizes."""
        return borrowing_groups(self.schema, units, self.epsilon)

    def _plans(self, units: Mapping[int, int], small: Sequence[int]) -> list[Plan]:
        """Return the plans of groups that are fitted by themselves, then that of the small ones, if there are any."""
        plans = [
            self._method.plan(self._settings, self.schema, number, self.epsilon, self._groups[group])
            for group, number in units.items()
            if group not in small
        ]
        if small:
            together = {self._groups[group]: units[group] for group in small}
            plans.append(plan_borrowing(self.schema, together, self.epsilon))
        return plans


def panel_plan(schema: Schema, plans: Sequence[Plan], fits: int) -> Plan:
    """Return the plan of so many fits of all groups, which have no unit in common."""
    groups = Plan.parallel("groups", plans, _APART if not panel_of(schema).borrow else "")
    return plan_of_fits([groups if schema.by else plans[0]] * fits)


def held_panel(frame: Any, schema: Schema) -> HeldPanel:
    """Check a panel against its schema and bring it behind the border."""
    table = opened(frame, schema)
    data = protected_panel(table, schema)
    if not len(data) and schema.neighbours == "replace-one":
        raise DataError("the panel has no units; give a table with at least one row")
    return HeldPanel(data, library_kind(table))


def opened(table: Any, schema: Schema) -> Any:
    """Return a table that may be given as a file, as a source, or as a function that returns it."""
    if isinstance(table, str | Path):
        return read_table(table, schema)
    if isinstance(table, Source):
        return table.read()
    return table() if callable(table) else table
