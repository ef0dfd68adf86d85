"""The top of the report: what was released, and what the measures say, in plain words."""

from collections.abc import Sequence
from typing import NamedTuple

from quantail.evaluation import Evaluation
from quantail.evaluation.table import Measured
from quantail.markup import Child, Markup, element
from quantail.report.data import ReportData
from quantail.report.measures import grouped
from quantail.report.page import facts
from quantail.report.plots.numbers import short
from quantail.report.verdict import Farthest, farthest, ratio, verdict_of


class Headline(NamedTuple):
    """A question of a reader, and the measures that answer it; the one farthest from an independent sample is shown."""

    question: str
    names: tuple[str, ...]


HEADLINES = (
    Headline("Can a regression tell the rows apart?", ("pmse_ratio", "pmse_ratio_interactions")),
    Headline("Can boosted trees tell them apart?", ("auc",)),
    Headline("Do tables of counts agree?", ("k_marginal",)),
    Headline("Which column differs most?", ("ks", "total_variation", "wasserstein_ratio")),
    Headline("Which tail differs most?", ("quantile_error_99", "quantile_error_99.9", "hill_error")),
    Headline("Which total differs most?", ("total_error",)),
    Headline(
        "Which relation differs most?",
        ("rank_correlation_difference", "correlation_ratio_difference", "cramers_v_difference"),
    ),
    Headline("Which coefficient differs most?", ("coefficient_difference",)),
    Headline("Are yearly totals right?", ("panel_total_error",)),
    Headline("Is job creation right?", ("panel_job_creation",)),
    Headline("Do units keep their size?", ("panel_persistence",)),
)
_WORST_SHOWN = 3
# What a family is about, in a reader's words.
_MATTERS = {
    "overall": "telling the rows apart",
    "columns": "single columns",
    "tails": "tails",
    "relations": "relations between columns",
    "counts": "tables of counts",
    "regressions": "coefficients",
    "panels": "dynamics",
}
# The least share of measures that are close to an independent sample, and the words for it.
_OVERALL = (
    (0.95, "close to an independent sample throughout"),
    (0.75, "mostly close to an independent sample"),
    (0.5, "close to an independent sample in some respects only"),
    (0.0, "far from an independent sample in most respects"),
)


def draw_summary(data: ReportData) -> Markup:
    """Write the opening: one sentence, the facts of the release, and a tile for every headline measure."""
    return element(
        "section",
        element("h1", _title(data)),
        element("p", *_opening(data.measures), class_="lede"),
        *_standing_out(data.measures),
        facts(_facts(data)),
        element("ul", *_tiles(data.measures), class_="tiles"),
        aria_label="Summary",
    )


def _title(data: ReportData) -> str:
    name = data.schema.name if data.schema is not None else ""
    return f"Synthetic copy of {name}" if name else "Synthetic table against the real one"


def _opening(measures: Evaluation) -> list[Child]:
    """Say how many measures are close to an independent sample."""
    every = _rated(measures)
    if not every:
        return ["No measure has a yardstick on tables this small; the pictures below show them side by side."]
    close = sum(verdict_of(times).is_close for times in every)
    words = next(words for least, words in _OVERALL if close >= least * len(every))
    return [
        "The synthetic table is ",
        element("strong", words),
        f": {close} of {len(every)} measures are like what a second sample of the same population would give, or close "
        "to it.",
    ]


def _rated(measures: Evaluation) -> list[float]:
    return [times for row in measures if (times := ratio(row)) is not None]


def _standing_out(measures: Evaluation) -> list[Markup]:
    """Name what is farthest from an independent sample, one of each family, read as the tiles read it."""
    worst = [farthest(rows) for rows in grouped(measures, "family").values()]
    ordered = sorted(worst, key=lambda found: -(found.times or 0))
    weak = [_spoken(found.row) for found in ordered if found.verdict and not found.verdict.is_close]
    if not _rated(measures):
        return []
    if not weak:
        return [element("p", "Nothing stands out.")]
    return [
        element("p", "Take care with what is farthest from it:"),
        element("ul", *(element("li", *line) for line in weak[:_WORST_SHOWN])),
    ]


def _spoken(row: Measured) -> list[Child]:
    null = "" if row.null is None else f" (in an independent sample {short(row.null, 2)})"
    return [
        element("strong", _MATTERS[row.family]),
        f": {row.title}{where(row.columns)} {short(row.value)}{null}",
    ]


def _facts(data: ReportData) -> list[tuple[str, Child]]:
    what = "units" if data.panels else "rows"
    found: list[tuple[str, Child]] = []
    if data.release is not None:
        stated = data.release
        delta = f", delta {stated.delta_text}" if stated.definition == "zcdp" else ""
        found.append(("privacy budget", f"epsilon {stated.epsilon_text}{delta}"))
        found.append(("noise", "secure" if stated.private else "SIMULATED: the table is not private"))
        found.append(("method", f"{stated.method}, quantail {stated.version}"))
    if data.schema is not None:
        found.append(("protected unit", f"{data.schema.unit}, {data.schema.neighbours}"))
    found.append((f"{what}, real and synthetic", " and ".join(f"{count:,}" for count in data.rows)))
    found.append(("columns compared", str(len(data.columns))))
    return found


def headlines(measures: Evaluation) -> list[tuple[str, Farthest]]:
    """Answer the questions that readers ask first, each by the measure that is farthest from an independent sample."""
    rows = grouped(measures, "name")
    asked = [
        (headline.question, [r for name in headline.names for r in rows.get(name, ())])
        for headline in HEADLINES
    ]
    return [(question, farthest(found)) for question, found in asked if found]


def _tiles(measures: Evaluation) -> list[Markup]:
    return [_tile(question, found) for question, found in headlines(measures)]


def _tile(question: str, found: Farthest) -> Markup:
    """Answer in words first, then in numbers."""
    row, said, largest = found.row, found.verdict, found.largest
    null = "no yardstick" if row.null is None else f"independent sample {short(row.null)}"
    if found.chance > 1:
        null += f", farthest of {found.among} about {short(found.expected or 0.0, 2)}"
    return element(
        "li",
        element("h3", question),
        said
        and element("p", said.words.capitalize(), class_="reading" if said.is_close else "reading apart"),
        said and steps(said.grade),
        element("p", short(row.value), class_="value"),
        element("p", f"{row.title}{where(row.columns)}; {null}; best {short(row.best)}", class_="null"),
        None if largest is None else element("p", f"largest: {in_numbers(largest)}", class_="null"),
        class_="tile",
    )


def in_numbers(row: Measured) -> str:
    """Say a value, its columns and its yardstick."""
    null = "" if row.null is None else f" (independent sample {short(row.null)})"
    return f"{short(row.value)}{where(row.columns)}{null}"


def where(columns: Sequence[str]) -> str:
    """Say of which columns a measure speaks."""
    return f" of {' and '.join(columns)}" if len(columns) <= 2 else f" of {len(columns)} columns"


def steps(grade: int) -> Markup:
    """Show a grade from 1 to 4 as filled steps; the words beside it say the same."""
    return element(
        "div", *(element("i", class_="on" if place < grade else None) for place in range(4)), class_="steps"
    )
