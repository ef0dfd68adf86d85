"""`quantail infer`: what a synthetic table says about the population, with honest intervals."""

from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from quantail.cli.console import cores, note, print_json, progress, say, warn
from quantail.cli.options import JsonFlag, Quiet
from quantail.errors import OptionError
from quantail.release import NOT_PRIVATE

EXAMPLE = 'quantail infer model.json synthetic.parquet "log(payroll) ~ log(employees)" "gini(payroll)"'

_LEGEND = (
    "estimate, interval: for the population behind the confidential table, estimated bias subtracted, privacy noise "
    "and sampling accounted for; naive: what one would state who took the synthetic table for a real sample."
)


def infer(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="The released model that the table was drawn from (JSON).")
    ],
    synth: Annotated[
        str, typer.Argument(metavar="SYNTH", help="The synthetic table: a file, a folder or a database URL.")
    ],
    questions: Annotated[
        list[str],
        typer.Argument(
            metavar="QUESTION...",
            help='What to estimate: "pay ~ age + C(region)", "logistic: union ~ pay", "quantile(0.9): pay ~ age", '
            '"mean(pay)", "quantile(pay, 0.9)", "share(sector = mill)", "total(pay)", "top(pay, 0.01)", "gini(pay)", '
            '"hill(pay)"; of a panel "growth ~ log(size) + age" '
            'and "flows(emp)". Several share the reruns.',
        ),
    ],
    where: Annotated[
        str | None,
        typer.Option(help='Only rows in which this holds: "employees > 50 and sector in [mill, mine]".'),
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    effort: Annotated[
        str,
        typer.Option(
            help="quick (12 reruns), accurate (200), or a number of reruns; each takes as long as a fit."
        ),
    ] = "quick",
    replicate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TABLE",
            help="A further synthetic table from the same model, over which estimates are averaged; may be given "
            "several times.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The same seed gives the same reruns again.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; by default one per core.")] = None,
    as_json: JsonFlag = False,
    quiet: Quiet = False,
) -> None:
    """Estimate regressions, means, quantiles, top shares, Gini or flows with intervals that account for privacy noise.

    The whole mechanism is run again on tables simulated from the released model, to see how far its estimates fall from
    the model's own. Only released files are read: no budget is spent, and the answers may be published.
    """
    from quantail.inference import infer as estimate
    from quantail.io import read_released
    from quantail.table_or_panel import load_model

    fitted = load_model(model)
    if not fitted.private:
        warn(NOT_PRIVATE)
    tables = [read_released(path, fitted.schema) for path in (synth, *(replicate or []))]
    with progress("infer", quiet) as report:
        results = estimate(
            fitted,
            tables,
            questions,
            where=where,
            level=level,
            effort=_effort(effort),
            seed=seed,
            workers=workers or cores(),
            progress=report,
        )
    if as_json:
        print_json([result.to_dict() for result in results])
        return
    for result in results:
        say(*str(result).split("\n"), "")
    note(_LEGEND)


def _effort(text: str) -> Literal["quick", "accurate"] | int:
    if text.isdecimal():
        return int(text)
    if text not in ("quick", "accurate"):
        raise OptionError("--effort must be quick, accurate, or a whole number of reruns such as 100")
    return cast(Literal["quick", "accurate"], text)
