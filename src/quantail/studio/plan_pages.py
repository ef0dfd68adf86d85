"""Pages about the plan: how a budget would be spent, and the errors to expect, at any epsilon. No data are read."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from quantail._version import __version__
from quantail.cli.release import ReleaseOptions
from quantail.errors import OptionError, QuantailError
from quantail.planning import Band, ColumnExpectation, Expectation, Resolution, can_expect, percent
from quantail.privacy import as_decimal, parse_epsilon
from quantail.privacy.budget import Plan
from quantail.report.budget import main_parts
from quantail.report.plan_page import error_plot, measure_words
from quantail.schema import Schema
from quantail.studio.launch import run_id
from quantail.studio.records import read_json
from quantail.studio.visit import Visit
from quantail.table.methods import METHODS
from quantail.table_or_panel import AnySynthesizer

EPSILONS = ("1/10", "1/5", "1/2", "1", "2", "5", "10")
"""Budgets at which errors are worked out, besides the one that was asked for."""


def plan(visit: Visit, error: str = "") -> Response:
    """Show the plan, and errors as far as they were worked out."""
    content: dict[str, Any] = {"asked": None, "errors": [], "run": None, "parts": [], "tree": "", "plots": []}
    if visit.sent("rows") and not error:
        try:
            content |= _planned(visit)
        except QuantailError as problem:
            error = visit.told(problem)
    typed = {name: visit.sent(name) for name in ("rows", "epsilon", "method")}
    schemas = visit.studio.folder.contents().schemas
    return visit.page(
        "plan.html",
        422 if error else 200,
        **content,
        typed=typed,
        schemas=schemas,
        methods=tuple(METHODS),
        error=error,
    )


def work_out(visit: Visit) -> Response:
    """Start working out the errors, at the epsilon that was asked for first."""
    try:
        asked = _Asked.of(visit)
    except QuantailError as error:
        return plan(visit, visit.told(error))
    where = {name: visit.sent(name) for name in ("rows", "epsilon", "method")}
    wanted = {epsilon: asked.kept(epsilon) for epsilon in asked.epsilons if asked.found(epsilon) is None}
    if not wanted or not can_expect(asked.schema, asked.rows):
        return visit.go("/plan", **where)
    request = {
        "kind": "plan",
        "schema_text": asked.schema.to_toml(),
        "rows": asked.rows,
        "method": asked.method,
        "definition": "pure",
        "delta": None,
        "epsilons": wanted,
    }
    run = run_id(request, visit.studio.records.count("plan"))
    visit.studio.launcher.replace(run, request)
    return visit.go("/plan", **where, run=run)


@dataclass(frozen=True)
class _Asked:
    """What a plan page is about."""

    schema: Schema
    rows: int
    epsilon: Fraction
    method: str | None
    kept_in: Path

    @classmethod
    def of(cls, visit: Visit) -> "_Asked":
        """Read what was asked, or say what is wrong with it."""
        schema = Schema.load(visit.studio.folder.file(visit.sent("schema")))
        epsilon, method = parse_epsilon(visit.sent("epsilon") or "1"), visit.sent("method") or None
        asked = cls(schema, _count(visit.sent("rows")), epsilon, method, visit.studio.records.home / "plans")
        asked.synthesizer()  # it refuses methods that it does not know
        return asked

    def synthesizer(self) -> AnySynthesizer:
        """Make the synthesizer that the plan is for."""
        return ReleaseOptions(str(self.epsilon), method=self.method, no_ledger=True).synthesizer(self.schema)

    @property
    def epsilons(self) -> list[str]:
        """The budgets to speak of, the one that was asked for first and then those nearest to it."""
        others = (Fraction(text) for text in EPSILONS)
        near = sorted(others, key=lambda other: max(other / self.epsilon, self.epsilon / other))
        return [str(self.epsilon), *(str(other) for other in near if other != self.epsilon)]

    def kept(self, epsilon: str) -> str:
        """Return the name under which errors are kept: they depend on public facts alone."""
        return run_id(
            {"schema": self.schema.to_toml(), "method": self.method}, self.rows, epsilon, __version__
        )

    def found(self, epsilon: str) -> Expectation | None:
        """Return errors that were worked out before."""
        form = read_json(self.kept_in / f"{self.kept(epsilon)}.json")
        return None if form is None else _expectation(form)


def _planned(visit: Visit) -> dict[str, Any]:
    asked = _Asked.of(visit)
    synthesizer = asked.synthesizer()
    tree = synthesizer.plan(asked.rows)
    found = {epsilon: asked.found(epsilon) for epsilon in asked.epsilons}
    swept = [
        seen for _, seen in sorted(found.items(), key=lambda pair: Fraction(pair[0])) if seen is not None
    ]
    records, run = visit.studio.records, visit.sent("run")
    is_known = bool(run) and records.exists(run)
    return {
        "asked": {
            "epsilon": as_decimal(asked.epsilon),
            "rows": asked.rows,
            "hash": synthesizer.terms(asked.rows).hash(),
            "can_expect": can_expect(asked.schema, asked.rows),
        },
        "parts": _shares(tree),
        "tree": tree.render(),
        "errors": [_shown(seen, seen.epsilon == as_decimal(asked.epsilon)) for seen in swept],
        "plots": _plots(swept) if len(swept) > 1 else [],
        "run": records.read(run) if is_known else None,
    }


def _shares(tree: Plan) -> list[dict[str, Any]]:
    parts = [(name, float(part.cost / tree.cost)) for name, part in main_parts(tree)]
    return [{"name": name, "share": share, "percent": f"{share:.1%}"} for name, share in parts]


def _shown(seen: Expectation, chosen: bool) -> dict[str, Any]:
    rows = [
        {
            "column": column.name if place == 0 else "",
            "measure": measure_words(measure),
            "expected": percent(band.expected),
            "band": f"{percent(band.low)} to {percent(band.high)}",
            "size": min(1.0, band.expected),
        }
        for column in seen.columns
        for place, (measure, band) in enumerate(column.errors.items())
    ]
    return {
        "epsilon": seen.epsilon,
        "rows": rows,
        "chosen": chosen,
        "tables": seen.tables,
        "shape": seen.shape,
    }


def _plots(swept: list[Expectation]) -> list[dict[str, Any]]:
    """Draw error against epsilon, column by column; the drawings escape what they show."""
    epsilons = [seen.epsilon for seen in swept]
    return [
        {
            "column": column.name,
            "drawings": [
                Markup(
                    error_plot(
                        column.name, measure, epsilons, [s.columns[place].errors[measure] for s in swept]
                    )
                )
                for measure in column.errors
            ],
        }
        for place, column in enumerate(swept[0].columns)
    ]


def _expectation(form: dict[str, Any]) -> Expectation:
    columns = tuple(
        ColumnExpectation(
            Resolution(part["column"], part["quantiles"], part["noise"], part["share"]),
            {measure: Band(**band) for measure, band in part["errors"].items()},
        )
        for part in form["columns"]
    )
    facts = {name: form[name] for name in ("rows", "grouped", "epsilon", "shape", "tables")}
    return Expectation(**facts, columns=columns)


def _count(text: str) -> int:
    plain = text.replace(" ", "").replace("_", "")
    if not plain.isdecimal() or not 1 <= int(plain[:12]) <= 10**9:
        raise OptionError("write the number of rows (of units, for a panel), for instance 5000")
    return int(plain)
