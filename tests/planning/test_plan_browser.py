"""The page of a plan in a real browser: quiet, no requests, accessible in light and dark."""

import pytest

from chromium import NEEDED, barriers, watched
from quantail.planning import Band, ColumnExpectation, Expectation, Resolution
from quantail.report.plan_page import plan_page
from quantail.schema import Column, Schema

pytestmark = NEEDED

SCHEMA = Schema(
    (Column("<b>pay</b>", "numeric", 0, 100), Column("jobs & more", "integer", 0, 9)), unit="firm"
)


def expectation(epsilon):
    error = 0.2 / float(epsilon)
    columns = tuple(
        ColumnExpectation(
            Resolution(name, 5, 4 / float(epsilon), 0.5),
            {measure: Band(error, 0.0, 1000 * error) for measure in ("q50", "q99", "slope")},
        )
        for name in SCHEMA.names
    )
    return Expectation(1000, False, epsilon, "pareto:2", 19, columns)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_the_page_is_quiet_and_accessible(browser, scheme, width, tmp_path):
    page_file = tmp_path / "plan.html"
    swept = [expectation(epsilon) for epsilon in ("0.1", "1", "10")]
    page_file.write_text(plan_page(SCHEMA, swept), encoding="utf-8")
    size = {"width": width, "height": 900}
    page = watched(browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True).new_page())
    page.goto(page_file.as_uri())
    assert page.said == [] and page.asked == [page_file.as_uri()]
    assert barriers(page, ("minor", "moderate", "serious", "critical")) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("svg.plot").count() == 6
    page.context.close()
