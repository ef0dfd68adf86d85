"""`quantail bound`: a bound for the sizes of a column, paid for, where nothing public tells one."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from quantail.cli import options

EXAMPLE = "quantail bound payroll.csv --column payroll -s draft.toml -e 0.05 -l payroll.ledger"


def bound(
    file: options.TableInput,
    column: Annotated[str, typer.Option(help="A column of numbers.")],
    epsilon: options.Epsilon,
    schema: Annotated[
        Path | None,
        typer.Option(
            "--schema",
            "-s",
            help="Complete or a draft: says unit, name and [csv], and the column's missing_codes.",
        ),
    ] = None,
    unit: Annotated[str | None, typer.Option(help="What a row stands for and is protected.")] = None,
    name: Annotated[str | None, typer.Option(help="The data set's name, as its ledger has it.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Card to write (.json), with one to read (.md).")
    ] = None,
    ledger: options.LedgerPath = None,
    new_ledger: options.NewLedger = False,
    limit: options.Limit = None,
    mark: options.MarkPath = None,
    no_ledger: options.NoLedger = False,
    simulate_noise: options.SimulateNoise = False,
    seed: options.Seed = None,
    force: options.Force = False,
    in_json: options.JsonFlag = False,
) -> None:
    """Ask for a bound of a column's sizes, for a schema: where no rule, form or codebook tells one.

    Pure differential privacy, replace-one; a few percent of the budget suffice. The answer may be published; asking
    again costs again.
    """
    from quantail.answers import bound as ask
    from quantail.answers.bounds import asked_column
    from quantail.cli.account import Payment
    from quantail.cli.answering import release_answer
    from quantail.cli.release import ReleaseOptions
    from quantail.schema import TableFacts

    payment = Payment(ledger, new_ledger, limit, mark)
    spending = ReleaseOptions(
        epsilon, simulated=simulate_noise, seed=seed, payment=payment, no_ledger=no_ledger
    )
    cards = [] if output is None else [output, output.with_suffix(".md")]
    told = TableFacts() if schema is None else TableFacts.load(schema, column)
    facts = replace(told, unit=unit or told.unit, name=name or told.name)
    question = partial(ask, file, column, epsilon, **vars(facts))
    about = asked_column(column, facts)
    release_answer(question, about, spending, [file, schema, ledger, mark], cards, None, force, in_json)
