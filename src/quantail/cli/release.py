"""A fit that is paid for: everything that can be checked is checked before the ledger is charged.

The order is: options, schema, outputs, then the table is read and checked against the schema, then the ledger is
opened, then the fit charges it and only after that works on values. Before anything is published the charge must be
found in the ledger's file again. Whatever happens, the charge is marked: released if all was written, failed
otherwise; it stays spent either way.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from quantail.cli.account import NOBODY, Account, Payment, accounted, open_account
from quantail.cli.console import note, progress, warn
from quantail.cli.panels import guessed_in_words, refuse_for_panels
from quantail.errors import DataError, OptionError
from quantail.frames import MisfitError, left_out_columns, left_out_words
from quantail.io import Place, Where, read_table
from quantail.panel import PanelSynthesizer
from quantail.panel.place import unplaced
from quantail.panel.synthesizer import HeldPanel
from quantail.panel.units import group_names
from quantail.privacy.budget import as_decimal, parse_amount, parse_epsilon
from quantail.privacy.chain import Entry
from quantail.privacy.gate import count_epsilon
from quantail.release import NOT_PRIVATE
from quantail.release.facts import Facts, facts_of_fits
from quantail.release.paying import NO_LEDGER
from quantail.release.progress import Progress
from quantail.schema import Schema
from quantail.table import TableSynthesizer
from quantail.table.rows import group_keys
from quantail.table_or_panel import AnyRelease, AnyReleasing, AnySynthesizer, synthesizer_for

if TYPE_CHECKING:
    from quantail.release.confidential import Confidential


@dataclass(frozen=True)
class ReleaseOptions:
    """Options of a run that spends budget, as they were typed; checked on construction."""

    epsilon: str
    definition: str = "pure"
    delta: str | None = None
    method: str | None = None
    simulated: bool = False
    seed: int | None = None
    payment: Payment = NOBODY
    no_ledger: bool = False
    order: Mapping[str, Any] = field(default_factory=dict)  # of the paper's methods

    def __post_init__(self) -> None:
        parse_epsilon(self.epsilon)
        if self.definition not in ("pure", "zcdp"):
            raise OptionError("--definition must be pure or zcdp")
        if (self.delta is None) == (self.definition == "zcdp"):
            raise OptionError("--delta and --definition zcdp go together: give both, or neither")
        self._check_account()

    def synthesizer(self, schema: Schema) -> AnySynthesizer:
        """Make the synthesizer that these options ask for, for a table or a panel."""
        refuse_for_panels(schema, definition=self.definition, delta=self.delta)
        return synthesizer_for(
            schema,
            parse_epsilon(self.epsilon),
            method=self.method,
            definition=self.definition,
            delta=None if self.delta is None else parse_amount(self.delta, "--delta"),
            noise="simulated" if self.simulated else "secure",
            seed=self.seed,
            **self.order,
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
    """Fitted models (mostly one), the charge that paid for them, and what was kept and left out of the table.

    Public columns are kept as they are; columns that the schema does not describe are left out, and named.
    """

    models: tuple[AnyRelease, ...]
    account: Account | None
    public: pa.Table | None = None
    left_out: tuple[str, ...] = ()

    @property
    def model(self) -> AnyRelease:
        """The model, or the first of them."""
        return self.models[0]

    def facts(self) -> Facts:
        """Give the public facts of the whole release: the costs of several fits add up."""
        return facts_of_fits([model.facts() for model in self.models])

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
    spending: ReleaseOptions,
    quiet: bool = False,
    dry_run: Callable[[pa.Table, int, Schema], None] | None = None,
    fits: int = 1,
    watch: Progress | None = None,
    synthesizer: "AnyReleasing | None" = None,
) -> Iterator[Fit]:
    """Fit a model and hand it to the block that writes the results; mark the charge when that is over.

    Parameters
    ----------
    fits : int
        How many models; each costs the whole budget, and what that makes in all is said before anything is charged.
    dry_run : callable, optional
        Raises an error if a table of such columns and at most so many rows could not be written afterwards, as the
        schema says; called before the charge.
    watch : callable, optional
        Told the step and the fraction done, in place of a bar on the terminal.
    synthesizer : PeriodSynthesizer, optional
        One that these options do not ask for by themselves.
    """
    synthesizer = synthesizer or spending.synthesizer(schema)
    table = read_table(file, schema)
    data = _admitted(table, file, synthesizer)
    if left_out := left_out_columns(table.column_names, schema):
        note(left_out_words(left_out))
    if guessed := guessed_in_words(_unplaced(data, synthesizer)):
        warn(guessed)
    if dry_run is not None:
        dry_run(data.empty_copy(), _rows_at_most(data, synthesizer), schema)
    cost = fits * synthesizer.cost
    if fits > 1:
        one, every = as_decimal(synthesizer.cost), as_decimal(cost)
        warn(
            f"{fits} fits cost {fits} times {one}: {every} {synthesizer.unit} in all. Tables from one fit are free."
        )
    account = open_account(spending.payment, schema, cost, synthesizer.unit)
    if spending.simulated:
        warn(NOT_PRIVATE)
    elif account is None:
        warn(NO_LEDGER)
    with accounted(account):
        with progress("fit", quiet) as report:
            models = synthesizer.fit_many(data, fits, ledger=account or False, progress=watch or report)
        yield Fit(tuple(models), account, _public(table, schema), left_out)


def _unplaced(data: "Confidential", synthesizer: AnyReleasing) -> tuple[str, ...]:
    """Return the columns of a panel that a fit will hardly locate, where the numbers of units are public."""
    if not isinstance(data, HeldPanel) or not isinstance(synthesizer, PanelSynthesizer):
        return ()
    if synthesizer.schema.neighbours != "replace-one":
        return ()
    names = group_names(synthesizer.schema)
    groups = {names[group]: units for group, units in data.units.items()}
    return unplaced(synthesizer.plan(data.units), data.size, groups)


def _rows_at_most(data: "Confidential", synthesizer: AnyReleasing) -> int:
    """Return how many rows a release may have: as many as the table, or under add/remove what noise may make of them.

    The absolute noise of g counts exceeds 2 scales times (g log 2 + t) with a chance of at most exp(-t) (Chernoff's
    bound on a sum of exponentials): once in 10^12 runs here. A released size is at least 1.
    """
    panel, each = synthesizer.schema.panel, 1
    if isinstance(synthesizer, TableSynthesizer):
        counting = synthesizer.counting
    else:  # an appended period asks for no number of units
        costs = [leaf.cost for leaf in synthesizer.plan().leaves() if leaf.name == "units"]
        counting = costs[0] / panel.units_protected if costs and panel is not None else None
        each = len(panel.periods) if panel is not None and panel.layout == "long" else 1
    if counting is None:
        return data.copied_rows
    groups = len(group_keys(synthesizer.schema))
    epsilon = count_epsilon(counting, synthesizer.definition)
    noise = 2 * (groups * math.log(2) + 12 * math.log(10)) / float(epsilon)
    return data.copied_rows + each * (groups + math.ceil(noise))


def _public(table: pa.Table, schema: Schema) -> pa.Table | None:
    """Return the columns that synthetic rows take over: public ones, with the groups they lie in.

    A model of a panel holds them itself.
    """
    if schema.panel is not None or not any(column.public for column in schema.columns):
        return None
    return table.select([c.name for c in schema.columns if c.public or c.name in schema.by])


def _admitted(table: pa.Table, file: Where, synthesizer: AnyReleasing) -> "Confidential":
    """Read a table behind the border, or raise a DataError that lists every way in which it does not fit its schema."""
    try:
        return synthesizer.read(table)
    except MisfitError as error:
        listed = "\n".join(f"- {problem}" for problem in error.problems)
    raise DataError(f"{Place.of(file)} does not fit its schema; nothing was charged\n{listed}")
