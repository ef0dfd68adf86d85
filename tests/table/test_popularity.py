"""Popularity: quantiles that grow faster than any mean allows up to the decile, and then ever slower."""

import numpy as np
import pandas as pd
import pytest

from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer, tops

FILMS = Schema(
    (
        Column("seconds", "integer", 0, 100_000, grid="log"),
        Column("votes", "integer", 0, 10**9, grid="log"),
    ),
    "film",
)


def films(seed: int, n: int = 20_000) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    length = rng.lognormal(1, 0.5, n)
    votes = 30 * rng.lognormal(0, 2.6, n) * length**0.5
    return pd.DataFrame({"seconds": np.round(60 * length), "votes": np.round(votes)})


def kept(seed: int) -> float:
    """Return the synthetic 99% quantile of votes over the real one."""
    real = films(seed)
    made = TableSynthesizer(FILMS, 1, noise="simulated", seed=seed).fit(real).sample(seed=seed)
    return float(made["votes"].quantile(0.99) / real["votes"].quantile(0.99))


def test_what_was_released_far_out_is_not_cut_down(monkeypatch: pytest.MonkeyPatch) -> None:
    assert np.median([kept(seed) for seed in range(5)]) == pytest.approx(1, rel=0.3)
    monkeypatch.setattr(tops._Tails, "_known", lambda *_: 0.0)
    assert np.median([kept(seed) for seed in range(5)]) < 0.5


# A fit of this table takes seconds; `make slow` has the other seeds.
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_each_side_of_zero_is_held_to_its_own_rows(seed: int) -> None:
    """Few people have this income, and fewer a loss: the middle of all rows says nothing of either side."""
    rng = np.random.default_rng(11)
    n = 30_000
    sign = np.where(rng.random(n) < 0.12, rng.choice([1, -1], n, p=[0.8, 0.2]), 0)
    income = (sign * rng.lognormal(9, 1.4, n)).round(2)
    column = Column("income", "numeric", -1e7, 1e8, grid="log", decimals=2, atoms=(0.0,))
    amounts = [Column(f"x{k}", "numeric", 0, 1e8, grid="log", decimals=2) for k in range(6)]
    labels = [Column(f"c{k}", "category", categories=("a", "b", "c")) for k in range(4)]
    table = pd.DataFrame(
        {"income": income}
        | {each.name: rng.lognormal(8, 1, n).round(2) for each in amounts}
        | {each.name: rng.choice(["a", "b", "c"], n) for each in labels}
    )
    schema = Schema((column, *amounts, *labels), "person")
    made = TableSynthesizer(schema, 1, noise="simulated", seed=seed).fit(table).sample(seed=seed)["income"]
    # small ones did not become zero
    assert (made == 0).mean() == pytest.approx((income == 0).mean(), abs=0.01)
    assert made[made != 0].median() == pytest.approx(np.median(income[income != 0]), rel=0.5)
