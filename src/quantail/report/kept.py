"""Full or partial synthesis: what a release keeps as it is, and what follows for the promise, in words.

A synthesis is full if every value was drawn from the released model. It is partial if columns are kept row by row: the
public columns of a table, rows that were given to complete, and of a panel on a public skeleton the ids of units with
their first and last period. Then a synthetic row does belong to a real unit, and the card must not say otherwise.
"""

from collections.abc import Sequence
from typing import Any

from quantail.schema import Panel, Schema

_REPLACED = "two tables are neighbours when the values of one {unit} differ; their number{groups} public"
_ADDED = "two tables are neighbours when one {unit} is present in only one of them"
_PUBLIC = (
    "two tables are neighbours when the confidential values of one {unit} differ; what is kept as it is ({kept}) and "
    "the number of rows{groups} public"
)
_FULL_PANEL = (
    "two panels are neighbours when everything about one {unit} differs: its first and last period, its attributes and "
    "its values, in all periods at once (its whole history); only the number of units{groups} public"
)
_ADDED_TO_PANEL = (
    "two panels are neighbours when one {unit}, with its whole history, is present in only one of them"
)
_FIRMS = (
    "two panels are neighbours when one {unit}, with all of its establishments, in whatever groups, and their whole "
    "histories, is present in only one of them; of a {unit} with more than {most} establishments the {most} largest "
    "are used"
)
_PANEL = (
    "two panels are neighbours when the confidential values of one {unit} differ, in all of its periods at once (its "
    "whole history); which units there are, and what is kept as it is ({kept}), is public"
)


def kept_columns(schema: Schema, given: Sequence[str] = ()) -> list[str]:
    """Name the columns that a release keeps row by row; `given` are those of rows that were given to complete."""
    panel = schema.panel
    if panel is not None and panel.is_full:
        return []
    named = [] if panel is None else list(panel.named)
    return named + [c.name for c in schema.columns if c.public or c.name in given]


def synthesis(schema: Schema, kept: Sequence[str]) -> dict[str, Any]:
    """State whether a synthesis is full or partial, and what that means for a row."""
    if not kept:
        words = "Full synthesis: every value was drawn from the released model."
        if schema.panel is not None:
            what = "units, their first and last periods and every value"
            words = f"Full synthesis: {what} were drawn from the released model."
        return {"kind": "full", "kept": [], "in_words": words}
    listed, what = ", ".join(kept), "history" if schema.panel is not None else "row"
    words = (
        f"Partial synthesis: {listed} are kept as they are, {what} by {what}. All other values were drawn from the "
        "released model."
    )
    return {"kind": "partial", "kept": list(kept), "in_words": words}


def whole_unit(schema: Schema) -> str:
    """Say what is protected."""
    if schema.panel is None:
        return schema.unit
    if schema.panel.firm:
        return f"{schema.unit}, the whole histories of up to {schema.panel.establishments} establishments"
    return f"{schema.unit}, its whole history"


def neighbours(schema: Schema, kept: Sequence[str]) -> str:
    """Say in words which tables are neighbours: what one unit's promise is about."""
    panel = schema.panel
    if schema.neighbours == "add-remove":
        if panel is not None and panel.firm:
            return _FIRMS.format(unit=schema.unit, most=panel.establishments)
        return (_ADDED if panel is None else _ADDED_TO_PANEL).format(unit=schema.unit)
    if panel is not None and panel.is_full:
        return _FULL_PANEL.format(unit=schema.unit, groups=" of each group is" if schema.by else " is")
    text = _PANEL if panel is not None else _PUBLIC if kept else _REPLACED
    groups = " and the group of each are" if schema.by else " are" if kept else " is"
    return text.format(unit=schema.unit, kept=", ".join(kept), groups=groups)


def correspondence(schema: Schema, kept: Sequence[str]) -> str:
    """Say what a synthetic row has to do with a real one."""
    if not kept:
        whose = "" if schema.panel is None else " Ids are new, and belong to nobody."
        return f"Rows stand for nobody: no synthetic row corresponds to a real one.{whose}"
    what = "history" if schema.panel is not None else "row"
    return (
        f"Every {what} carries the real {', '.join(kept)} of a {schema.unit}; its other values were drawn and are "
        f"nobody's. Do not read them as facts about that {schema.unit}."
    )


def limits(schema: Schema, kept: Sequence[str]) -> list[str]:
    """Say what the promise does not cover."""
    panel = schema.panel
    whole = "one" if panel is None else "the whole history of one"
    several = "appears in several rows" if panel is None else "owns several units"
    if panel is not None and panel.firm:
        whole, several = (
            "the whole histories of all establishments of one",
            f"owns more than one {schema.unit}",
        )
    lines = [
        f"The promise is about {whole} {schema.unit}. "
        "A fact that many share (an average, a trend) is meant to be kept.",
        f"Whoever {several}, or is in several releases from the same data, is protected less: budgets add up.",
        "The public inputs on this card are not protected. If one was taken from the data, the promise fails.",
    ]
    if panel is not None and panel.firm:
        lines.append(
            f"Establishments of a {schema.unit} beyond the {panel.establishments} largest are in no figure, and the "
            "synthetic panel does not say which establishments belong together."
        )
    if kept:
        lines.append(
            f"What is kept as it is ({', '.join(kept)}) is not protected at all: everybody sees which units are in the "
            "data, with these values."
        )
    return lines


def panel_inputs(panel: Panel) -> list[dict[str, Any]]:
    """List the columns of a panel besides its declared ones: ids of units, and their periods.

    Under partial synthesis they are kept; under full synthesis only the range of periods is public about them.
    """
    periods = {"type": "period", "lower": panel.start, "upper": panel.end}
    stated: list[dict[str, Any]] = [{"column": panel.unit, "type": "id" if not panel.is_full else "new id"}]
    stated += [{"column": name, **periods} for name in panel.named[1:]]
    public = {} if panel.is_full else {"public": True}
    return [{**one, **public, "explained_by": [], "source": panel.source} for one in stated]
