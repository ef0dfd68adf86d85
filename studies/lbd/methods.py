"""The methods of the panel study, by name and by group.

    valid       pooled (this package's own), kng, stepwise-*, sandwich-* (the paper's procedure): differentially private
    published   the paper's five by chains of the authors' kind, settings of the simulation; NOT PRIVATE
    synlbd      the same with step sizes and C_X of the authors' code for SynLBD; NOT PRIVATE
    reference   quantreg (20 levels), pistner (250 levels): year by year without privacy

Published and reference methods do not round, as the authors did not; valid ones give whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quantail.errors import OptionError
from quantail.frames import confidential_panel
from quantail.panel import PanelSynthesizer
from quantail.schema import Schema
from studies.lbd.yearly import synthesize_pistner, synthesize_yearly_quantreg
from studies.simulation.methods import FIVE

Floats = NDArray[np.float64]

_PUBLISHED, _REFERENCE = 11, 12  # streams of random numbers

LBD_GROUPS = {
    "valid": ("pooled", *FIVE),
    "published": tuple(f"{name}-published" for name in FIVE),
    "synlbd": tuple(f"{name}-synlbd" for name in FIVE),
    "reference": ("quantreg", "pistner"),
}
LBD_METHODS = tuple(name for names in LBD_GROUPS.values() for name in names)
BASELINES = ("stepwise-varying", "sandwich-varying", "stepwise-fixed", "sandwich-fixed")
"""The valid methods of the paper that the pooled one is to beat."""


@dataclass(frozen=True)
class Case:
    """A panel to be synthesised: the table, its schema, and its only confidential column as an array."""

    table: Any
    schema: Schema
    values: Floats

    @classmethod
    def of(cls, table: Any, schema: Schema) -> Case:
        """Read a table; units are put in public order, as synthetic panels are."""
        (column,) = schema.confidential
        return cls(table, schema, confidential_panel(table, schema).values[column.name])


def chosen_lbd_methods(names: Iterable[str]) -> list[str]:
    """Return method names for names and groups, each once, in the order given.

    Examples
    --------
    >>> chosen_lbd_methods(["quantreg", "reference"])
    ['quantreg', 'pistner']
    """
    chosen: dict[str, None] = {}
    for name in names:
        members = LBD_METHODS if name == "all" else LBD_GROUPS.get(name, (name,))
        if not set(members) <= set(LBD_METHODS):
            raise OptionError(
                f"method {name!r} is not known; use some of: {', '.join(LBD_METHODS)}, "
                f"or the groups {', '.join(LBD_GROUPS)}, all"
            )
        chosen |= dict.fromkeys(members)
    return list(chosen)


def published_base(method: str) -> tuple[str, Literal["simulation", "synlbd"] | None]:
    """Return which of the paper's five a method is, and with whose settings it runs; None for other methods.

    Examples
    --------
    >>> published_base("kng-synlbd"), published_base("kng")
    (('kng', 'synlbd'), ('kng', None))
    """
    if method in LBD_GROUPS["published"]:
        return method.removesuffix("-published"), "simulation"
    if method in LBD_GROUPS["synlbd"]:
        return method.removesuffix("-synlbd"), "synlbd"
    return method, None


def noise_of(method: str, secure: bool) -> str:
    """Return the kind of noise that a run of a method uses."""
    if method in LBD_GROUPS["reference"]:
        return "none"
    return "secure" if secure and method in LBD_GROUPS["valid"] else "simulated"


def synthesize_panel(case: Case, method: str, epsilon: str, seed: int, noise: str) -> Floats:
    """Make a synthetic panel; an array as `Case.values`."""
    (column,) = case.schema.confidential
    upper = float(column.upper if column.upper is not None else np.inf)
    if method in LBD_GROUPS["valid"]:
        return _valid(case, method, epsilon, seed, noise)
    base, setting = published_base(method)
    if setting is not None:
        from studies.lbd.published_yearly import synthesize_published_yearly

        rng = np.random.default_rng([seed, _PUBLISHED, FIVE.index(base)])
        budget = float(Fraction(epsilon))
        return synthesize_published_yearly(case.values, base, budget, upper, rng, setting=setting)
    rng = np.random.default_rng([seed, _REFERENCE, LBD_GROUPS["reference"].index(method)])
    make = synthesize_yearly_quantreg if method == "quantreg" else synthesize_pistner
    return make(case.values, upper, rng)


def _valid(case: Case, method: str, epsilon: str, seed: int, noise: str) -> Floats:
    order, _, slopes = method.partition("-")
    options: dict[str, Any] = {"slopes": slopes} if slopes else {}
    if noise == "secure":
        options |= {"noise": "secure"}
    else:
        options |= {"noise": "simulated", "seed": seed}
    model = PanelSynthesizer(case.schema, epsilon, method=order, **options).fit(case.table)
    drawn = model.draw(np.random.default_rng([seed, LBD_METHODS.index(method)]))
    return drawn.values[case.schema.confidential[0].name]
