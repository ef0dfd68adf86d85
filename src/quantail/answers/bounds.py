"""A bound for the sizes of one column, asked for and paid for: where no rule, form or codebook tells one.

Candidates b_0 < b_1 < ... are public: 1, 2 and 5 times powers of ten from 1e-6 to 1e15. With c(b) rows of a size above
b, and a public number h of rows that a step up the list must save to be worth it, the gate selects by

    score(j) = - 2 (c(b_j) + h j),    which a row moves by 0 or 2, all in one direction: sensitivity 1,

and the bound is the candidate a thousand times above the one that was selected: a few rows lie above that one, and
above a thousand times as much hardly one in the heaviest tails. Proof: privacy/proofs/bounds.md.
"""

from dataclasses import dataclass
from math import ceil
from typing import Any, Literal

import numpy as np

from quantail.answers.asking import read_column
from quantail.answers.till import Till
from quantail.answers.tuning import FEWEST_N_EPSILON, LOWEST_STEPS, MARGIN_STEPS, ROWS_BEYOND, STEP_WORTH
from quantail.arrays import Floats, Integers
from quantail.errors import OptionError
from quantail.privacy import Entry, Gate, Plan, Selection, parse_epsilon
from quantail.release import NOT_PRIVATE
from quantail.release.facts import Facts
from quantail.release.paying import Payer
from quantail.release.synthesizer import Amount
from quantail.schema import Column, CsvFormat, Schema, TableFacts
from quantail.visible import visible

CANDIDATES = (*(float(f"{first}e{power}") for power in range(-6, 15) for first in (1, 2, 5)), 1e15)


