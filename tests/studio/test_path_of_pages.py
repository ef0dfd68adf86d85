"""From a table to a released copy, page by page, as forms are sent."""

from desk import reviewed

from quantail.privacy.ledger import Ledger
from quantail.schema import Schema


def test_a_draft_is_filled_in_released_and_drawn_from(desk):
    drafted = desk.post("/table/draft", table="payroll.csv", output="schema.toml")
    assert drafted.status_code == 303
    for place, fields in enumerate(
        (
            {
                "name": "jobs",
                "type": "integer",
                "lower": "0",
                "upper": "5 000",
                "grid": "log",
                "source": "register",
            },
            {
                "name": "pay",
                "type": "numeric",
                "lower": "0",
                "upper": "1000000",
                "grid": "log",
                "decimals": "2",
            },
        )
    ):
        page = desk.get("/schema/column", schema="schema.toml", column=place)
        fields |= {
            "column": place,
            "schema": "schema.toml",
            "seen": desk.hidden(page, "seen"),
            "then": "next",
        }
        assert desk.post("/schema/column", **fields).status_code == 303
    page = desk.get("/schema", schema="schema.toml", table="payroll.csv")
    facts = {"name": "payroll", "unit": "firm", "neighbours": "replace-one", "order": "declared"}
    desk.post("/schema/facts", schema="schema.toml", seen=desk.hidden(page, "seen"), **facts)
    schema = Schema.load(desk.folder / "schema.toml")
    assert schema.column("jobs").upper == 5000 and schema.column("pay").decimals == 2
    assert "It fits" in desk.get("/check", table="payroll.csv", schema="schema.toml").text
    assert (
        desk.post("/ledger/create", output="payroll.ledger", dataset="payroll", limit="1").status_code == 303
    )
    run = desk.run_of(desk.post("/release/review", **reviewed(desk)))
    ended = desk.wait(run)
    assert ended.state == "done", ended.message
    shown = desk.get("/run", id=run).text
    assert "released" in shown and "out.card.html" in shown
    assert len((desk.folder / "out.csv").read_text().splitlines()) == 202
    drawn = desk.run_of(desk.post("/results/draw", model="out.model.json", output="more.csv", rows="7"))
    assert desk.wait(drawn).state == "done"
    assert len((desk.folder / "more.csv").read_text().splitlines()) == 8
    assert Ledger.open(desk.folder / "payroll.ledger").spent == 1
    for page in ("/", "/results", "/ledger", "/release", "/plan"):
        assert desk.get(page).status_code == 200
