"""The page of a plan in a real browser: quiet, no requests, accessible in light and dark."""

import shutil

import pytest

from quantail.planning import Band, ColumnExpectation, Expectation, Resolution
from quantail.report.plan_page import plan_page
from quantail.schema import Column, Schema

CHROMIUM = shutil.which("chromium")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no browser: install chromium to run these tests")
sync_api = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

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
def test_the_page_is_quiet_and_accessible(scheme, width, tmp_path):
    page_file = tmp_path / "plan.html"
    swept = [expectation(epsilon) for epsilon in ("0.1", "1", "10")]
    page_file.write_text(plan_page(SCHEMA, swept), encoding="utf-8")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        size = {"width": width, "height": 900}
        page = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True).new_page()
        said, asked = [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(page_file.as_uri())
        faults = axe.Axe().run(page).response["violations"]
        wide = page.evaluate("document.documentElement.scrollWidth")
        drawn = page.locator("svg.plot").count()
        browser.close()
    assert said == [] and asked == [page_file.as_uri()]
    assert [fault["id"] for fault in faults] == []
    assert wide <= width and drawn == 6
