"""What the marks mean, and the names above plots: the same all over the report."""

from quantail.markup import Child, Markup, element
from quantail.report.plots.canvas import diamond, disc


def draw_key() -> Markup:
    """Explain the two line styles and marks, once for all plots."""
    real = element("path", d="M0 6H34", class_="line real"), disc(17, 6, 3.5)
    synth = element("path", d="M0 6H34", class_="line synthetic"), diamond(17, 6, 4)
    return element(
        "ul",
        element("li", _sample(*real), "real rows: blue, solid, discs"),
        element("li", _sample(*synth), "synthetic rows: orange, dashed, diamonds"),
        class_="key",
    )


def draw_band_key() -> Markup:
    """Explain a line and the band around it."""
    line = element("path", d="M0 6H34", class_="line real")
    band = element("path", d="M0 0H34V12H0Z", class_="fill real")
    return element(
        "ul",
        element("li", _sample(line), "the error to expect"),
        element("li", _sample(band), "holds nine tables in ten"),
        class_="key",
    )


def _sample(*parts: Child) -> Markup:
    return element("svg", *parts, viewBox="0 0 34 12", aria_hidden="true")


def titled(title: str, plot: Markup) -> Markup:
    """Put a name above a plot."""
    return element("figure", element("h4", title), plot)
