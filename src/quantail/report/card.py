"""The release card: what a reader of the synthetic table may and must know, from public facts only.

Everything here comes from the schema, the budget plan and the ledger; no confidential row is looked at, so
the card can be published with the table.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, Protocol

from quantail.privacy.budget import Plan, as_decimal
from quantail.release.facts import Facts
from quantail.report.kept import (
    correspondence,
    kept_columns,
    limits,
    neighbours,
    panel_inputs,
    synthesis,
    whole_unit,
)
from quantail.schema import Column, Schema, formula_columns
from quantail.schema.key import KEY

if TYPE_CHECKING:
    from quantail.planning import Expectation
    from quantail.privacy.chain import Entry
    from quantail.privacy.ledger import Ledger

FORMAT = 2  # 1 had a hash of the budget tree alone, and did not tell full synthesis from partial
NOT_PRIVATE = (
    "NOT PRIVATE. This table was made with simulated, seeded noise, which whoever knows the seed can take "
    "away again. It is for tests and experiments and must not be released."
)
PRIVATE = "Made from confidential rows under differential privacy. This card holds public facts only."

_USE = "Use it to explore, to write and test programs, and to fit models whose conclusions you will check."
_REPLICATES = (
    "Replicates are draws from one released model. They cost no further privacy, and averaging over them "
    "removes the noise of drawing, not the noise of privacy."
)
_FITS = (
    "Every table comes from a fit of its own, with noise of its own, and was paid for: the budget on this card is that "
    "of all of them together."
)
_ERRORS = (
    "Standard errors computed as if the rows were real are too small: they leave out the noise of privacy "
    "and the error of the model.",
    "Medians and quartiles are the most exact; quantiles beyond the last one in the plan are extrapolated.",
    "Relations are kept as far as slopes and tables of counts were asked for them. Finer interactions are smoothed, "
    "and a relation that was not asked about is lost.",
    "Errors shrink as the number of rows times epsilon grows, and are largest in small groups.",
)


class Released(Protocol):
    """Anything that can state the public facts of a release; a fitted model does."""

    def facts(self) -> Facts:
        """Give the public facts."""
        ...


def release_card(
    model: Released | Facts,
    *,
    rows: int,
    replicates: int = 1,
    fits: int = 1,
    ledger: "Ledger | None" = None,
    entry: "Entry | None" = None,
    expectation: "Expectation | None" = None,
    given: Sequence[str] = (),
    left_out: Sequence[str] = (),
    where: str | None = None,
) -> dict[str, Any]:
    """Gather the public facts of a release as plain JSON values.

    Parameters
    ----------
    model : TableModel, PanelModel or Facts
        The fitted model, of which only the `facts()` are used, or these themselves.
    rows, replicates : int
        Size of one synthetic table, and how many there are.
    fits : int
        How many fits they come from: one for all of them, or one each; the facts are then those of all fits together.
    ledger : Ledger, optional
        The account that paid for the fit.
    entry : Entry, optional
        The charge in it; if left out, the last one for the same plan hash.
    expectation : Expectation, optional
        What `quantail.planning.expect` returned for the same plan; adds expected errors to the card.
    given : sequence of str
        Columns of rows that were given to complete and are kept as they are; public columns need not be named.
    left_out : sequence of str
        Columns of the confidential table that the schema does not describe (`quantail.frames.left_out_columns`).
    where : str, optional
        The condition that holds in every row, if only such rows were drawn.

    Returns
    -------
    dict
        Ready for JSON and for `render_markdown`.
    """
    facts = model if isinstance(model, Facts) else model.facts()
    schema, plan_hash = facts.schema, facts.plan_hash
    kept = kept_columns(schema, given)
    return {
        "format": FORMAT,
        "title": schema.name or "synthetic table",
        "private": facts.private,
        "notice": PRIVATE if facts.private else NOT_PRIVATE,
        "date": datetime.now(UTC).date().isoformat(),
        "software": {"name": "quantail", "version": facts.version, "method": facts.method},
        "release": {"rows": rows, "replicates": replicates}
        | ({"fits": fits} if fits > 1 else {})
        | ({} if where is None else {"where": where}),
        "synthesis": synthesis(schema, kept),
        "promise": _promise(facts, kept),
        "budget": _budget(facts.plan, plan_hash),
        "terms": facts.terms.to_dict(),
        "public_inputs": _inputs(schema),
        **({"left_out": list(left_out)} if left_out else {}),
        "relations": _relations(schema),
        **({"dependence": list(facts.relations)} if facts.relations else {}),
        "ledger": _receipt(plan_hash, ledger, entry),
        "use": [_USE, correspondence(schema, kept), _REPLICATES if fits == 1 else _FITS, *_formulas(schema)],
        "errors_to_expect": [*_expected(expectation), *_ERRORS],
        "limits": limits(schema, kept),
    }


def _promise(facts: Facts, kept: Sequence[str]) -> dict[str, Any]:
    schema = facts.schema
    promise = {
        "definition": "pure epsilon-DP" if facts.definition == "pure" else "rho-zCDP",
        "epsilon": facts.epsilon_text,
        "unit": whole_unit(schema),
        "neighbours": schema.neighbours,
        "neighbours_in_words": neighbours(schema, kept),
        "groups": list(schema.by),
    }
    if facts.definition == "zcdp":
        promise |= {"rho": str(facts.plan.cost), "delta": facts.delta_text}
    return promise


def _budget(plan: Plan, plan_hash: str) -> dict[str, Any]:
    """Give the tree, and the cost of each of its main parts."""
    parts = [{"name": part.name, "cost": str(part.cost), "note": part.note} for part in plan.children]
    return {
        "unit": plan.unit,
        "total": str(plan.cost),
        "compose": plan.compose,
        "parts": parts,
        "drawing": plan.render(),
        "plan": plan.to_dict(),
        "plan_hash": plan_hash,
    }


def _inputs(schema: Schema) -> list[dict[str, Any]]:
    """List every public input with its source: what the panel is known by, then the columns."""
    skeleton = [] if schema.panel is None else panel_inputs(schema.panel)
    keys = [
        {"column": key.name, "type": KEY, "explained_by": [], "source": key.source or "numbered anew"}
        for key in schema.keys
    ]
    return skeleton + keys + [_public(column, schema) for column in schema.columns]


def _public(column: Column, schema: Schema) -> dict[str, Any]:
    stated: dict[str, Any] = {"column": column.name, "type": column.type}
    if column.labels:
        stated["categories"] = list(column.labels)
    elif column.lower is not None:
        stated |= {"lower": _bound(column, "lower"), "upper": _bound(column, "upper"), "grid": column.grid}
        steps = ("decimals", "resolution")
        stated |= {step: getattr(column, step) for step in steps if getattr(column, step) is not None}
    kept = column.name in kept_columns(schema)  # groups of a panel that is all synthetic are not
    stated |= {option: True for option, holds in (("public", kept), ("missing", column.missing)) if holds}
    stated |= {option: getattr(column, option) for option in ("storage", "label") if getattr(column, option)}
    special = {option: list(getattr(column, option)) for option in ("missing_codes", "atoms", "heaps")}
    stated |= {option: numbers for option, numbers in special.items() if numbers}
    return stated | {"explained_by": list(schema.predictors_of(column.name)), "source": column.source}


def _bound(column: Column, option: Literal["lower", "upper"]) -> float | str | None:
    """Give a bound as a number, or as a date."""
    return column.bound_text(option) if column.is_dated else getattr(column, option)


def _relations(schema: Schema) -> list[str]:
    """Say which relations between columns hold in every row, by declaration."""
    sums = [f"{identity.total} = {' + '.join(identity.parts)}" for identity in schema.identities]
    limits = [f"{limit.part} is at most {limit.total}" for limit in schema.inequalities]
    return sums + limits + [rule for column in schema.columns for rule in _rules(column)]


def _rules(column: Column) -> list[str]:
    """Say where a column has a value, and which."""
    said = [f"every {column.name} belongs to one {column.within}"] if column.within else []
    if column.missing_with:
        said.append(f"{column.name} is missing where {column.missing_with} is")
    if column.universe:
        elsewhere = "missing" if column.outside == "" else column.outside
        shown = elsewhere if isinstance(elsewhere, str) else f"{elsewhere:.15g}"
        alone = ", and nowhere else" if column.only_outside else ""
        said.append(f"{column.name} only where {column.universe}, elsewhere {shown}{alone}")
    return said


def _formulas(schema: Schema) -> list[str]:
    """Warn of texts that a spreadsheet would run."""
    found = formula_columns(schema)
    if not found:
        return []
    return [
        f"Text in {', '.join(found)} may begin with =, +, -, @ or a tab, which spreadsheets run as a formula. "
        "It is kept as it is: open the table as text."
    ]


def _expected(expectation: "Expectation | None") -> list[str]:
    """Put expected errors into words, a line for each column."""
    if expectation is None:
        return []
    size = f"{expectation.rows} rows" + (" (the smallest group)" if expectation.grouped else "")
    opening = (
        f"Tried on {expectation.tables} made-up tables of {size}, shape {expectation.shape}, the plan had these errors "
        "(median, and the band of nine tables in ten); data of another shape will have others."
    )
    columns = [
        f"{column.name}: " + ", ".join(f"{_measure(name)} {band}" for name, band in column.errors.items())
        for column in expectation.columns
    ]
    return [opening, *columns]


def _measure(name: str) -> str:
    if name == "q50":
        return "median"
    return f"{name[1:]}% quantile" if name.startswith("q") else name


def _receipt(plan_hash: str, ledger: "Ledger | None", entry: "Entry | None") -> dict[str, Any] | None:
    if ledger is None:
        return None
    records = ledger.confirm(*([] if entry is None else [entry])).entries
    if entry is None:
        paid = [record for record in records if record.kind == "charge" and record.plan_hash == plan_hash]
        if not paid:
            return None
        entry = paid[-1]
    # The total as of this charge, so that the card can be checked against the ledger later on.
    charges = [r.amount for r in records if r.kind == "charge" and r.amount and r.number <= entry.number]
    return {
        "dataset": ledger.dataset,
        "unit": ledger.unit,
        "entry": entry.number,
        "hash": entry.hash,
        "charged": as_decimal(entry.amount or Fraction(0)),
        "spent_in_all": as_decimal(sum(charges, Fraction(0))),
    }
