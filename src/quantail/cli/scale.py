"""`quantail synth` with an engine: a folder of Parquet files in, a folder with its release card out."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quantail.cli.account import Account, accounted, open_account
from quantail.cli.cards import card_paths, write_card
from quantail.cli.console import note, progress, say, warn
from quantail.cli.outputs import check_folder
from quantail.cli.staging import Staging
from quantail.engines import Engine, synthesize_panel, synthesize_table
from quantail.engines.publication import check_output_folder
from quantail.errors import DataError, OptionError
from quantail.panel import PanelSynthesizer
from quantail.release import NOT_PRIVATE
from quantail.release.facts import Facts
from quantail.release.progress import Progress
from quantail.report import release_card
from quantail.schema import Schema, formula_columns, formula_warning

if TYPE_CHECKING:
    from quantail.cli.release import ReleaseOptions
    from quantail.table_or_panel import AnySynthesizer


def check_alone(**others: Any) -> None:
    """Raise an OptionError for options that go with single tables only."""
    for name, value in others.items():
        if value not in (None, False, 1):
            raise OptionError(f"--{name} does not go with --engine; leave it out")


def synth_folder(
    folder: Path, output: Path, schema: Schema, spending: "ReleaseOptions", engine: Engine, quiet: bool
) -> None:
    """Synthesize a partitioned table or panel; the charge is marked when that is over."""
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder; with --engine, name a folder of Parquet files")
    synthesizer = spending.synthesizer(schema)
    check_output_folder(output, folder)
    paid = spending.payment
    check_folder(output, [paid.ledger, paid.mark])
    account = open_account(paid, schema, synthesizer.cost, synthesizer.unit)
    if spending.simulated:
        warn(NOT_PRIVATE)
    with accounted(account), progress("groups", quiet) as report:
        _run(folder, output, synthesizer, engine, account, report)
    say(f"Wrote {output}" + ("  (NOT PRIVATE)" if spending.simulated else ""))
    for name in formula_columns(schema):
        warn(formula_warning(name))
    if not spending.simulated:
        note("Release the folder together with its card, _release.card.html. The models may be released too.")


def _run(
    folder: Path,
    output: Path,
    synthesizer: "AnySynthesizer",
    engine: Engine,
    account: Account | None,
    report: Progress,
) -> None:
    finish = partial(_write_card, account)
    if isinstance(synthesizer, PanelSynthesizer):
        synthesize_panel(folder, output, synthesizer, engine, ledger=account, progress=report, finish=finish)
    else:
        synthesize_table(folder, output, synthesizer, engine, ledger=account, progress=report, finish=finish)


def _write_card(account: Account | None, facts: Facts, folder: Path) -> None:
    """Put the card into the folder before it appears: there is no release without its card."""
    entry = account.charges[-1] if account else None
    card, beside = (
        release_card(facts, rows=facts.size, ledger=account, entry=entry),
        folder / "_release.table",
    )
    with Staging(card_paths(beside)) as staging:
        write_card(card, beside, staging)
        staging.commit()
