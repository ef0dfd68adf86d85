"""Whole fits, replayed: the same answers on a neighbouring table, with the exact loss of every leaf.

A fit is run on one table with answers drawn from the true laws. Then it is run on a neighbour and made to give the
same answers. What is released must then be the same to the last bit (nothing may reach the model but through
the gate), and no leaf may be more likely under one table than under the other by more than it costs.
"""

from collections import defaultdict
from fractions import Fraction as F

import numpy as np
import pyarrow as pa
import pytest
from exact_laws import noisy_max_log_law

from quantail.privacy import Gate, SimulatedNoise, paths
from quantail.quantiles import Scale
from quantail.schema import Column, Schema
from quantail.synthesis import TableSynthesizer, fitting, table

RELATIONS = ("replace-one", "add-remove")
ROWS = 240


def schema_of(relation: str, by: tuple[str, ...] = ()) -> Schema:
    columns = (
        Column("region", "category", categories=("north", "south")),
        Column("jobs", "integer", 0, 100_000, grid="log"),
        Column("trade", "category", categories=("farm", "shop", "mill")),
        Column("balance", "numeric", -1e6, 1e6, grid="log", resolution=100.0),  # coarse: dither matters
        Column("age", "integer", 0, 12, predictors=()),
    )
    return Schema(columns, unit="firm", neighbours=relation, by=by)


def frame_of(seed: int, rows: int = ROWS) -> dict[str, list]:
    rng = np.random.default_rng(seed)
    region = rng.integers(0, 2, rows)
    jobs = np.floor(np.exp(rng.normal(3 + region, 1, rows)))
    return {
        "region": np.array(["north", "south"])[region].tolist(),
        "jobs": jobs.tolist(),
        "trade": np.array(["farm", "shop", "mill"])[rng.integers(0, 3, rows)].tolist(),
        "balance": np.round(jobs * rng.normal(3, 9, rows), -2).tolist(),
        "age": rng.integers(0, 13, rows).tolist(),
    }


EXTREME = {"region": "south", "jobs": 100_000.0, "trade": "mill", "balance": -1e6, "age": 12}


def neighbour_of(frame: dict[str, list], row: int, relation: str) -> dict[str, list]:
    """Return the table with one row made extreme, or without it."""
    changed = {name: list(values) for name, values in frame.items()}
    for name, values in changed.items():
        if relation == "replace-one":
            values[row] = EXTREME[name]
        else:
            del values[row]
    return changed


class Replayed:
    """Noise that draws answers from their exact laws, or repeats those of an earlier run."""

    private = False

    def __init__(self, seed: int, earlier: "Replayed | None" = None, removed: int | None = None) -> None:
        self.rng, self.earlier, self.removed = np.random.default_rng(seed), earlier, removed
        self.answers: list = []
        self.uniform: list = []
        self.logs: dict[str, float] = defaultdict(float)
        self.costs: dict[str, F] = {}
        self.leaf = ""

    def answer(self, log_law) -> int:
        if self.earlier is None:
            index = int(self.rng.choice(log_law.size, p=np.exp(log_law) / np.exp(log_law).sum()))
        else:
            index = self.earlier.answers[len(self.answers)]
        assert index < log_law.size, "the candidates depend on the table"
        self.answers.append(index)
        self.logs[self.leaf] += float(log_law[index])
        return index

    def noisy_max(self, scores, scale, definition):
        return self.answer(noisy_max_log_law(scores, scale, definition))

    def geometric(self, counts, scale):
        if self.earlier is None:
            noisy = SimulatedNoise(int(self.rng.integers(2**31))).geometric(counts, scale)
        else:
            noisy = self.earlier.answers[len(self.answers)]
        self.answers.append(noisy)
        self.logs[self.leaf] -= float(np.abs(noisy - counts).sum() / scale)
        return noisy

    def random(self, size):
        """Give each row its own numbers: in the neighbour those of the removed row are missing."""
        if self.earlier is None:
            numbers = self.rng.random(size)
        else:
            numbers = self.earlier.uniform[len(self.uniform)]
            numbers = numbers if self.removed is None else np.delete(numbers, self.removed)
        self.uniform.append(numbers)
        return numbers

    def generator(self):
        return np.random.default_rng(11)


class WatchedGate(Gate):
    """The production gate; it tells the noise which leaf is being used."""

    def _use(self, leaf, *rest):
        super()._use(leaf, *rest)
        self.noise.leaf = f"{len(self.noise.costs)} {leaf.name}"
        self.noise.costs[self.noise.leaf] = leaf.cost


@pytest.fixture
def fit_with(monkeypatch):
    def pick(weights, noise):
        with np.errstate(divide="ignore"):
            return noise.answer(np.log(weights) - np.log(weights.sum()))

    monkeypatch.setattr(paths, "_pick", pick)
    monkeypatch.setattr(table, "Gate", WatchedGate)

    def fit(frame, noise, relation, epsilon=30, **options):
        monkeypatch.setattr(table, "SecureNoise", lambda: noise)
        return TableSynthesizer(schema_of(relation), epsilon, **options).fit(pa.table(frame)).to_dict()

    return fit


def replay(fit_with, row, relation, **options):
    """Return both models and, per leaf, its loss and its cost."""
    removed = None if relation == "replace-one" else row
    frame = frame_of(4)
    first = Replayed(row)
    one = fit_with(frame, first, relation, **options)
    second = Replayed(row, first, removed)
    other = fit_with(neighbour_of(frame, row, relation), second, relation, **options)
    assert first.costs == second.costs and len(first.answers) == len(second.answers)
    losses = {leaf: abs(first.logs[leaf] - second.logs[leaf]) for leaf in first.logs}
    return one, other, losses, first.costs


