"""`quantail sample`: draw synthetic tables from a fitted model, at no further cost."""

from pathlib import Path
from typing import Annotated

import typer

from quantail.cli.options import Force, Replicates, Rows, TableOutput

EXAMPLE = "quantail sample model.json -n 5000 --replicates 3 -o synthetic.parquet"


def sample(
    model: Annotated[Path, typer.Argument(help="A model that `quantail fit` saved.")],
    output: TableOutput,
    rows: Rows = None,
    replicates: Replicates = 1,
    seed: Annotated[int | None, typer.Option(help="Draw the same rows again.")] = None,
    force: Force = False,
) -> None:
    """Draw synthetic tables from a model; no data are read and no budget is spent.

    The release card is written beside the output, as .card.json, .card.md and .card.html.
    """
    from quantail.cli.bundle import Bundle
    from quantail.frames import Place
    from quantail.synthesis import TableModel

    bundle = Bundle(Place.of(output), rows, replicates, force=force)
    bundle.check([model])
    fitted = TableModel.load(model)
    bundle.write(fitted, seed)
    bundle.announce(fitted.private)
