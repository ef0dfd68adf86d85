"""Negative controls, mechanisms with one flaw each: which check catches them, and with what figure.

Every control is judged together with the valid mechanism that it differs from in one line: the flawed one must be
caught, and the valid one must pass the same check on the same tables.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from quantail.auditing.bounds import gather, secure_draws
from quantail.auditing.counting import search_counts
from quantail.auditing.enumeration import Table, neighbours, search
from quantail.auditing.findings import Curve, Finding
from quantail.auditing.flawed import inputs, scores, spending

Check = Literal["enumeration", "counting", "runs"]
VALUES = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
BLOCKS = tuple(product((0, 1), (1.0, 2.0, 3.0)))
POINTS = tuple(product((0.0, 1.0), (0.0, 1.0)))
PLACED = tuple(product((0.0, 1.0), (-1.0, 0.5, 2.0)))
ERROR = 1e-6  # of a bound from runs
_RUNS, _PILOT = 400, 12


@dataclass(frozen=True)
class NegativeControl:
    """A flawed mechanism, the valid one beside it, and the tables on which they are told apart."""

    name: str
    relation: str
    valid: Callable[..., Any]
    flawed: Callable[..., Any]
    domain: Sequence[Any]
    rows: int
    check: Check = "enumeration"

    def figure(self, mechanism: Callable[..., Any]) -> tuple[float, int]:
        """Return the worst log-ratio, or a lower bound on it, and the number of pairs or runs."""
        if self.check == "counting":
            worst = search_counts(mechanism, self.domain, self.rows, self.relation)
            return worst.loss, worst.pairs
        if self.check == "runs":
            first, second = self._pilot(mechanism)
            found = gather(secure_draws(mechanism, first), secure_draws(mechanism, second), _RUNS, ERROR)
            return found.bound, found.runs
        worst = search(mechanism, self.domain, self.rows, self.relation)
        return worst.loss, worst.pairs

    def _pilot(self, mechanism: Callable[..., Any]) -> tuple[Table, Table]:
        """Return the pair of neighbours whose outputs overlap least in a few runs; they are not used again."""

        def overlap(pair: tuple[Table, Table]) -> int:
            one, other = (Counter(secure_draws(mechanism, table)() for _ in range(_PILOT)) for table in pair)
            return (one & other).total()

        return min(neighbours(self.domain, self.rows, self.relation), key=overlap)


def negative_controls() -> tuple[NegativeControl, ...]:
    """Return all of them."""
    s, i, b = scores, inputs, spending
    replaced_row: tuple[tuple[Any, ...], ...] = (
        ("the paper's sensitivity", s.valid_quantile, s.flawed_quantile, VALUES, 4),
        ("row-based crossing check", i.valid_crossing, i.flawed_crossing, PLACED, 2),
        ("data-derived bounds", i.valid_grid, i.flawed_bounds, VALUES, 3),
        ("data-derived grid", i.valid_grid, i.flawed_grid, VALUES, 3),
        ("a lattice that ends at the largest row", i.valid_points, i.flawed_points, VALUES, 3),
        ("a bound among the rows themselves", i.valid_bound, i.flawed_bound, VALUES, 3),
        ("data-derived depth", i.valid_depth, i.flawed_depth, VALUES, 3),
        ("double use of a budget", b.valid_twice, b.flawed_twice, VALUES, 4),
        ("float-ordered sums", b.valid_sum, b.flawed_sum, (0, 10, 7, 2, 1), 4, "counting"),
        ("a seeded release", b.valid_noise, b.flawed_noise, VALUES, 2, "runs"),
        ("missing clipping", b.valid_clipping, b.flawed_clipping, (0, 1, 3, 9), 3, "counting"),
        ("branching on an empty bin", i.valid_empty, i.flawed_empty, BLOCKS, 3),
        ("S = 1 with unequal t in two bins", s.valid_bins, s.flawed_bins, BLOCKS, 7),
        ("joint draw in bins of private size", s.valid_joint, s.flawed_joint, BLOCKS, 5),
        ("a short chain from the non-private fit", b.valid_chain, b.flawed_chain, VALUES, 4),
    )
    added_row: tuple[tuple[Any, ...], ...] = (
        ("minimum over sort prefixes with ties", s.valid_slope, s.flawed_slope, POINTS, 10),
        ("fixed-size subsample", s.valid_subsample, s.flawed_subsample, VALUES[:4], 4),
        ("n leaked", i.valid_size, i.flawed_size, VALUES, 3),
    )
    return (
        *(NegativeControl(name, "replace-one", *rest) for name, *rest in replaced_row),
        *(NegativeControl(name, "add-remove", *rest) for name, *rest in added_row),
    )


def judge(control: NegativeControl) -> Finding:
    """Check a flawed mechanism and its valid counterpart."""
    figure, checked = control.figure(control.flawed)
    honest, _ = control.figure(control.valid)
    caught = figure > 1.0 + 1e-6 and honest <= 1.0 + 1e-9
    note = f"{'caught' if caught else 'MISSED'} by {control.check}; valid counterpart {honest:.2f}"
    unit = "runs" if control.check == "runs" else "pairs"
    return Finding("controls", control.name, control.relation, figure, 1.0, checked, unit, caught, note)


def control_curve(runs: int) -> Curve:
    """Return the trade-off curve of the paper's sensitivity, which lies where no epsilon-DP mechanism can be."""
    first, second = (secure_draws(scores.flawed_quantile, (1.0, 1.0, 1.0, top)) for top in (1.0, 5.0))
    found = gather(first, second, runs, ERROR)
    return Curve("the paper's sensitivity (flawed)", 1.0, found.false_positive, found.false_negative, True)
