"""Report and card in a real browser: nothing is asked of the network, everything is there and accessible."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from chromium import DESKTOP, NEEDED, PHONE, barriers, kept, watched
from quantail.privacy import Plan, Terms
from quantail.release.facts import Facts
from quantail.report import release_card, render_html
from quantail.report.internal import render_report
from quantail.schema import Column, Schema

pytestmark = NEEDED

SCHEMA = Schema(
    (
        Column("sector <b>", "category", categories=("farm", "<script>alert(1)</script>", "mill")),
        Column("jobs", "integer", 1, 50_000, grid="log"),
        Column("pay & bonus", "numeric", 0, 1e9, grid="log"),
        Column('hours "paid"', "numeric", 0, 100),
    ),
    unit="establishment",
    name="payroll <img src=x onerror=alert(1)>",
)


def made_up(seed, rows=1500):
    rng = np.random.default_rng(seed)
    sector = rng.integers(0, 3, rows)
    jobs = np.floor(np.exp(rng.normal(1.5 + 0.4 * sector, 1.1))) + 1
    pay = jobs * np.exp(rng.normal(10, 0.5, rows))
    hours = np.clip(rng.normal(38 + sector, 6), 0, 100)
    labels = np.array(SCHEMA.column("sector <b>").categories)[sector]
    return pa.table(dict(zip(SCHEMA.names, (labels, jobs.astype(int), pay, hours), strict=True)))


class Model:
    """Public facts of a release, without a fit."""

    def facts(self):
        shares = {"count": 1, "slope": 3, "curve": 4, "calibration": 2}
        parts = [
            Plan.sequence(
                name, [Plan.leaf(part, Fraction(k, 40), "asked once") for part, k in shares.items()]
            )
            for name in SCHEMA.names
        ]
        terms = Terms(SCHEMA.to_toml(), 10, "1", "", "pure", "tables")
        return Facts(SCHEMA, Plan.sequence("table", parts), terms, Fraction(1), None, True, 10)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Write a report and a card, and give their folder."""
    folder = tmp_path_factory.mktemp("pages")
    report = render_report(made_up(1), made_up(2), model=Model())
    (folder / "report.html").write_text(report, encoding="utf-8")
    (folder / "card.html").write_text(render_html(release_card(Model(), rows=1500)), encoding="utf-8")
    return folder


def opened(browser, path, viewport, scheme="light"):
    """Open a page; what it says on the console and asks of any network is kept with it."""
    page = watched(browser.new_page(viewport=viewport, color_scheme=scheme))
    page.goto(path.as_uri())
    return page


@pytest.mark.parametrize("name", ["report", "card"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_quietly_and_is_accessible(browser, pages, name, scheme):
    path = pages / f"{name}.html"
    page = opened(browser, path, DESKTOP, scheme)
    kept(page, f"{name}-desktop-{scheme}")
    assert page.said == []
    assert page.asked == [path.as_uri()]
    assert barriers(page) == []
    page.close()


@pytest.mark.parametrize("name", ["report", "card"])
def test_a_phone_shows_it_without_scrolling_sideways(browser, pages, name):
    page = opened(browser, pages / f"{name}.html", PHONE)
    kept(page, f"{name}-phone")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    small = page.evaluate(
        "[...document.querySelectorAll('svg.plot text')].filter(t => t.getBoundingClientRect().height < 9).length"
    )
    assert small == 0
    page.close()


def test_every_picture_is_there_and_has_a_description(browser, pages):
    page = opened(browser, pages / "report.html", DESKTOP)
    pictures = page.locator("[role=img]").all()
    # Three plots for each of three numbers, one for the labels, the pairs and a forest.
    assert len(pictures) > 3 * 3 + 1 + 6 + 1
    for picture in pictures:
        box = picture.bounding_box()
        assert box["width"] > 150 and box["height"] > 40
        assert len(picture.get_attribute("aria-label")) > 20
    page.close()


def test_the_keyboard_reaches_the_content(browser, pages):
    page = opened(browser, pages / "report.html", DESKTOP)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#content"
    page.close()


def test_dark_mode_changes_the_plots_too(browser, pages):
    strokes = []
    for scheme in ("light", "dark"):
        page = opened(browser, pages / "report.html", DESKTOP, scheme)
        strokes.append(page.evaluate("getComputedStyle(document.querySelector('.line.real')).stroke"))
        page.close()
    assert strokes[0] != strokes[1]


def test_print_drops_links_and_keeps_the_mark(browser, pages):
    page = opened(browser, pages / "report.html", DESKTOP)
    page.emulate_media(media="print")
    assert not page.locator("nav").first.is_visible()
    assert page.get_by_text("INTERNAL.").is_visible()
    page.close()
