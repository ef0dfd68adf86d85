"""A panel goes the same way as a table: drafted with its unit and period, described, released, drawn from."""

import tomllib

from desk import PANEL_FORM, reviewed

from quantail.privacy.ledger import Ledger
from quantail.schema import Schema

YEARS = range(2000, 2004)


def long_panel() -> str:
    lines = ["firm,year,first,last,staff"]
    for place in range(60):
        first, last = 2000 + place % 3, 2003 - place % 2
        lines += [
            f"{1000 + place},{year},{first},{last},{1 + (place * place + 7 * year) % 40}"
            for year in YEARS
            if first <= year <= last
        ]
    return "\n".join(lines) + "\n"


def units(text):
    return {line.partition(",")[0] for line in text.splitlines()[1:]}


def test_a_panel_is_drafted_described_released_and_drawn_from(desk):
    desk.write("plants.csv", long_panel())
    drafted = desk.post("/table/draft", table="plants.csv", output="plants.toml", panel="firm,year")
    assert drafted.status_code == 303

    def seen():
        return desk.hidden(desk.get("/schema", schema="plants.toml", table="plants.csv"), "seen")

    page = desk.get("/schema", schema="plants.toml", table="plants.csv").text
    assert "This is a panel" in page and "[panel]: write" in page
    staff = {"name": "staff", "type": "integer", "lower": "0", "upper": "500", "source": "law", "column": 0}
    assert desk.post("/schema/column", schema="plants.toml", seen=seen(), **staff).status_code == 303
    desk.post("/schema/panel", schema="plants.toml", seen=seen(), start="2000", end="2003", **PANEL_FORM)
    facts = {"name": "plants", "unit": "establishment", "neighbours": "replace-one", "order": "declared"}
    desk.post("/schema/facts", schema="plants.toml", seen=seen(), **facts)
    assert Schema.load(desk.folder / "plants.toml").panel.time == "year"
    assert "It fits" in desk.get("/check", table="plants.csv", schema="plants.toml").text
    plan = desk.get("/plan", schema="plants.toml", rows="60", epsilon="2")
    assert "No errors are stated" in plan.text and "Plan hash" in plan.text
    Ledger.create(desk.folder / "plants.ledger", "plants", 2)
    asked = {"table": "plants.csv", "schema": "plants.toml", "ledger": "plants.ledger", "epsilon": "2"}
    ended = desk.wait(desk.run_of(desk.post("/release/review", **reviewed(desk, **asked))))
    assert ended.state == "done", ended.message
    real, made = long_panel(), (desk.folder / "out.csv").read_text()
    assert len(units(made)) == len(units(real)) and not units(made) & units(real)
    drawn = desk.run_of(desk.post("/results/draw", model="out.model.json", output="more.csv", rows="7"))
    assert desk.wait(drawn).state == "failed" and "panel" in desk.get("/run", id=drawn).text
    drawn = desk.run_of(desk.post("/results/draw", model="out.model.json", output="more.csv"))
    assert desk.wait(drawn).state == "done"


def test_what_the_page_of_a_panel_does_not_show_is_kept(desk):
    desk.write("plants.csv", long_panel())
    desk.post("/table/draft", table="plants.csv", output="plants.toml", panel="firm,year")
    text = (desk.folder / "plants.toml").read_text().replace("gaps = false", "gaps = true")
    desk.write("plants.toml", text)
    seen = desk.hidden(desk.get("/schema", schema="plants.toml", table="plants.csv"), "seen")
    desk.post("/schema/panel", schema="plants.toml", seen=seen, start="2000", end="2003", **PANEL_FORM)
    assert tomllib.loads((desk.folder / "plants.toml").read_text())["panel"]["gaps"] is True
