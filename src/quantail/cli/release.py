"""A fit that is paid for: everything that can be checked is checked before the ledger is charged.

The order is: options, schema, outputs, then the table is read and checked against the schema, then the ledger is
opened, then the fit charges it and only after that works on values. Before anything is published the charge must be
found in the ledger's file again. Whatever happens, the charge is marked: released if all was written, failed
otherwise; it stays spent either way.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, cast

import pyarrow as pa

from quantail.cli.account import NOBODY, Account, Payment, accounted, open_account
from quantail.cli.console import NOT_PRIVATE, progress, warn
from quantail.errors import DataError, OptionError
from quantail.frames import check_table, empty_release
from quantail.io import Place, Where, read_table
from quantail.privacy.budget import as_decimal, parse_amount, parse_epsilon
from quantail.privacy.chain import Entry
from quantail.privacy.gate import geometric_strength
from quantail.privacy.zcdp import epsilon_from
from quantail.schema import Schema
from quantail.table import TableModel, TableSynthesizer
from quantail.table.rows import group_keys
from quantail.table.synthesizer import plan_of_fits


@dataclass(frozen=True)
class Spending:
    """Options of a run that spends budget, as they were typed; checked on construction."""

    epsilon: str
    definition: str = "pure"
    delta: str | None = None
    method: str = "ladder"
    simulated: bool = False
    seed: int | None = None
    payment: Payment = NOBODY
    no_ledger: bool = False
    slopes: str | None = None
    draw: str | None = None

    def __post_init__(self) -> None:
        parse_epsilon(self.epsilon)
        if self.definition not in ("pure", "zcdp"):
            raise OptionError("--definition must be pure or zcdp")
        if (self.delta is None) == (self.definition == "zcdp"):
            raise OptionError("--delta and --definition zcdp go together: give both, or neither")
        self._check_account()

    def synthesizer(self, schema: Schema) -> TableSynthesizer:
        """Make the synthesizer that these options ask for."""
        return TableSynthesizer(
            schema,
            parse_epsilon(self.epsilon),
            method=self.method,
            definition=cast(Literal["pure", "zcdp"], self.definition),
            delta=None if self.delta is None else parse_amount(self.delta, "--delta"),
            noise="simulated" if self.simulated else "secure",
            seed=self.seed,
            slopes=cast(Literal["fixed", "varying"] | None, self.slopes),
            draw=cast(Literal["quantiles", "interpolate"] | None, self.draw),
        )

    def _check_account(self) -> None:
        if self.seed is not None and not self.simulated:
            raise OptionError(
                "--seed goes with --simulate-noise only: noise that protects cannot be seeded. To draw the "
                "same rows again, use `quantail fit` and then `quantail sample --seed`"
            )
        ledger = self.payment.ledger
        if ledger is not None and (self.no_ledger or self.simulated):
            other = "--no-ledger" if self.no_ledger else "--simulate-noise (which spends nothing)"
            raise OptionError(f"--ledger contradicts {other}: leave one of them out")
        if ledger is None and not self.no_ledger and not self.simulated:
            raise OptionError(
                "no ledger was named: add --ledger FILE, which keeps count of what was spent on this data set (and "
                "--new-ledger if nothing ever was), or --no-ledger to keep count yourself"
            )


@dataclass(frozen=True)
class Fit:
    """Fitted models (mostly one), the charge that paid for them, and public columns, which are kept as they are."""

    models: tuple[TableModel, ...]
    account: Account | None
    public: pa.Table | None = None

    @property
    def model(self) -> TableModel:
        """The model, or the first of them."""
        return self.models[0]

    def facts(self) -> dict[str, Any]:
        """Give the public facts of the whole release: the costs of several fits add up."""
        facts = self.model.facts()
        if len(self.models) == 1:
            return facts
        plan = plan_of_fits([model.plan for model in self.models])
        delta = facts["delta"]
        epsilon = epsilon_from(plan.cost, parse_amount(delta, "delta")) if delta else plan.cost
        return facts | {"plan": plan.to_dict(), "epsilon": as_decimal(epsilon)}

    @property
    def entry(self) -> Entry | None:
        """The charge in the ledger, if there is a ledger."""
        return self.account.charges[-1] if self.account and self.account.charges else None

    def confirm(self) -> None:
        """Raise a LostChargeError unless the charge is still in the ledger; the last thing before publishing."""
        if self.account is not None:
            self.account.confirm()


@contextmanager
def paid_fit(
    file: Where,
    schema: Schema,
    spending: Spending,
    quiet: bool = False,
    rehearse: Callable[[pa.Table, int], None] | None = None,
    fits: int = 1,
) -> Iterator[Fit]:
    """Fit a model and hand it to the block that writes the results; mark the charge when that is over.

    Parameters
    ----------
    fits : int
        How many models; each costs the whole budget, and what that makes in all is said before anything is charged.
    rehearse : callable, optional
        Raises an error if a table of such columns and at most so many rows could not be written afterwards; called
        before the charge.
    """
    maker = spending.synthesizer(schema)
    table = read_fitting(file, schema)
    if rehearse is not None:
        rehearse(empty_release(schema), _rows_at_most(table.num_rows, maker))
    # For its cost and unit; the fit plans again, group by group.
    plan = maker.plan(max(table.num_rows, 1), fits)
    if fits > 1:
        one, every = as_decimal(plan.cost / fits), as_decimal(plan.cost)
        warn(
            f"{fits} fits cost {fits} times {one}: {every} {plan.unit} in all. Tables from one fit are free."
        )
    account = open_account(spending.payment, schema, plan)
    if spending.simulated:
        warn(NOT_PRIVATE)
    elif account is None:
        warn(
            "No ledger keeps count of this release: write down what it costs, and add it to what came before."
        )
    with accounted(account):
        with progress("fit", quiet) as report:
            models = maker.fit_many(table, fits, ledger=account, progress=report)
        yield Fit(tuple(models), account, _public(table, schema))


def _rows_at_most(rows: int, maker: TableSynthesizer) -> int:
    """Return how many rows a release may have: as many as the table, or under add/remove what noise may make of them.

    The absolute noise of g counts exceeds 2 scales times (g log 2 + t) with a chance of at most exp(-t) (Chernoff's
    bound on a sum of exponentials): once in 10^12 runs here. A released size is at least 1.
    """
    if maker.schema.neighbours == "replace-one":
        return rows
    groups = len(group_keys(maker.schema))
    strength = geometric_strength(maker.plan(max(rows, 1)).find("rows").cost, maker.definition)
    return rows + groups + math.ceil(2 * (groups * math.log(2) + 12 * math.log(10)) / float(strength))


def _public(table: pa.Table, schema: Schema) -> pa.Table | None:
    """Return the columns that synthetic rows take over: public ones, with the groups they lie in."""
    if not any(column.public for column in schema.columns):
        return None
    return table.select([c.name for c in schema.columns if c.public or c.name in schema.by])


def read_fitting(file: Where, schema: Schema) -> pa.Table:
    """Read a table, or raise a DataError that lists every way in which it does not fit its schema."""
    table = read_table(file, schema)
    problems = check_table(table, schema)
    if problems:
        listed = "\n".join(f"- {problem}" for problem in problems)
        raise DataError(f"{Place.of(file)} does not fit its schema; nothing was charged\n{listed}")
    return table
