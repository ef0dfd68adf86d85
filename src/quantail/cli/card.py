"""`quantail card`: the card of a release in the forms of data portals and of the registry of DP deployments."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from quantail.cli.console import as_json, note, say
from quantail.cli.options import Force
from quantail.cli.outputs import check_outputs
from quantail.cli.staging import write_text
from quantail.errors import DataError, OptionError

EXAMPLE = (
    "quantail card synthetic.card.json --format croissant --table synthetic.csv -o synthetic.croissant.json"
)


def card(
    card: Annotated[
        Path, typer.Argument(metavar="CARD", help="The card of a release, as JSON (.card.json).")
    ],
    form: Annotated[
        Literal["croissant", "registry"],
        typer.Option(
            "--format", help="Croissant (JSON-LD), or an entry for the registry of DP deployments (YAML)."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.")],
    curator: Annotated[str, typer.Option(help="Who publishes the table.")] = "",
    table: Annotated[
        Path | None, typer.Option(help="croissant: the synthetic table, CSV or Parquet.")
    ] = None,
    url: Annotated[str, typer.Option(help="croissant: where the table is published.")] = "",
    license: Annotated[str, typer.Option(help="croissant: its licence, such as CC-BY-4.0.")] = "",
    curator_type: Annotated[
        str | None, typer.Option(help="registry: Government, Industry or Nonprofit.")
    ] = None,
    region: Annotated[str | None, typer.Option(help="registry: what region the data describe.")] = None,
    use: Annotated[str | None, typer.Option(help="registry: what the table is for.")] = None,
    author: Annotated[str | None, typer.Option(help="registry: who answers for the entry.")] = None,
    sector: Annotated[
        str | None, typer.Option(help="registry: the domain, such as Government or Finance, if listed there.")
    ] = None,
    force: Force = False,
) -> None:
    """Write the card of a release for other programs: Croissant metadata, or a draft for the registry.

    Nothing but the card, and for Croissant the synthetic file, is read.
    """
    check_outputs([output], [card, table], force)
    facts = _read(card)
    if form == "croissant":
        text = _croissant(facts, table, output, curator=curator, url=url, license=license)
    else:
        given = {
            "curator": curator,
            "curator_type": curator_type,
            "region": region,
            "use": use,
            "author": author,
        }
        text = _registry(facts, given, sector)
    write_text(output, text, force)
    say(f"Wrote {output}")
    if form == "registry":
        note(
            "A draft of tier 2. Why choices were made (justification) is yours to add; then it may claim tier 3."
        )


def _read(path: Path) -> dict[str, Any]:
    from quantail.report.card import FORMAT

    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as JSON; give the .card.json file of a release") from error
    if not isinstance(facts, dict) or facts.get("format") != FORMAT or "synthesis" not in facts:
        raise DataError(
            f"{path} is no card of a release (format {FORMAT}); give the .card.json beside its table"
        )
    return facts


def _croissant(facts: dict[str, Any], table: Path | None, output: Path, **stated: str) -> str:
    from quantail.interop.croissant import croissant

    if table is None:
        raise OptionError(
            "--format croissant describes a file: name the synthetic table, --table synthetic.csv"
        )
    if not table.is_file():
        raise DataError(f"{table} does not exist; --table names the synthetic table that the card belongs to")
    if table.resolve().parent != output.resolve().parent:
        raise OptionError(
            "--output: metadata name the table relative to themselves; write them into its folder"
        )
    return as_json(croissant(facts, table, **stated))


def _registry(facts: dict[str, Any], given: dict[str, str | None], sector: str | None) -> str:
    from quantail.interop.registry import Deployment, registry_entry, registry_yaml

    missing = [f"--{name.replace('_', '-')}" for name, value in given.items() if not value]
    if missing:
        raise OptionError(
            f"--format registry also needs {', '.join(missing)}: the card does not know who publishes, and what for"
        )
    known: dict[str, Any] = {**given, "sector": sector}  # what is allowed is checked there
    return registry_yaml(registry_entry(facts, Deployment(**known)))
