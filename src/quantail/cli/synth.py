"""`quantail synth`: a confidential table or panel in, a synthetic one and its release card out."""

from pathlib import Path
from typing import Annotated

import typer

from quantail.cli import options

EXAMPLE = "quantail synth payroll.csv -s schema.toml -e 1 -l payroll.ledger --new-ledger -o synthetic.parquet"


def synth(
    file: options.TableInput,
    schema: options.SchemaPath,
    epsilon: options.Epsilon,
    output: options.TableOutput,
    ledger: options.LedgerPath = None,
    rows: options.Rows = None,
    replicates: options.Replicates = 1,
    fits: options.Fits = 1,
    definition: options.Definition = "pure",
    delta: options.Delta = None,
    method: options.Method = None,
    slopes: options.Slopes = None,
    draw: options.Draw = None,
    taus: options.Taus = None,
    main: options.MainQuantiles = None,
    shares: options.Shares = None,
    model: Annotated[Path | None, typer.Option(help="Also save the fitted model here (JSON).")] = None,
    report: options.ReportPath = None,
    new_ledger: options.NewLedger = False,
    limit: options.Limit = None,
    mark: options.MarkPath = None,
    no_ledger: options.NoLedger = False,
    simulate_noise: options.SimulateNoise = False,
    seed: options.Seed = None,
    engine: options.EngineChoice = None,
    scheduler: options.Scheduler = None,
    workers: options.Workers = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Make a differentially private synthetic copy of a table or panel (fit and sample in one go).

    Beside the output its release card is written as .card.json, .card.md and .card.html. The ledger is
    charged before any value is worked on, and what was charged stays spent even if the run fails.

    With --engine, TABLE is a folder of Parquet files, in a folder for every group (region=north/...), and the
    output is a folder laid out alike.
    """
    from quantail.cli.account import Payment
    from quantail.cli.panels import refuse_for_panels
    from quantail.cli.release import ReleaseOptions, paid_fit
    from quantail.cli.release_files import ReleaseFiles
    from quantail.cli.report import check_report, write_internal
    from quantail.io import Place
    from quantail.schema import Schema

    payment = Payment(ledger, new_ledger, limit, mark)
    order = options.order_options(slopes, draw, taus, main, shares)
    spending = ReleaseOptions(
        epsilon, definition, delta, method, simulate_noise, seed, payment, no_ledger, order
    )
    facts = Schema.load(schema)
    refuse_for_panels(facts, rows=rows)
    if engine is not None or scheduler is not None or workers is not None:
        from quantail.cli.scale import check_alone, synth_folder
        from quantail.engines import engine_of

        check_alone(rows=rows, replicates=replicates, fits=fits, model=model, report=report, force=force)
        with engine_of(engine or "local", scheduler, workers) as chosen:
            synth_folder(Path(file), Path(output), facts, spending, chosen, quiet)
        return
    outputs = ReleaseFiles(Place.of(output), rows, replicates, model, force, fits)
    outputs.check([file, schema, ledger, mark, report])
    if report is not None:
        check_report(report, [file, schema, ledger, mark, *outputs.tables, *outputs.paths], force)
    with paid_fit(file, facts, spending, quiet, outputs.dry_run, fits) as fit:
        outputs.write(fit.model, seed, fit)
    outputs.announce(fit.model)
    if report is not None:
        write_internal(report, file, outputs.tables[0], facts, model=fit.model, force=force)
