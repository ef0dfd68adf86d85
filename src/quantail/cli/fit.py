"""`quantail fit`: spend the budget once and keep the model; tables can be drawn from it for free."""

from pathlib import Path
from typing import Annotated

import typer

from quantail.cli import options
from quantail.cli.console import note, say

EXAMPLE = "quantail fit payroll.csv -s schema.toml -e 1 -l payroll.ledger -o model.json"


def fit(
    file: options.TableInput,
    schema: options.SchemaPath,
    epsilon: options.Epsilon,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write (JSON).")],
    ledger: options.LedgerPath = None,
    definition: options.Definition = "pure",
    delta: options.Delta = None,
    method: options.Method = None,
    slopes: options.Slopes = None,
    draw: options.Draw = None,
    taus: options.Taus = None,
    main: options.MainQuantiles = None,
    shares: options.Shares = None,
    new_ledger: options.NewLedger = False,
    limit: options.Limit = None,
    mark: options.MarkPath = None,
    no_ledger: options.NoLedger = False,
    simulate_noise: options.SimulateNoise = False,
    seed: options.Seed = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Fit a differentially private model of a table or panel and save it as readable JSON.

    The model is private itself and may be released, with the card that is written beside it. Drawing tables
    from it with `quantail sample` costs nothing more.
    """
    from quantail.cli.account import Payment
    from quantail.cli.cards import card_paths, write_card
    from quantail.cli.outputs import check_outputs
    from quantail.cli.release import ReleaseOptions, paid_fit
    from quantail.cli.staging import Staging
    from quantail.report import release_card
    from quantail.schema import Schema

    payment = Payment(ledger, new_ledger, limit, mark)
    order = options.order_options(slopes, draw, taus, main, shares)
    spending = ReleaseOptions(
        epsilon, definition, delta, method, simulate_noise, seed, payment, no_ledger, order
    )
    facts = Schema.load(schema)
    paths = (*card_paths(output), output)  # where the model has appeared, its card has
    check_outputs(paths, [file, schema, ledger, mark], force)
    with paid_fit(file, facts, spending, quiet) as paid, Staging(paths) as staging:
        paid.model.save(staging.place(output))
        card = release_card(
            paid.model, rows=paid.model.rows, ledger=paid.account, entry=paid.entry, left_out=paid.left_out
        )
        write_card(card, output, staging)
        paid.confirm()
        staging.commit()
    for path in paths:
        say(f"Wrote {path}" + ("" if paid.model.private else "  (NOT PRIVATE)"))
    note(f"Next: quantail sample {output} -o synthetic.parquet")
