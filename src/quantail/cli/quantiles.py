"""`quantail quantiles`: many quantiles of one column for one epsilon, without a model of the table."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from quantail.cli import options
from quantail.errors import OptionError

EXAMPLE = "quantail quantiles payroll.csv --column payroll --levels 0.1,0.5,0.9 -s schema.toml -e 1 -l payroll.ledger"


def quantiles(
    file: options.TableInput,
    column: Annotated[str, typer.Option(help="A column of numbers.")],
    levels: Annotated[
        str, typer.Option(help="Between 0 and 1, with commas: 0.25,0.5,0.75. More cost no more.")
    ],
    epsilon: options.Epsilon,
    schema: Annotated[
        Path | None,
        typer.Option("--schema", "-s", help="Says what is public about the column; or say it here:"),
    ] = None,
    period: Annotated[
        str | None, typer.Option(help="Of a panel: the period that is asked about, such as 2020 or 2020-01.")
    ] = None,
    lower: Annotated[float | None, typer.Option(help="Public lower bound, not one from the data.")] = None,
    upper: Annotated[float | None, typer.Option(help="Public upper bound, not one from the data.")] = None,
    grid: Annotated[str, typer.Option(help="linear, or log for heavy tails and generous bounds.")] = "linear",
    decimals: Annotated[
        int | None, typer.Option(help="How many decimals the values are recorded with.")
    ] = None,
    unit: Annotated[str, typer.Option(help="What a row stands for and is protected.")] = "row",
    name: Annotated[str, typer.Option(help="The data set's name, as its ledger has it.")] = "",
    source: Annotated[str, typer.Option(help="Where the bounds are known from.")] = "",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also write them: .csv, .parquet, ..., with a card beside it."),
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
    """Release quantiles of one column, all of them for one epsilon, each with a band for its true level.

    Pure differential privacy, replace-one. The answers may be published; asking again costs again.
    """
    from quantail.answers import bounded_column
    from quantail.answers import quantiles as ask
    from quantail.cli.account import Payment
    from quantail.cli.answering import release_answer
    from quantail.cli.release import ReleaseOptions
    from quantail.schema import Schema

    payment = Payment(ledger, new_ledger, limit, mark)
    spending = ReleaseOptions(
        epsilon, simulated=simulate_noise, seed=seed, payment=payment, no_ledger=no_ledger
    )
    if schema is not None:
        about = Schema.load(schema)
    else:
        about = bounded_column(column, lower, upper, cast(Any, grid), decimals, source, unit, name)
    cards = [] if output is None else [output.with_suffix(f".card.{kind}") for kind in ("json", "md")]
    question = partial(ask, file, column, _levels(levels), epsilon, schema=about, period=period)
    release_answer(question, about, spending, [file, schema, ledger, mark], cards, output, force, in_json)


def _levels(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError("--levels must be numbers between 0 and 1 with commas: 0.25,0.5,0.75") from None
