"""`quantail append`: a published synthetic panel and a confidential new period in, one period more out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quantail.cli import options
from quantail.errors import DataError

if TYPE_CHECKING:
    from quantail.schema import Schema

EXAMPLE = (
    "quantail append made-2015.csv register.csv -s schema.toml -e 0.1 -l register.ledger -o made-2016.csv"
)


def append(
    released: Annotated[
        Path,
        typer.Argument(
            metavar="RELEASED",
            help="The synthetic panel as it was published, with its card (.card.json) beside it.",
        ),
    ],
    file: options.TableInput,
    schema: options.SchemaPath,
    epsilon: options.Epsilon,
    output: options.TableOutput,
    ledger: options.LedgerPath = None,
    mark: options.MarkPath = None,
    no_ledger: options.NoLedger = False,
    simulate_noise: options.SimulateNoise = False,
    seed: options.Seed = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Append a period to a published synthetic panel; its earlier periods stay as they are.

    The schema is that of the release, with `end` in [panel] raised to the new period. Of TABLE only the last two
    periods are looked at. The new period costs EPSILON, which adds to what was spent before; the card is written beside
    the output.
    """
    from quantail.cli.account import Payment
    from quantail.cli.release import ReleaseOptions, paid_fit
    from quantail.cli.release_files import ReleaseFiles
    from quantail.io import Place, read_released
    from quantail.panel.appending import PeriodSynthesizer, schema_before
    from quantail.schema import Schema

    facts = Schema.load(schema)
    before = schema_before(facts)
    check_published(released, before, simulate_noise, ledger)
    payment = Payment(ledger, mark=mark)
    outputs = ReleaseFiles(Place.of(output), force=force)
    outputs.check([released, file, schema, ledger, mark])
    spending = ReleaseOptions(
        epsilon, simulated=simulate_noise, seed=seed, payment=payment, no_ledger=no_ledger
    )
    noise: Any = "simulated" if simulate_noise else "secure"
    synthesizer = PeriodSynthesizer(facts, epsilon, read_released(released, before), noise=noise, seed=seed)
    with paid_fit(file, facts, spending, quiet, outputs.dry_run, synthesizer=synthesizer) as fit:
        outputs.write(fit.model, seed, fit)
    outputs.announce(fit.model)


def check_published(released: Path, schema: "Schema", simulated: bool, ledger: Path | None) -> None:
    """Raise a DataError unless a file has a card beside it that says it is a synthetic panel of this schema.

    A confidential panel given by mistake would be copied into the output; it has no card. If the card names the charge
    that paid for the panel, that is in the ledger: what was spent on a unit adds up in one place.
    """
    import json

    from quantail.cli.cards import card_paths
    from quantail.privacy import Ledger

    path = card_paths(released)[0]
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
        private, terms, receipt = card["private"], card["terms"]["schema"], card["ledger"]
    except (OSError, ValueError, KeyError, TypeError):
        raise DataError(
            f"There is no release card {path}: a period is appended to a synthetic panel that was published, so keep "
            "its card beside it"
        ) from None
    if not private and not simulated:
        raise DataError(
            f"{released} was made with simulated noise, says {path}: give the panel that was published"
        )
    if terms != schema.to_toml():
        raise DataError(
            f"{released} was released under another schema, says {path}: use that schema, and change nothing but end "
            "in [panel], which is one period later"
        )
    if receipt is None or ledger is None or not ledger.exists():
        return
    if receipt["hash"] not in {entry.hash for entry in Ledger.open(ledger).entries()}:
        raise DataError(
            f"The charge for {released} is not in the ledger {ledger}: name the ledger that paid for it, so that what "
            "was spent adds up"
        )
