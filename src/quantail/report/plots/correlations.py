"""All rank correlations at a glance: real above the diagonal, synthetic below; a good copy is symmetric."""

from collections.abc import Sequence

from quantail.markup import Child, Markup, element
from quantail.report.association import Pair
from quantail.report.columns import Numbers
from quantail.report.plots.canvas import clipped, drawing, number
from quantail.report.plots.numbers import plain

_SIZE, _LEFT = 360.0, 96.0
_SPELLED_OUT = 8  # with more columns the numbers would not fit into their cells


def draw_correlations(names: Sequence[str], pairs: Sequence[Pair]) -> Markup:
    """Draw a square of cells, darker for stronger correlations, crossed hue for negative ones."""
    step = (_SIZE - _LEFT - 4) / len(names)
    place = {name: number_ for number_, name in enumerate(names)}
    parts: list[Child] = []
    for position, name in enumerate(names):
        middle = _LEFT + (position + 0.5) * step
        parts.append(_name(clipped(name, 13), _LEFT - 6, middle - _LEFT + 8, "end"))
        parts.append(_square(position, position, step, 1.0, name, len(names)))
    for pair in pairs:
        if isinstance(pair.first, Numbers) and isinstance(pair.second, Numbers):
            row, column = place[pair.first.name], place[pair.second.name]
            names_ = f"{pair.first.name} and {pair.second.name}"
            parts.append(_square(row, column, step, pair.real, f"real, {names_}", len(names)))
            parts.append(_square(column, row, step, pair.synth, f"synthetic, {names_}", len(names)))
    worst = max(pairs, key=lambda pair: pair.gap)
    label = (
        f"Rank correlations of {len(names)} columns, real above the diagonal, synthetic below. They differ most for "
        f"{worst.first.name} and {worst.second.name}: {plain(worst.real, 2)} real, {plain(worst.synth, 2)} synthetic."
    )
    return drawing(_SIZE, _SIZE - _LEFT + 12, label, *parts)


def _name(text: str, x: float, y: float, side: str) -> Markup:
    return element("text", text, x=number(x), y=number(y + 3.5), class_=f"tick {side}")


def _square(row: int, column: int, step: float, value: float, title: str, count: int) -> Markup:
    x, y = _LEFT + column * step, 8 + row * step
    diagonal = row == column
    kind = "diagonal" if diagonal else "negative" if value < 0 else "positive"
    square = element(
        "rect",
        element("title", title if diagonal else f"{title}: {plain(value, 2)}"),
        x=number(x + 0.5),
        y=number(y + 0.5),
        width=number(step - 1),
        height=number(step - 1),
        class_=f"cell {kind}",
        fill_opacity=f"{abs(value):.2f}",
    )
    if diagonal or count > _SPELLED_OUT:
        return square
    shade = "tick mid on" if abs(value) > 0.55 else "tick mid"
    text = element(
        "text", plain(value, 2), x=number(x + step / 2), y=number(y + step / 2 + 3.5), class_=shade
    )
    return element("g", square, text)
