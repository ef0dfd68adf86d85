"""Eighteen shapes of data with public bounds as a careful user would declare them before seeing the rows.

Bounds are wide on purpose (10 to 1000 times the bulk): none is read off the data. Values beyond them,
possible for the heaviest tails, are clipped when drawn. Add a shape by writing its law and one entry in
`SHAPES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from benchmarks.tables import on_lattice, to_frame
from quantail.examples import paper_schema, simulate_paper
from quantail.schema import Column, Grid, Schema

Arrays = dict[str, np.ndarray]
Law = Callable[[int, np.random.Generator], Arrays]


@dataclass(frozen=True)
class Shape:
    """One generator: its name, the law of its rows, and what is publicly declared about its columns."""

    name: str
    law: Law
    columns: tuple[Column, ...]

    def schema(self) -> Schema:
        """Return the public schema: one row is one unit, replace-one neighbours."""
        return Schema(columns=self.columns, unit="row", neighbours="replace-one", name=self.name)

    def draw(self, n: int, rng: np.random.Generator) -> Arrays:
        """Draw n rows inside the public bounds, on the lattice of each column."""
        raw = self.law(n, rng)
        return {column.name: on_lattice(raw[column.name], column) for column in self.columns}

    def frame(self, n: int, rng: np.random.Generator) -> pa.Table:
        """Draw n rows as a pyarrow table."""
        return to_frame(self.law(n, rng), self.schema())


def numeric(
    name: str, lower: float, upper: float, grid: Grid = "linear", decimals: int | None = None
) -> Column:
    return Column(name=name, type="numeric", lower=lower, upper=upper, grid=grid, decimals=decimals)


def integer(name: str, lower: float, upper: float, grid: Grid = "linear") -> Column:
    return Column(name=name, type="integer", lower=lower, upper=upper, grid=grid)


def lognormal(n: int, rng: np.random.Generator) -> Arrays:
    z, e = rng.standard_normal((2, n))
    return {"income": np.exp(3 + z), "wealth": np.exp(4 + 0.9 * z + 0.8 * e)}


def pareto(n: int, rng: np.random.Generator) -> Arrays:
    """Draw two columns of tail index 1.3 (infinite variance), the second partly a share of the first."""
    x = 10 * (1 + rng.pareto(1.3, n))
    return {"loss": x, "reserve": 0.5 * x + 20 * (1 + rng.pareto(1.3, n))}


def weibull(n: int, rng: np.random.Generator) -> Arrays:
    x = 50 * rng.weibull(0.6, n)
    return {"wait": x, "stay": 0.8 * x + 30 * rng.weibull(0.6, n)}


def spike(n: int, rng: np.random.Generator) -> Arrays:
    """Draw a benefit that 35% do not have, with a lognormal tail, and spending that follows it."""
    benefit = np.where(rng.random(n) < 0.35, 0.0, np.exp(5 + 1.2 * rng.standard_normal(n)))
    spending = (80 + 0.6 * benefit) * np.exp(0.4 * rng.standard_normal(n))
    return {"benefit": benefit, "spending": spending}


def small_integers(n: int, rng: np.random.Generator) -> Arrays:
    visits = rng.poisson(rng.gamma(2.0, 1.5, n))
    return {"visits": np.minimum(visits, 20), "items": rng.poisson(1 + 1.5 * np.minimum(visits, 20))}


def clusters(n: int, rng: np.random.Generator) -> Arrays:
    first = rng.random(n) < 0.6
    x = np.where(first, 20 + 5 * rng.standard_normal(n), 70 + 8 * rng.standard_normal(n))
    y = np.where(first, 60 + 6 * rng.standard_normal(n), 25 + 4 * rng.standard_normal(n))
    return {"x": x, "y": y}


def heteroscedastic(n: int, rng: np.random.Generator) -> Arrays:
    x = rng.gamma(2.0, 10.0, n)
    return {"x": x, "y": 5 + 2 * x + (1 + 0.5 * x) * rng.standard_normal(n)}


def power_law(n: int, rng: np.random.Generator) -> Arrays:
    x = np.exp(3 + rng.standard_normal(n))
    return {"size": x, "output": 2 * x**1.6 * np.exp(0.3 * rng.standard_normal(n))}


def u_shaped(n: int, rng: np.random.Generator) -> Arrays:
    x = 50 + 15 * rng.standard_normal(n)
    return {"x": x, "y": (x - 50) ** 2 / 10 + 5 * rng.standard_normal(n)}


def negative(n: int, rng: np.random.Generator) -> Arrays:
    """Draw a price and the quantity sold, which falls with it."""
    price = np.exp(2.5 + 0.7 * rng.standard_normal(n))
    return {"price": price, "quantity": 3000 * price**-0.9 * np.exp(0.5 * rng.standard_normal(n))}


def independent(n: int, rng: np.random.Generator) -> Arrays:
    return {
        "claim": np.exp(6 + 1.3 * rng.standard_normal(n)),
        "score": 100 + 15 * rng.standard_normal(n),
        "count": rng.geometric(0.3, n) - 1,
    }


def chain6(n: int, rng: np.random.Generator) -> Arrays:
    """Draw six columns, each explained by the one before: heavy, integer and light ones mixed."""
    e = rng.standard_normal((6, n))
    sales = np.exp(5 + 1.2 * e[0])
    costs = sales * np.exp(-0.4 + 0.25 * e[1])
    staff = np.floor(costs**0.8 / 10 * np.exp(0.4 * e[2]))
    hours = 30 + 1.5 * staff + 5 * np.abs(e[3])
    energy = 4 * hours**0.9 * np.exp(0.5 * e[4])
    tax = np.maximum(0, 0.1 * energy + 10 * e[5])
    return {"sales": sales, "costs": costs, "staff": staff, "hours": hours, "energy": energy, "tax": tax}


def factor6(n: int, rng: np.random.Generator) -> Arrays:
    """Draw six columns that share one latent factor: three Gaussian, three skewed."""
    f = rng.standard_normal(n)
    e = rng.standard_normal((6, n))
    mixed = np.array([0.8, 0.7, 0.6, 0.8, -0.7, 0.5])[:, None] * f + 0.6 * e
    values = [50 + 10 * mixed[0], 20 + 5 * mixed[1], 30 * mixed[2]]
    values += [20 * np.exp(0.5 * mixed[3]), 40 * np.exp(0.4 * mixed[4]), 10 * np.logaddexp(0, 2 * mixed[5])]
    return {f"f{i + 1}": v for i, v in enumerate(values)}


def firms(n: int, rng: np.random.Generator) -> Arrays:
    """Draw establishments: integer employment with a Pareto tail, payroll at a dispersed wage."""
    employees = np.floor((1 + rng.pareto(1.1, n)) * np.exp(0.8 * np.abs(rng.standard_normal(n))))
    payroll = employees * 28_000 * np.exp(0.5 * rng.standard_normal(n))
    return {"employees": employees, "payroll": payroll}


def bounded(n: int, rng: np.random.Generator) -> Arrays:
    """Draw shares in [0, 1], the light-tailed control whose bounds are natural and tight."""
    a = rng.beta(2, 5, n)
    b = np.clip(0.5 * a + 0.5 * rng.beta(3, 3, n), 0, 1)
    return {"a": a, "b": b, "c": rng.beta(1 + 4 * b, 3)}


def wages(n: int, rng: np.random.Generator) -> Arrays:
    """Draw education, experience and wage; the wage is hump-shaped in experience, with a heavy tail."""
    education = np.clip(np.rint(12.5 + 2.8 * rng.standard_normal(n)), 0, 20)
    experience = np.floor(45 * rng.beta(1.2, 1.8, n)) + np.maximum(0, 12 - education)
    log_wage = 4.3 + 0.09 * education + 0.07 * experience - 0.0012 * experience**2
    return {
        "education": education,
        "experience": experience,
        "wage": np.exp(log_wage + 0.35 * rng.standard_t(4, n)),
    }


def returns(n: int, rng: np.random.Generator) -> Arrays:
    """Draw gains and losses of three holdings: symmetric heavy tails on both sides of zero."""
    shared = rng.standard_t(3, n)
    return {
        "fund": 40 * shared,
        "share": 60 * shared + 50 * rng.standard_t(3, n),
        "hedge": -30 * shared + 40 * rng.standard_t(4, n),
    }


_ALL = (
    Shape("exponential", simulate_paper, paper_schema().columns),
    Shape("lognormal", lognormal, (numeric("income", 0, 1e5, "log"), numeric("wealth", 0, 1e6, "log"))),
    Shape("pareto", pareto, (numeric("loss", 0, 1e7, "log"), numeric("reserve", 0, 1e7, "log"))),
    Shape("weibull", weibull, (numeric("wait", 0, 1e5, "log"), numeric("stay", 0, 1e5, "log"))),
    Shape("spike", spike, (numeric("benefit", 0, 1e6, "log", 2), numeric("spending", 0, 1e6, "log", 2))),
    Shape("small_integers", small_integers, (integer("visits", 0, 200), integer("items", 0, 500))),
    Shape("clusters", clusters, (numeric("x", -1000, 1000), numeric("y", -1000, 1000))),
    Shape("heteroscedastic", heteroscedastic, (numeric("x", 0, 1000), numeric("y", -2000, 5000))),
    Shape("power_law", power_law, (numeric("size", 0, 1e5, "log"), numeric("output", 0, 1e8, "log"))),
    Shape("u_shaped", u_shaped, (numeric("x", 0, 1000), numeric("y", -1000, 5000))),
    Shape("negative", negative, (numeric("price", 0, 1e4, "log", 2), numeric("quantity", 0, 1e6, "log"))),
    Shape(
        "independent",
        independent,
        (numeric("claim", 0, 1e7, "log", 2), numeric("score", 0, 1000), integer("count", 0, 1000)),
    ),
    Shape(
        "chain6",
        chain6,
        (
            numeric("sales", 0, 1e6, "log"),
            numeric("costs", 0, 1e6, "log"),
            integer("staff", 0, 1e5, "log"),
            numeric("hours", 0, 1e5, "log"),
            numeric("energy", 0, 1e6, "log"),
            numeric("tax", 0, 1e5, "log", 2),
        ),
    ),
    Shape(
        "factor6",
        factor6,
        (
            numeric("f1", -1000, 1000),
            numeric("f2", -500, 500),
            numeric("f3", -1000, 1000),
            numeric("f4", 0, 1000),
            numeric("f5", 0, 1000),
            numeric("f6", 0, 1000),
        ),
    ),
    Shape("firms", firms, (integer("employees", 0, 1e6, "log"), numeric("payroll", 0, 1e10, "log", 0))),
    Shape("bounded", bounded, (numeric("a", 0, 1), numeric("b", 0, 1), numeric("c", 0, 1))),
    Shape(
        "wages",
        wages,
        (integer("education", 0, 25), integer("experience", 0, 100), numeric("wage", 0, 1e5, "log", 2)),
    ),
    Shape(
        "returns",
        returns,
        (
            numeric("fund", -1e5, 1e5, "log", 2),
            numeric("share", -1e5, 1e5, "log", 2),
            numeric("hedge", -1e5, 1e5, "log", 2),
        ),
    ),
)

SHAPES: dict[str, Shape] = {shape.name: shape for shape in _ALL}
"""Every generator of the bench by name."""
