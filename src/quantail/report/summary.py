"""The top of the report: what was released, and what the measures say, in plain words."""

from collections.abc import Sequence

from quantail.evaluation import Evaluation
from quantail.evaluation.table import Measured
from quantail.report.dossier import Dossier
from quantail.report.markup import Child, Markup, element
from quantail.report.page import facts
from quantail.report.plots.numbers import short
from quantail.report.verdict import ratio, verdict, verdict_of

# Measures worth a tile, and the question that each answers.
HEADLINES = {
    "pmse_ratio": "Can a model tell the rows apart?",
    "pmse_cart_ratio": "Can a tree tell the rows apart?",
    "wrt": "Do the values lie in the same places?",
    "km": "Do tables of counts agree?",
}
_WORST_SHOWN = 3


def draw_summary(dossier: Dossier) -> Markup:
    """Write the opening: one sentence, the facts of the release, and a tile for every headline measure."""
    return element(
        "section",
        element("h1", _title(dossier)),
        element("p", *_opening(dossier.measures), class_="lede"),
        facts(_facts(dossier)),
        element("ul", *(_tile(row) for row in _headlines(dossier.measures)), class_="tiles"),
        aria_label="Summary",
    )


def _title(dossier: Dossier) -> str:
    name = dossier.schema.name if dossier.schema is not None else ""
    return f"Synthetic copy of {name}" if name else "Synthetic table against the real one"


def _opening(measures: Evaluation) -> list[Child]:
    """Sum up the measures that have a yardstick by their middle one, and name those that are farthest from it."""
    rated = sorted(
        ((found, row) for row in measures if (found := ratio(row)) is not None), key=lambda x: x[0]
    )
    if not rated:
        return ["No measure has a yardstick on these tables; the pictures below show them side by side."]
    middle = verdict_of(rated[len(rated) // 2][0]).words
    good = sum(found <= 3 for found, _ in rated)
    worst = [_spoken(row) for found, row in reversed(rated[-_WORST_SHOWN:]) if found > 3]
    ending = f" Weakest: {'; '.join(worst)}." if worst else ""
    return [
        "By the middle of its measures the synthetic table is ",
        element("strong", middle),
        f" of the same population. {good} of {len(rated)} measures with a yardstick are close to one.",
        ending,
    ]


def _spoken(row: Measured) -> str:
    return f"{row.name} of {', '.join(row.columns[:2])}"


def _facts(dossier: Dossier) -> list[tuple[str, Child]]:
    what = "units" if dossier.panels else "rows"
    found: list[tuple[str, Child]] = []
    if dossier.release is not None:
        stated = dossier.release
        delta = f", delta {stated['delta']}" if stated["definition"] == "zcdp" else ""
        found.append(("privacy budget", f"epsilon {stated['epsilon']}{delta}"))
        found.append(("noise", "secure" if stated["private"] else "SIMULATED: the table is not private"))
        found.append(("method", f"{stated['method']}, quantail {stated['version']}"))
    if dossier.schema is not None:
        found.append(("protected unit", f"{dossier.schema.unit}, {dossier.schema.neighbours} neighbours"))
    found.append((f"{what}, real and synthetic", " and ".join(f"{count:,}" for count in dossier.rows)))
    found.append(("columns compared", str(len(dossier.columns))))
    return found


def _headlines(measures: Evaluation) -> Sequence[Measured]:
    """For every headline the row that is farthest from the best value."""
    worst = {found.measure.name: found.worst for found in measures.overview()}
    return [worst[name] for name in HEADLINES if name in worst]


def _tile(row: Measured) -> Markup:
    said = verdict(row)
    fresh = "" if row.null is None else f"a fresh sample: about {short(row.null)}; "
    return element(
        "li",
        element("h3", HEADLINES[row.name]),
        element("p", short(row.value), class_="value"),
        element("p", f"{row.name}; {fresh}best: {short(row.best)}", class_="null"),
        said and steps(said.grade),
        said and element("p", said.words.capitalize(), class_="reading"),
        class_="tile",
    )


def steps(grade: int) -> Markup:
    """Show a grade from 1 to 4 as filled steps; the words beside it say the same."""
    return element(
        "div", *(element("i", class_="on" if place < grade else None) for place in range(4)), class_="steps"
    )