@pytest.mark.parametrize("relation", RELATIONS)
def test_same_answers_give_the_same_model_and_no_leaf_overspends(fit_with, relation):
    for row in (0, 17, ROWS - 1):
        one, other, losses, costs = replay(fit_with, row, relation)
        assert one == other
        assert all(loss <= float(costs[leaf]) + 1e-9 for leaf, loss in losses.items())
        assert sum(costs.values()) == 30 and sum(losses.values()) > 0.3
    kinds = " ".join(costs)
    asked = ("scale", "locate", "median", "quintiles", "draw", "coarse", "fine", "count")
    assert all(kind in kinds for kind in asked)  # else this test would prove less than it seems to


def test_zcdp_replays_too(fit_with):
    one, other, losses, costs = replay(fit_with, 3, "replace-one", definition="zcdp", delta="1e-6")
    assert one == other
    # Every question has bounded range e = sqrt(8 rho), counts e = sqrt(2 rho): no log-ratio is beyond it.
    assert all(loss <= (8 * float(costs[leaf])) ** 0.5 + 1e-9 for leaf, loss in losses.items())


def is_caught(fit_with, row, relation) -> bool:
    """Say whether a replay notices anything: other candidates, another model, or a leaf that overspends."""
    try:
        one, other, losses, costs = replay(fit_with, row, relation)
    except AssertionError:
        return True
    return one != other or any(loss > float(costs[leaf]) + 1e-9 for leaf, loss in losses.items())


def test_grid_that_ends_at_the_data_is_caught(fit_with, monkeypatch):
    # What the paper's code did: bounds from the table. Row 0 becomes the maximum in the neighbour.
    honest = fitting.draw_rungs

    def with_own_bounds(gate, leaf, values, grid, levels, rows):
        return honest(gate, leaf, values, grid * (values.max() / grid[-1]), levels, rows)

    monkeypatch.setattr(fitting, "draw_rungs", with_own_bounds)
    assert is_caught(fit_with, 0, "replace-one")


def test_slope_candidates_from_private_rows_are_caught(fit_with, monkeypatch):
    honest = fitting.choose_slope

    def scaled(gate, leaves, y, x, median, reach, rows):
        return honest(gate, leaves, y, x, median, float(np.ptp(y)), rows)

    monkeypatch.setattr(fitting, "choose_slope", scaled)
    assert is_caught(fit_with, 0, "replace-one")


def test_dither_by_position_is_caught_under_add_remove(fit_with, monkeypatch):
    # Numbers that anybody could know: taking the first row out gives every other row another number.
    honest = Scale.dithered
    monkeypatch.setattr(Scale, "dithered", lambda self, v, noise: honest(self, v, np.random.default_rng(1)))
    assert is_caught(fit_with, 0, "add-remove")
    assert not is_caught(fit_with, 0, "replace-one")


def structure(form):
    """Return the skeleton of a JSON value: names, lengths and kinds, no numbers.

    The knots of a remap are cut at simulated quantiles, so their number follows from answers: it is left out.
    """
    if isinstance(form, dict):
        return {key: "map" if key == "remap" and value else structure(value) for key, value in form.items()}
    if isinstance(form, list | tuple):
        return [structure(value) for value in form]
    return type(form).__name__


@pytest.mark.parametrize("by", [(), ("region",)])
def test_shape_of_a_release_does_not_depend_on_one_row(monkeypatch, by):
    journals: list = []

    class Journalling(Gate):
        def __init__(self, *parts):
            super().__init__(*parts)
            journals.append(self.journal)

    monkeypatch.setattr(table, "Gate", Journalling)
    schema = schema_of("replace-one", by)
    frame = frame_of(4)
    changed = neighbour_of(frame, 0, "replace-one")
    changed["region"][0] = frame["region"][0]  # groups are public: neighbours agree on them
    models = [
        TableSynthesizer(schema, 30, noise="simulated", seed=2).fit(pa.table(data))
        for data in (frame, changed)
    ]
    half = len(journals) // 2
    for one, other in zip(journals[:half], journals[half:], strict=True):
        assert [(c.kind, c.leaf, c.cost, c.questions) for c in one] == [
            (c.kind, c.leaf, c.cost, c.questions) for c in other
        ]
    assert models[0].facts() == models[1].facts()
    assert models[0].plan == models[1].plan
    assert structure(models[0].to_dict()) == structure(models[1].to_dict())


def test_rows_are_worked_on_one_by_one():
    # A row's innovation must not depend on where it stands or on who stands beside it, not even in the last bit.
    model = TableSynthesizer(schema_of("replace-one"), 30, noise="simulated", seed=3).fit(
        pa.table(frame_of(4))
    )
    numeric = next(column for column in model.groups[0].columns if column.name == "balance")
    rng = np.random.default_rng(8)
    values, x, u = rng.normal(0, 1e4, 1001), rng.normal(0, 3, 1001), rng.random(1001)

    def innovation(part):
        scaled = numeric.scale.forward(values[part] + numeric.scale.step * (u[part] - 0.5))
        for _, bend in numeric.bends:
            scaled = bend.flatten(scaled, x[part])
        return scaled - 0.37 * (x[part] - 0.1)

    whole = innovation(np.arange(1001))
    for part in (np.arange(1, 1001), np.arange(7), rng.permutation(1001), np.array([500])):
        assert innovation(part).tolist() == whole[part].tolist()
