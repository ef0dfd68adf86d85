"""`quantail bound`: a bound for the sizes of a column, paid for, where nothing public tells one."""

from pathlib import Path
from typing import Annotated, Any

import typer

from quantail.cli.console import NOT_PRIVATE, as_json, note, print_json, say, warn
from quantail.cli.options import (
    Epsilon,
    Force,
    JsonFlag,
    LedgerPath,
    Limit,
    MarkPath,
    NewLedger,
    NoLedger,
    Seed,
    SimulateNoise,
    TableInput,
)

EXAMPLE = "quantail bound payroll.csv --column payroll -e 0.05 --name payroll-example -l payroll.ledger"


def bound(
    file: TableInput,
    column: Annotated[str, typer.Option(help="A column of numbers.")],
    epsilon: Epsilon,
    unit: Annotated[str, typer.Option(help="What a row stands for and is protected.")] = "row",
    name: Annotated[str, typer.Option(help="The data set's name, as its ledger has it.")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Card to write (.json), with one to read (.md).")
    ] = None,
    ledger: LedgerPath = None,
    new_ledger: NewLedger = False,
    limit: Limit = None,
    mark: MarkPath = None,
    no_ledger: NoLedger = False,
    simulate_noise: SimulateNoise = False,
    seed: Seed = None,
    force: Force = False,
    in_json: JsonFlag = False,
) -> None:
    """Ask for a bound of a column's sizes, for a schema: where no rule, form or codebook tells one.

    Pure differential privacy, replace-one; a few percent of the budget suffice. The answer may be published; asking
    again costs again.
    """
    from quantail.answers import answer_card, card_markdown
    from quantail.answers import bound as ask
    from quantail.answers.bounds import asked_column
    from quantail.cli.account import Payment, accounted, open_account
    from quantail.cli.outputs import check_outputs
    from quantail.cli.release import ReleaseOptions
    from quantail.cli.staging import Staging
    from quantail.privacy import parse_epsilon
    from quantail.release.paying import NO_LEDGER

    payment = Payment(ledger, new_ledger, limit, mark)
    options = ReleaseOptions(
        epsilon, simulated=simulate_noise, seed=seed, payment=payment, no_ledger=no_ledger
    )
    paths = [] if output is None else [output, output.with_suffix(".md")]
    check_outputs(paths, [path for path in (file, ledger, mark) if path is not None], force)
    account = open_account(payment, asked_column(column, unit, name), parse_epsilon(epsilon), "epsilon")
    if options.simulated or account is None:
        warn(NOT_PRIVATE if options.simulated else NO_LEDGER)
    noise: Any = {"noise": "simulated" if options.simulated else "secure", "seed": seed}
    with accounted(account), Staging(paths) as staging:
        found = ask(file, column, epsilon, ledger=account or False, unit=unit, name=name, **noise)
        card = answer_card(found)
        for path, text in zip(paths, (as_json(card), card_markdown(card)), strict=False):
            staging.place(path).write_text(text, encoding="utf-8", newline="\n")
        if account is not None:
            account.confirm()
        staging.commit()
    if in_json:
        print_json(card)
    else:
        say(*str(found).split("\n"))
    for path in paths:
        note(f"Wrote {path}" + ("" if found.facts().private else "  (NOT PRIVATE)"))
