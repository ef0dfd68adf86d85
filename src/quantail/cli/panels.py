"""Options that make no sense for panels: refused by name, with what to do instead."""

from typing import TYPE_CHECKING, Any

from quantail.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quantail.privacy import Plan
    from quantail.schema import Schema

_ADVICE = {
    "rows": "a synthetic panel has as many units as the real one; leave it out",
    "given": "rows of a panel are not completed; columns that are public belong into the schema; leave it out",
    "where": "rows of a panel belong to histories; draw it whole, and choose rows then",
    "expected-errors": "the card of a panel states none; `quantail plan --tables 5` does",
    "target": "budgets are searched for tables only; give --epsilon, and --tables 5 for the errors to expect",
    "sweep": "budgets are compared for tables only; give --epsilon, and --tables 5 for the errors to expect",
    "report": "a page of errors to expect can be drawn for tables only; leave it out",
    "definition": "panels are released under pure epsilon-DP; leave it out",
    "delta": "panels are released under pure epsilon-DP; leave it out",
}


def firms_in_words(schema: "Schema") -> str:
    """Say what it means that firms are protected as a whole; nothing where they are not."""
    panel = schema.panel
    if panel is None or not panel.firm:
        return ""
    return (
        f"A {schema.unit} is protected with all of its establishments: of every one the {panel.establishments} "
        f"largest, by their sum of {schema.histories[0].name!r}, are used, others are left out, and noise is "
        f"{panel.establishments} times as large. The synthetic panel has no column {panel.firm!r}."
    )


def guesses_in_words(schema: "Schema", plan: "Plan", rows: "int | Mapping[tuple[int, ...], int]") -> str:
    """Say of which columns of a panel a plan will hardly find where values lie; nothing where there are none."""
    if schema.panel is None:
        return ""
    from quantail.panel.place import unplaced
    from quantail.panel.units import group_names

    groups = {} if isinstance(rows, int) else dict(zip(group_names(schema), rows.values(), strict=False))
    return guessed_in_words(unplaced(plan, rows if isinstance(rows, int) else sum(groups.values()), groups))


def guessed_in_words(names: "Sequence[str]") -> str:
    """Say of which columns it will hardly be found where values lie; nothing where there are none."""
    if not names:
        return ""
    return (
        f"Too few units for this epsilon: values of {', '.join(map(repr, names))} may come out at any order of "
        "magnitude. Raise epsilon, describe fewer columns, or merge groups."
    )


def refuse_for_panels(schema: "Schema", **given: Any) -> None:
    """Raise an OptionError for the first option that was given and does not go with a panel.

    Parameters
    ----------
    schema : Schema
        Of a table, to which all options apply, or of a panel.
    **given
        Values of options by name, with _ for -; None, False and "pure" stand for an option that was not given.
    """
    if schema.panel is None:
        return
    for word, value in given.items():
        name = word.replace("_", "-")
        if value not in (None, False, "pure"):
            raise OptionError(f"--{name} does not go with a panel: {_ADVICE[name]}")
