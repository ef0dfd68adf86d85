"""The budget as a picture: what part of epsilon each question may spend.

The first bar holds the main parts, the second what each of them consists of. Parts of disjoint rows share their
cost, so of those only the dearest is drawn, and named as one of many.
"""

from fractions import Fraction

from quantail.markup import Child, Markup, element
from quantail.privacy.budget import Plan
from quantail.report.plots.numbers import percent

_HUES = 6
_NAMED = 0.06  # parts with a smaller share are named below the bars only


def draw_budget(plan: Plan) -> Markup:
    """Draw two stacked bars, the names of the main parts, and the exact amounts behind them."""
    parts = main_parts(plan)
    said = ", ".join(f"{name} {percent(_share(part, plan))}" for name, part in parts)
    bars = element(
        "div",
        element(
            "div", *(_block(name, part, plan, hue) for hue, (name, part) in enumerate(parts)), class_="bar"
        ),
        element("div", *(_family(part, plan, hue) for hue, (_, part) in enumerate(parts)), class_="bar fine"),
        class_="budget",
        role="img",
        aria_label=f"How the budget is split: {said}.",
    )
    names = (
        element(
            "li", element("span", class_="swatch"), f"{name} {percent(_share(part, plan))}", class_=_hue(hue)
        )
        for hue, (name, part) in enumerate(parts)
    )
    amounts = element("details", element("summary", "Every part, with its amount"), _table(plan, parts))
    return element("div", bars, element("ul", *names, class_="key"), amounts)


def main_parts(node: Plan) -> list[tuple[str, Plan]]:
    """List the parts of a node whose costs add up, with what to call them."""
    if node.compose == "sum" or len(node.children) < 2:
        return [(child.name, child) for child in node.children]
    dearest = max(node.children, key=lambda child: child.cost)
    # Groups that each spend the whole budget: their own parts tell more than their names.
    inner = main_parts(dearest) if dearest.children else [(dearest.name, dearest)]
    return [(f"{name}, in each of {len(node.children)} groups", part) for name, part in inner]


def _share(part: Plan, whole: Plan) -> float:
    return float(part.cost / whole.cost) if whole.cost else 0.0


def _hue(place: int) -> str:
    return f"hue{place % _HUES}"


def _width(share: float) -> str:
    return f"width:{100 * share:.3f}%"


def _block(name: str, part: Plan, whole: Plan, hue: int) -> Markup:
    share = _share(part, whole)
    text = [element("b", name), " ", percent(share)] if share >= _NAMED else []
    return element("span", *text, class_=f"part {_hue(hue)}", style=_width(share))


def _family(part: Plan, whole: Plan, hue: int) -> Markup:
    """Draw the parts of a part right below it; what it holds back stays empty."""
    blocks = (
        element(
            "span",
            name if _share(child, whole) >= _NAMED else None,
            class_="part",
            style=_width(_share(child, part)),
        )
        for name, child in main_parts(part)
    )
    return element("span", *blocks, class_=f"family {_hue(hue)}", style=_width(_share(part, whole)))


def _table(plan: Plan, parts: list[tuple[str, Plan]]) -> Markup:
    rows: list[Child] = []
    for hue, (name, part) in enumerate(parts):
        rows.append(_row(name, part, plan, f"main {_hue(hue)}"))
        rows.extend(_row(inner, child, plan, "sub") for inner, child in main_parts(part))
    head = (
        element("th", "part", scope="col"),
        element("th", plan.unit, scope="col", class_="num"),
        element("th", "share", scope="col", class_="num"),
        element("th", "what it asks for", scope="col"),
    )
    return element(
        "table",
        element("caption", f"{_decimal(plan.cost)} {plan.unit} in all"),
        element("thead", element("tr", *head)),
        element("tbody", *rows),
        class_="plan",
    )


def _row(name: str, part: Plan, whole: Plan, kind: str) -> Markup:
    return element(
        "tr",
        element("th", element("span", class_="swatch"), name, scope="row"),
        element("td", _decimal(part.cost), class_="num"),
        element("td", percent(_share(part, whole)), class_="num"),
        element("td", part.note),
        class_=kind,
    )


def _decimal(cost: Fraction) -> str:
    return f"{float(cost):.4g}"