@dataclass(frozen=True, repr=False)
class Bound:
    """A released bound. Everything in it is public.

    Attributes
    ----------
    column : str
        Whose sizes.
    upper : float
        The bound of sizes: an upper bound, and with a minus before it a lower one where values may be negative.
    beyond : int
        So many rows, or fewer, are expected to have a size above a thousandth of it.
    release : Facts
        What is stated about the question: plan, terms, budget.
    entry : Entry, optional
        The charge in the ledger.
    """

    column: str
    upper: float
    beyond: int
    release: Facts
    entry: Entry | None = None

    def facts(self) -> Facts:
        """Return the public facts of the question."""
        return self.release

    @property
    def source(self) -> str:
        """What to write as the source of the bound in a schema."""
        paid = "" if self.entry is None else f", ledger record {self.entry.number}"
        return f"asked for with epsilon {self.release.epsilon_text}{paid}, plan {self.release.plan_hash[:12]}"

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader must know besides."""
        fewest = ceil(FEWEST_N_EPSILON / self.release.epsilon)
        caveat = (f"With fewer than {fewest:,} rows other than zero it may be far too low.",)
        if not self.is_found:
            caveat = (f"No bound was found: too few rows are other than zero (it takes {fewest:,} of them).",)
        return caveat if self.release.private else (*caveat, NOT_PRIVATE)

    @property
    def is_found(self) -> bool:
        """Whether it is a bound at all: about the lowest candidate is selected where hardly a row has a size."""
        return self.upper > CANDIDATES[MARGIN_STEPS + LOWEST_STEPS]

    def __str__(self) -> str:
        """Write the lines that belong into a schema."""
        said = [f"upper = {self.upper:.15g}", f'source = "{self.source}"'] if self.is_found else []
        return "\n".join([f"# {visible(self.column)}", *said, *(f"# {remark}" for remark in self.remarks)])

    def __repr__(self) -> str:
        """Say in a line what was asked."""
        return f"<Bound of {visible(self.column)}: {self.upper:g}, epsilon {self.release.epsilon_text}>"


def bound(
    table: Any,
    column: str,
    epsilon: Amount,
    *,
    ledger: Payer = None,
    unit: str = "row",
    name: str = "",
    csv: CsvFormat | None = None,
    missing_codes: tuple[float, ...] = (),
    noise: Literal["secure", "simulated"] = "secure",
    seed: int | None = None,
) -> Bound:
    """Release a bound for the sizes of a column of numbers. Pure differential privacy, replace-one.

    For columns of which no rule, form or codebook tells a bound. A few percent of what is there to spend suffice; the
    bound then stands in the schema, with this question as its source.

    Parameters
    ----------
    table : pandas, polars or pyarrow table, path or URL
        The confidential table, one row per protected unit.
    column : str
        A column of numbers; rows without one are left out.
    epsilon : int, float, str or Fraction
        What the question may cost. Rows times epsilon must be at least 200.
    ledger : Ledger or path, optional
        As in `TableSynthesizer.fit`.
    unit, name : str
        What a row stands for, and the data set's name, as in the ledger.
    csv : CsvFormat, optional
        How a CSV file is written, if not as UTF-8 with commas.
    missing_codes : tuple of float
        Numbers that mean a missing value; rows that hold one are left out.
    noise, seed
        "simulated" is seeded, has the same law, and is NOT PRIVATE: for experiments.

    Examples
    --------
    >>> from quantail.examples import payroll_example
    >>> found = bound(payroll_example(20_000), "payroll", "0.05", noise="simulated", seed=1)
    >>> found.upper
    10000000000.0
    """
    budget = parse_epsilon(epsilon)
    till = Till.open(ledger, noise, seed)
    about = asked_column(column, TableFacts(unit, name, csv, missing_codes))
    values = read_column(table, about)
    if values.size * budget < FEWEST_N_EPSILON:
        raise OptionError(
            f"epsilon {float(budget):g} is too little for a bound: it takes {FEWEST_N_EPSILON} / epsilon rows; "
            "ask with a larger epsilon, or find a rule or form that tells one"
        )
    plan, worth = bound_plan(column, budget), ceil(STEP_WORTH / budget)
    place, facts, entry = till.ask(
        about, plan, values.size, "bound", {"column": column}, lambda gate: draw_bound(gate, values, worth)
    )
    upper = CANDIDATES[min(place + MARGIN_STEPS, len(CANDIDATES) - 1)]
    return Bound(column, upper, ceil(ROWS_BEYOND / budget), facts, entry)


def asked_column(column: str, facts: TableFacts) -> Schema:
    """Return all that the question takes for granted about a column: the range of the candidates."""
    largest, told = CANDIDATES[-1], "the candidates of the question"
    codes = facts.missing_codes
    public = Column(column, "numeric", -largest, largest, missing=True, missing_codes=codes, source=told)
    return Schema((public,), facts.unit, name=facts.name, csv=facts.csv)


def bound_plan(column: str, epsilon: Any) -> Plan:
    """Return the plan of the question, touching no data."""
    note = f"one of {len(CANDIDATES)} candidates from 1e-6 to 1e15"
    return Plan.sequence(f"bound of {column}", [Plan.leaf("bound", epsilon, note)])


def draw_bound(gate: Gate, values: Floats, worth: int, candidates: tuple[float, ...] = CANDIDATES) -> int:
    """Ask the gate for the lowest candidate that few rows exceed in size; NaN values exceed none."""
    (leaf,) = gate.plan.leaves()
    (place,) = gate.select(leaf, [Selection(bound_scores(values, worth, candidates), 1)])
    return place


def bound_scores(values: Floats, worth: int, candidates: tuple[float, ...]) -> Integers:
    """Return the integer score of every candidate; a step up the list is worth so many rows.

    Examples
    --------
    >>> bound_scores(np.array([0.5, -3.0, 7.0, np.nan]), 1, (1.0, 5.0, 10.0))
    array([-4, -4, -4])
    """
    sizes = np.sort(np.abs(values[~np.isnan(values)]))
    above = sizes.size - np.searchsorted(sizes, candidates, side="right")
    return np.asarray(-2 * (above + worth * np.arange(len(candidates))), dtype=np.int64)
