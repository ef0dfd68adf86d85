"""`quantail plan`: how a budget would be spent, before any data are read."""

from itertools import product
from typing import TYPE_CHECKING, Annotated

import typer

from quantail.cli.console import note, print_json, say
from quantail.cli.options import Definition, Delta, Epsilon, JsonFlag, Method, SchemaPath, Slopes
from quantail.errors import OptionError

if TYPE_CHECKING:
    from quantail.schema import Schema

EXAMPLE = "quantail plan --schema schema.toml --rows 5000 --epsilon 1"


def plan(
    schema: SchemaPath,
    rows: Annotated[
        list[str],
        typer.Option("--rows", "-n", help="Number of rows; with groups once for each, as NAME=NUMBER."),
    ],
    epsilon: Epsilon,
    definition: Definition = "pure",
    delta: Delta = None,
    method: Method = "ladder",
    slopes: Slopes = None,
    as_json: JsonFlag = False,
) -> None:
    """Print the budget tree: every private question, what it costs and why. No data are read.

    The plan depends on the schema, the number of rows and epsilon alone, so it can be agreed on beforehand.
    """
    from quantail.cli.release import Spending
    from quantail.schema import Schema

    spending = Spending(epsilon, definition, delta, method, no_ledger=True, slopes=slopes)
    facts = Schema.load(schema)
    tree = spending.synthesizer(facts).plan(_rows(rows, facts))
    if as_json:
        print_json({"hash": tree.hash(), "plan": tree.to_dict()})
        return
    say(tree.render())
    note(f"Plan hash {tree.hash()}")


def _rows(given: list[str], schema: "Schema") -> int | dict[tuple[int, ...], int]:
    """Read --rows: one number, or a number for each group; groups are known by their category codes."""
    if len(given) == 1 and "=" not in given[0]:
        return _count(given[0])
    if not schema.by:
        raise OptionError("--rows: this schema has no groups, so give one number: --rows 5000")
    groups = _groups(schema)
    counts: dict[tuple[int, ...], int] = {}
    for item in given:
        name, _, number = item.rpartition("=")
        if name not in groups or groups[name] in counts:
            raise OptionError(
                f"--rows: write every group once, as NAME=NUMBER; groups are {'; '.join(groups)}"
            )
        counts[groups[name]] = _count(number)
    if len(counts) < len(groups):
        missing = [name for name, codes in groups.items() if codes not in counts]
        raise OptionError(
            f"--rows: groups are missing: {'; '.join(missing)}; add --rows NAME=NUMBER for each"
        )
    return {codes: counts[codes] for codes in groups.values()}


def _groups(schema: "Schema") -> dict[str, tuple[int, ...]]:
    """List the groups by name, labels separated by commas where several columns define them."""
    levels = [list(enumerate(schema.column(name).categories)) for name in schema.by]
    return {
        ",".join(label for _, label in cell): tuple(code for code, _ in cell) for cell in product(*levels)
    }


def _count(text: str) -> int:
    if not text.strip().isdecimal() or int(text) < 1:
        raise OptionError("--rows must be a whole number of at least 1, for instance --rows 5000")
    return int(text)
