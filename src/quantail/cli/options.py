"""Options that several commands share, so that they read and behave the same everywhere."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from quantail.errors import OptionError

# Methods of tables and panels, and engines: written here, so that a shell completes them without loading anything.
METHODS = ("tables", "pooled", "kng", "stepwise", "sandwich")
ENGINES = ("local", "processes", "dask")


# Panels of `--help`: what most runs do without stands apart.
ACCOUNT, PAPER = "Account of what was spent", "The paper's methods"
LARGE, TESTS = "Large tables", "Tests"


def one_of(*words: str) -> Callable[[str], list[str]]:
    """Return what completes the beginning of one of these words in a shell."""

    def completed(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return completed


def _present_word(draw: str | None) -> str | None:
    if draw != "rungs":
        return draw
    from quantail.cli.console import note

    note("--draw rungs is called --draw quantiles now")
    return "quantiles"


Force = Annotated[bool, typer.Option("--force", help="Replace output files that exist.")]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]
SchemaPath = Annotated[
    Path, typer.Option("--schema", "-s", help="Schema file (TOML): what is public about the table.")
]
SchemaBeside = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        "-s",
        help="Schema file (TOML): what is public about the table; schema.toml beside the table if left out.",
    ),
]
Epsilon = Annotated[
    str,
    typer.Option(
        "--epsilon",
        "-e",
        metavar="NUMBER",
        help='Privacy budget, for instance 1, 0.25 or "1/3"; less is stricter.',
    ),
]
Definition = Annotated[
    str,
    typer.Option(
        metavar="pure|zcdp",
        autocompletion=one_of("pure", "zcdp"),
        help="pure (epsilon-DP) or zcdp (needs --delta; converted from epsilon and delta).",
    ),
]
Delta = Annotated[
    str | None, typer.Option(metavar="NUMBER", help="With --definition zcdp only, for instance 1e-6.")
]
Method = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        autocompletion=one_of(*METHODS),
        help="How rows are modelled. Tables: tables (the default), quantiles and slopes of each column, then tables of "
        "counts where the model is most wrong. Panels: pooled (the default). Both: the paper's methods made valid, "
        "kng, stepwise and sandwich.",
        show_default=False,
    ),
]
Slopes = Annotated[
    str | None,
    typer.Option(
        metavar="fixed|varying",
        autocompletion=one_of("fixed", "varying"),
        help="fixed (all quantiles share the median's slopes) or varying.",
        rich_help_panel=PAPER,
    ),
]
Draw = Annotated[
    str | None,
    typer.Option(
        callback=_present_word,
        metavar="quantiles|interpolate",
        autocompletion=one_of("quantiles", "interpolate"),
        help="quantiles (values are released quantiles) or interpolate (between them).",
        rich_help_panel=PAPER,
    ),
]
Taus = Annotated[
    str | None,
    typer.Option(
        metavar="LEVELS",
        help="The quantiles to ask for, for instance 0.05,0.25,0.5,0.75,0.95.",
        rich_help_panel=PAPER,
    ),
]
MainQuantiles = Annotated[
    str | None,
    typer.Option(
        "--main",
        metavar="LEVELS",
        help="With --method sandwich: the quantiles that come first, for instance 0.25,0.5,0.75.",
        rich_help_panel=PAPER,
    ),
]
Shares = Annotated[
    str | None,
    typer.Option(
        metavar="SHARES",
        help="What the median and the main quantiles get of a column's budget, and columns "
        "of the whole, for instance median=0.8,main=0.8,columns=0.5:0.25:0.25. A pair (median=0.25:0.8) tells columns "
        "without predictors from those with.",
        rich_help_panel=PAPER,
    ),
]
LedgerPath = Annotated[
    Path | None,
    typer.Option(
        "--ledger", "-l", help="Account of what was spent on this data set.", rich_help_panel=ACCOUNT
    ),
]
NewLedger = Annotated[
    bool,
    typer.Option(
        "--new-ledger",
        help="Start the account with this release; it must not exist yet.",
        rich_help_panel=ACCOUNT,
    ),
]
MarkPath = Annotated[
    Path | None,
    typer.Option(
        "--mark",
        help="A small file, kept apart from the ledger, that says how far it had come (`ledger export --mark`). "
        "A ledger that was copied back from a backup is refused; the mark is moved forward.",
        rich_help_panel=ACCOUNT,
    ),
]
NoLedger = Annotated[
    bool,
    typer.Option(
        "--no-ledger", help="Spend without an account. You must keep count yourself.", rich_help_panel=ACCOUNT
    ),
]
Limit = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="With --new-ledger: the most that may ever be spent; by default what this release costs.",
        rich_help_panel=ACCOUNT,
    ),
]
SimulateNoise = Annotated[
    bool,
    typer.Option(
        "--simulate-noise", help="Seeded noise for tests: the result is NOT PRIVATE.", rich_help_panel=TESTS
    ),
]
Seed = Annotated[int | None, typer.Option(help="Seed of the simulated noise.", rich_help_panel=TESTS)]
Rows = Annotated[
    int | None,
    typer.Option("--rows", "-n", help="Rows to draw; by default as many as the model was made for."),
]
Replicates = Annotated[
    int, typer.Option("--replicates", "-m", help="Tables to draw from one fit, at no further cost.")
]
Fits = Annotated[
    int,
    typer.Option(
        min=1,
        help="Fits of the table, a table from each: COSTS THIS MANY TIMES EPSILON. Tables from one fit "
        "(--replicates) are free.",
    ),
]
ReportPath = Annotated[
    Path | None,
    typer.Option("--report", help="Also write an internal report (HTML) that compares with the real rows."),
]
Formulas = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FORMULA",
        help='A regression to compare, such as "log(pay) ~ age + C(region)", "logistic: union ~ pay" or '
        '"quantile(0.9): pay ~ age"; may be given several times.',
    ),
]
EngineChoice = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        autocompletion=one_of(*ENGINES),
        help="For a folder of partitions: where the work is done; local, processes or dask.",
        rich_help_panel=LARGE,
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        help="With --engine dask: address of its scheduler, such as tcp://host:8786.", rich_help_panel=LARGE
    ),
]
Workers = Annotated[
    int | None, typer.Option(help="With --engine processes: how many of them.", rich_help_panel=LARGE)
]
TableInput = Annotated[
    str,
    typer.Argument(
        metavar="TABLE", help="The confidential table: a file, a folder of Parquet files, or a database URL."
    ),
]
TableOutput = Annotated[
    str,
    typer.Option(
        "--output", "-o", help="Synthetic table to write: .csv, .parquet, .dta, .sav, .xlsx, ..., or a URL."
    ),
]


def order_options(
    slopes: str | None = None,
    draw: str | None = None,
    taus: str | None = None,
    main: str | None = None,
    shares: str | None = None,
) -> dict[str, Any]:
    """Return what was typed for the paper's methods as a synthesizer takes it, without what was not given.

    Examples
    --------
    >>> order_options(taus="0.25,0.5", shares="median=0.8")
    {'taus': [0.25, 0.5], 'shares': {'median': '0.8'}}
    """
    typed = {
        "slopes": slopes,
        "draw": draw,
        "taus": _levels(taus, "--taus"),
        "main": _levels(main, "--main"),
        "shares": _shares(shares),
    }
    return {name: value for name, value in typed.items() if value is not None}


def _levels(text: str | None, option: str) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(Fraction(part.strip())) for part in text.split(",")]
    except (ValueError, ZeroDivisionError) as fault:
        raise OptionError(
            f"{option} lists levels between 0 and 1, for instance {option} 0.25,0.5,0.75"
        ) from fault


def _shares(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    shares: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name in shares:
            raise OptionError("--shares names each share once, for instance --shares median=0.8,main=0.8")
        parts = value.split(":")
        shares[name] = parts if len(parts) > 1 or name == "columns" else value
    return shares
