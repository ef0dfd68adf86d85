"""A small plot as inline SVG: a frame with two axes, and marks in it.

Colours come from the page's style (classes such as `real` and `synthetic`), so one drawing follows light, dark
and print. Real rows are solid lines and discs, synthetic ones dashed lines and diamonds: never colour alone.
Coordinates are written with one decimal; a plot of 360 units is about as wide as a phone, hence readable there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from quantail.arrays import Floats
from quantail.markup import Child, Markup, element
from quantail.report.plots.scale import Scale

Ticks = Sequence[tuple[float, str]]

_LONGEST = 18  # characters of a name beside a row


@dataclass(frozen=True)
class Canvas:
    """Where a plot's axes lie, in units of the drawing."""

    x: Scale
    y: Scale
    width: float = 360
    height: float = 236
    left: float = 50
    right: float = 18
    top: float = 10
    bottom: float = 42

    def across(self, values: ArrayLike) -> Floats:
        """Place values along the horizontal axis."""
        return self.left + self.x.place(values) * (self.width - self.left - self.right)

    def up(self, values: ArrayLike) -> Floats:
        """Place values along the vertical axis."""
        return self.height - self.bottom - self.y.place(values) * (self.height - self.top - self.bottom)

    def axes(
        self, x_label: str, y_label: str, x_ticks: Ticks | None = None, y_ticks: Ticks | None = None
    ) -> Markup:
        """Draw grid lines, tick labels and the names of both axes."""
        floor, roof = self.height - self.bottom, self.top
        wall, end = self.left, self.width - self.right
        parts: list[Child] = []
        for value, label in self.x.ticks() if x_ticks is None else x_ticks:
            across = number(float(self.across(value)))
            parts.append(element("path", d=f"M{across} {number(roof)}V{number(floor)}", class_="grid"))
            parts.append(element("text", label, x=across, y=number(floor + 14), class_="tick mid"))
        for value, label in self.y.ticks(4) if y_ticks is None else y_ticks:
            up = float(self.up(value))
            parts.append(element("path", d=f"M{number(wall)} {number(up)}H{number(end)}", class_="grid"))
            parts.append(element("text", label, x=number(wall - 6), y=number(up + 3.5), class_="tick end"))
        parts.append(element("path", d=f"M{number(wall)} {number(floor)}H{number(end)}", class_="axis"))
        middle = number((wall + end) / 2)
        parts.append(element("text", x_label, x=middle, y=number(self.height - 8), class_="label mid"))
        if y_label:
            height = number((floor + roof) / 2)
            turned = f"rotate(-90 11 {height})"
            parts.append(element("text", y_label, x="11", y=height, transform=turned, class_="label mid"))
        return element("g", *parts)

    def line(self, xs: ArrayLike, ys: ArrayLike, kind: str) -> Markup:
        """Join points by straight lines; a missing value breaks the line."""
        return element("path", d=_path(self.across(xs), self.up(ys)), class_=f"line {kind}")

    def area(self, edges: ArrayLike, heights: ArrayLike, kind: str, filled: bool) -> Markup:
        """Draw a histogram's outline between `edges`, on the lowest value of the vertical axis."""
        across = np.repeat(self.across(edges), 2)
        base = float(self.up(self.y.low))
        up = np.concatenate([[base], np.repeat(self.up(heights), 2), [base]])
        drawn = element("path", d=_path(across, up), class_=f"line {kind}")
        if not filled:
            return drawn
        return element("g", element("path", d=_path(across, up) + "Z", class_=f"fill {kind}"), drawn)

    def dots(self, xs: ArrayLike, ys: ArrayLike, kind: str) -> Markup:
        """Draw many small dots as one path: lines of no length with round ends."""
        places = zip(self.across(xs).tolist(), self.up(ys).tolist(), strict=True)
        return element(
            "path", d="".join(f"M{number(x)} {number(y)}h0" for x, y in places), class_=f"dots {kind}"
        )

    def row_name(self, label: str, up: float) -> Markup:
        """Write what a row is called, left of the frame."""
        return element("text", clipped(label), x=number(self.left - 8), y=number(up + 4), class_="tick end")

    def interval(self, ends: ArrayLike, up: float, kind: str) -> Markup:
        """Draw a line from the first to the last of three values, with a mark at the middle one."""
        low, middle, high = self.across(ends).tolist()
        mark = disc(middle, up, 3.5) if kind == "real" else diamond(middle, up, 4.0)
        path = f"M{number(low)} {number(up)}H{number(high)}"
        return element("g", element("path", d=path, class_=f"line {kind}"), mark)

    def drawing(self, label: str, *parts: Child) -> Markup:
        """Close the plot; `label` says in words what it shows."""
        return drawing(self.width, self.height, label, *parts)


def drawing(width: float, height: float, label: str, *parts: Child) -> Markup:
    """Write an SVG image with a description for those who cannot see it."""
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {number(width)} {number(height)}",
        role="img",
        aria_label=label,
        class_="plot",
    )


def disc(x: float, y: float, size: float = 4.0) -> Markup:
    """Draw the mark of real rows."""
    return element("circle", cx=number(x), cy=number(y), r=number(size), class_="mark real")


def diamond(x: float, y: float, size: float = 5.0) -> Markup:
    """Draw the mark of synthetic rows."""
    step = number(size)
    path = f"M{number(x)} {number(y - size)}l{step} {step}l-{step} {step}l-{step} -{step}Z"
    return element("path", d=path, class_="mark synthetic")


def clipped(label: str, longest: int = _LONGEST) -> str:
    """Cut the middle out of a label that would run out of its place; ends tell labels apart."""
    if len(label) <= longest:
        return label
    tail = longest // 3
    return f"{label[: longest - tail - 1]}…{label[-tail:]}"


def number(value: float) -> str:
    """Write a coordinate with at most one decimal."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def _path(xs: Floats, ys: Floats) -> str:
    steps, pen = [], "M"
    for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
        if x == x and y == y:
            steps.append(f"{pen}{number(x)} {number(y)}")
            pen = "L"
        else:
            pen = "M"
    return "".join(steps)
