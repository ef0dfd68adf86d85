"""`quantail check`: does a table fit its schema? Answers without printing anything of the table."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quantail.cli.console import note, print_json, say, warn
from quantail.cli.options import JsonFlag, SchemaBeside, TableInput
from quantail.errors import DataError, OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from quantail.frames import Problem
    from quantail.schema import Schema

EXAMPLE = "quantail check payroll.csv --schema schema.toml"


def check(
    file: TableInput,
    schema: SchemaBeside = None,
    as_json: JsonFlag = False,
    internal: Annotated[
        bool,
        typer.Option(
            "--internal",
            help="Also name columns with values outside their bounds or that break a rule, and what the schema could "
            "declare: atoms, decimals, round figures, sums, keys that repeat (confidential).",
        ),
    ] = False,
) -> None:
    """List every way in which a table does not fit its schema; ends with exit code 4 if there is one.

    Columns that the schema does not describe are named, too: they are left out of every release.

    No value and no count of the table is ever printed. Values outside the bounds are no problem: they are
    clipped; rows that break a rule (universe, missing_with, [[identity]], [[inequality]]) are read as if they kept
    it. --internal tells which columns hold some, and that answer must not leave the agency.
    """
    from quantail.cli.panels import firms_in_words
    from quantail.frames import check_table, left_out_columns, left_out_words, problem_lines
    from quantail.io import Place, read_table
    from quantail.schema import Schema

    schema = schema or _beside(file)
    facts = Schema.load(schema)
    table = read_table(file, facts)
    found = check_table(table, facts, internal=internal)
    problems, notes = ([each for each in found if each.is_note == asked] for asked in (False, True))
    left_out = left_out_columns(table.column_names, facts)
    if as_json:
        answer = {"fits": not problems, "problems": [vars(problem) for problem in problems]}
        answer |= {"unsourced": list(facts.unsourced()), "left_out": list(left_out)}
        print_json(answer | (_internal(notes) if internal else {}))
    else:
        for line in problem_lines(problems):
            say(f"- {line}")
        for line in problem_lines(notes):
            say(f"- {line}", style="yellow")
        if not problems:
            say(f"{Place.of(file)} fits {schema}.", style="green")
        if left_out:
            note(left_out_words(left_out))
        if firms := firms_in_words(facts):
            note(firms)
    _warn(table, facts, wants_more=not problems and not internal)
    if problems:
        raise typer.Exit(DataError.exit_code)


def _internal(notes: "Sequence[Problem]") -> dict[str, Any]:
    """Give what the rows show as plain JSON values, for eyes inside."""
    return {
        "clipped_columns_internal": [p.column for p in notes if "bounds" in p.what],
        "atoms_advised_internal": [p.column for p in notes if "lowest" in p.what],
        "broken_rules_internal": [f"{p.column} {p.what}" for p in notes if "breaks" in p.what],
        "notes_internal": [str(p) for p in notes],
    }


def _warn(table: "pa.Table", facts: "Schema", wants_more: bool) -> None:
    """Say what to mind about a schema, whether or not the table fits it."""
    from quantail.frames import FEWEST_ROWS
    from quantail.schema import formula_columns, formula_warning

    if facts.panel is None and facts.neighbours == "replace-one" and 0 < table.num_rows < FEWEST_ROWS:
        warn(
            f"the table has fewer than {FEWEST_ROWS} rows, too few for any private summary: a release will be refused"
        )
    for name, parent in _nested(facts).items():
        note(
            f"Every label of {name!r} begins with one of {parent!r}. If the code list says that it belongs there, "
            f'write within = "{parent}" in {name!r}: that costs nothing, and holds in every synthetic row.'
        )
    if wants_more:
        note(
            "With --internal it also names what is clipped and what the schema could declare, for eyes inside."
        )
    named = () if facts.panel is None else facts.panel.named
    unsourced = facts.unsourced()
    for place, names in (
        ("in [panel]", [name for name in unsourced if name in named]),
        ("for each", [name for name in unsourced if name not in named]),
    ):
        if names:
            missing = f"write source = ... {place}: {', '.join(map(repr, names))}"
            warn(f"the schema does not say where public facts come from; {missing}")
    public = [*named, *(column.name for column in facts.columns if column.public)]
    kept = {name: set(table[name].to_pylist()) for name in public if name in table.column_names}
    for name in formula_columns(facts, kept):
        warn(formula_warning(name))


def _nested(facts: "Schema") -> dict[str, str]:
    """Return columns that look nested by their lists of labels, and in what."""
    from quantail.schema.nesting import undeclared_nesting

    if facts.panel is not None:
        return {}
    columns = [facts.column(name) for name in facts.synthesis_order]
    drawn = [each for each in columns if each.categories and not each.public and each.name not in facts.by]
    return undeclared_nesting(
        {each.name: each.categories for each in drawn}, [each.name for each in drawn if each.within]
    )


def _beside(file: str) -> Path:
    """Return the schema file that lies beside a table, or in the working folder for one of a database."""
    from quantail.io import Place

    place = Place.of(file)
    folder = place.path.parent if place.scheme == "file" and place.path is not None else Path()
    found = folder / "schema.toml"
    if not found.is_file():
        raise OptionError(
            f"there is no {found}: name the schema file with --schema, or draft one with `quantail init {place}`"
        )
    note(f"Schema: {found}, beside the table.")
    return found
