"""`quantail ledger`: start, read, check and extend the account of what was spent on a data set."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quantail.cli.console import as_json, note, print_json, say
from quantail.cli.flags import PlainCommand, PlainGroup
from quantail.cli.options import Force, JsonFlag
from quantail.cli.outputs import check_outputs
from quantail.cli.staging import write_text
from quantail.errors import LedgerError, OptionError

if TYPE_CHECKING:
    from quantail.privacy.chain import Entry
    from quantail.privacy.ledger import Ledger

EXAMPLE = "quantail ledger show payroll.ledger"

commands = typer.Typer(cls=PlainGroup, no_args_is_help=True)
LedgerFile = Annotated[
    Path, typer.Argument(metavar="LEDGER", help="The ledger, one SQLite file per data set.")
]
Reason = Annotated[str, typer.Option(help="Why, in public words; it stays on record.")]


@commands.command(
    "init",
    cls=PlainCommand,
    epilog="Example: quantail ledger init payroll.ledger --dataset payroll --limit 2",
)
def init(
    path: LedgerFile,
    dataset: Annotated[str, typer.Option(help="Name of the data set, in public words.")],
    limit: Annotated[str, typer.Option(help="The most that may ever be spent on it.")],
    unit: Annotated[str, typer.Option(help="epsilon (pure DP) or rho (zCDP).")] = "epsilon",
) -> None:
    """Start the ledger of a data set with the most that may ever be spent on it."""
    from quantail.privacy.ledger import Ledger

    if unit not in ("epsilon", "rho"):
        raise OptionError("--unit must be epsilon (pure DP) or rho (zCDP)")
    Ledger.create(path, dataset, limit, "rho" if unit == "rho" else "epsilon")
    say(f"Started the ledger {path} for data set {dataset!r}: limit {limit} {unit}.")


@commands.command("show", cls=PlainCommand, epilog="Example: quantail ledger show payroll.ledger")
def show(path: LedgerFile, as_json: JsonFlag = False) -> None:
    """Show limit, spending and every record of a ledger."""
    from quantail.privacy.budget import as_decimal
    from quantail.privacy.ledger import Ledger

    ledger = Ledger.open(path)
    if as_json:
        print_json(account(ledger))
        return
    say(f"Data set {ledger.dataset!r}, in {ledger.unit}")
    say(
        f"limit {as_decimal(ledger.limit)}, spent {as_decimal(ledger.spent)}, left {as_decimal(ledger.left)}",
        style="bold",
    )
    fates = {entry.refers: entry.status for entry in ledger.entries() if entry.kind == "mark"}
    for entry in ledger.entries():
        if entry.kind != "mark":
            say(_line(entry, fates.get(entry.number, "")))
    say(f"head {ledger.head()}")


@commands.command(
    "verify",
    cls=PlainCommand,
    epilog="Example: quantail ledger verify payroll.ledger --mark safe/payroll.mark",
)
def verify(
    path: LedgerFile,
    head: Annotated[
        str | None, typer.Option(help="A hash kept elsewhere, such as the one on a release card.")
    ] = None,
    mark: Annotated[
        Path | None,
        typer.Option(help="A mark kept elsewhere (see export): tells whether the file is an old copy."),
    ] = None,
) -> None:
    """Recompute the chain of hashes and the sums; ends with exit code 6 if anything is wrong.

    A ledger that was copied back from a backup is sound in itself; only a hash or a mark kept elsewhere betrays it.
    """
    from quantail.privacy.high_water import HighWaterMark
    from quantail.privacy.ledger import Ledger

    ledger = Ledger.open(path)
    problems = ledger.verify(head, None if mark is None else HighWaterMark.load(mark))
    if problems:
        raise LedgerError(
            "\n".join([f"The ledger {path} is not sound:", *(f"- {each}" for each in problems)])
        )
    say(f"The ledger {path} is sound.", style="green")


@commands.command(
    "raise",
    cls=PlainCommand,
    epilog='Example: quantail ledger raise payroll.ledger --limit 3 --by "review board" --reason "2025"',
)
def raise_limit(
    path: LedgerFile,
    limit: Annotated[str, typer.Option(help="The new limit, above the old one.")],
    by: Annotated[str, typer.Option(help="Who decided that; it stays on record.")],
    reason: Reason,
) -> None:
    """Allow more to be spent from now on; the old limit, who decided and why stay on record."""
    from quantail.privacy.budget import as_decimal
    from quantail.privacy.ledger import Ledger

    ledger = Ledger.open(path)
    ledger.raise_limit(limit, reason, by=by)
    say(f"The limit of {path} is now {as_decimal(ledger.limit)}; left {as_decimal(ledger.left)}.")


@commands.command(
    "charge",
    cls=PlainCommand,
    epilog='Example: quantail ledger charge payroll.ledger --epsilon 0.5 --reason "table of 2023"',
)
def charge(
    path: LedgerFile,
    reason: Reason,
    epsilon: Annotated[
        str | None, typer.Option("--epsilon", "-e", help="What was spent, in epsilon.")
    ] = None,
    rho: Annotated[str | None, typer.Option(help="What was spent, in rho (zCDP).")] = None,
) -> None:
    """Enter what was spent on the data set elsewhere: by another program, or by a run that the ledger has lost.

    It counts like any charge, so what is entered here can no longer be spent by a release.
    """
    from quantail.privacy.budget import as_decimal, parse_amount
    from quantail.privacy.ledger import ELSEWHERE, Ledger

    if (epsilon is None) == (rho is None):
        raise OptionError("say what was spent by --epsilon or by --rho, one of them")
    amount = parse_amount(epsilon or rho or "", "--epsilon" if rho is None else "--rho")
    ledger = Ledger.open(path)
    entry = ledger.charge(amount, f"elsewhere: {reason}", ELSEWHERE, unit="epsilon" if rho is None else "rho")
    say(
        f"Entered {as_decimal(amount)} {ledger.unit} as record {entry.number} of {path}; "
        f"left {as_decimal(ledger.left)}."
    )


@commands.command(
    "export", cls=PlainCommand, epilog="Example: quantail ledger export payroll.ledger -o account.json"
)
def export(
    path: LedgerFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; stdout if left out.")
    ] = None,
    mark: Annotated[
        Path | None,
        typer.Option(help="Write only how far the ledger has come, to be kept elsewhere, for verify --mark."),
    ] = None,
    force: Force = False,
) -> None:
    """Write the whole ledger as JSON, for archives and auditors; or its mark, a few lines to keep elsewhere.

    A mark that is there already is moved forward with --force, and only by a ledger that still holds it.
    """
    from quantail.privacy.ledger import Ledger

    ledger = Ledger.open(path)
    if mark is not None:
        if output is not None:
            raise OptionError("--mark and --output are two files; write them one at a time")
        check_outputs([mark], [path], force)
        ledger.renew_mark(mark)
        note(
            f"Wrote {mark}. Keep it where the ledger is not; `synth --mark` and `fit --mark` move it forward."
        )
        return
    content = account(ledger)
    if output is None:
        print_json(content)
        return
    write_text(output, as_json(content), force)
    note(f"Wrote {output}.")


def account(ledger: "Ledger") -> dict[str, Any]:
    """Give a ledger as plain JSON values; amounts are exact texts such as "1/3"."""
    entries = [
        {**asdict(entry), "amount": None if entry.amount is None else str(entry.amount)}
        for entry in ledger.entries()
    ]
    return {
        "dataset": ledger.dataset,
        "unit": ledger.unit,
        "limit": str(ledger.limit),
        "spent": str(ledger.spent),
        "left": str(ledger.left),
        "head": ledger.head(),
        "entries": entries,
    }


def _line(entry: "Entry", fate: str) -> str:
    from quantail.privacy.budget import as_decimal
    from quantail.privacy.ledger import ELSEWHERE

    amount = as_decimal(entry.amount) if entry.amount is not None else ""
    words = {"open": f"limit {amount}", "limit": f"limit raised to {amount}", "charge": f"charged {amount}"}
    parts = [f"{entry.number:>4}  {entry.time}  {words[entry.kind]}", entry.purpose]
    if entry.kind == "charge" and entry.plan_hash != ELSEWHERE:
        parts.append(fate or "not marked")
    return "; ".join(part for part in parts if part)
