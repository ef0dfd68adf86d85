"""Names that somebody else wrote are shown as they are: they neither mark up a page nor hide in it."""

import json
import tomllib
from html.parser import HTMLParser

from quantail.privacy.ledger import Ledger

EVIL = "<script>alert(1)</script>"
QUOTES = '" onfocus="alert(1)" autofocus x="'
ESCAPES = "pay\x1b[2J\u202eevil"


class Tags(HTMLParser):
    """Collects what a page is made of."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.attributes += [name for name, _ in attrs]


def harmless(page: str) -> bool:
    read = Tags()
    read.feed(page)
    scripts = [attributes for tag, attributes in read.tags if tag == "script"]
    acting = [name for name in read.attributes if name.startswith("on") or name == "autofocus"]
    hidden = any(character in page for character in "\x1b\u202e")
    return len(scripts) == 1 and scripts[0]["src"].endswith("/studio.js") and not acting and not hidden


def test_hostile_columns_files_and_data_sets_are_text(desk):
    desk.write(
        f"{EVIL.replace('/', '-')}.csv",
        f'"{EVIL}","{QUOTES.replace(chr(34), chr(34) * 2)}","{ESCAPES}"\n1,2,3\n',
    )
    table = next(path.name for path in desk.folder.iterdir() if path.name.startswith("<"))
    assert harmless(desk.get("/").text) and "&lt;script&gt;" in desk.get("/").text
    assert harmless(desk.get("/table", table=table).text)
    assert desk.post("/table/draft", table=table, output="evil.toml").status_code == 303
    for page in (
        desk.get("/schema", schema="evil.toml", table=table),
        *(desk.get("/schema/column", schema="evil.toml", column=place) for place in range(3)),
        desk.get("/plan", schema="evil.toml", rows="100"),
        desk.get("/release", table=table, schema="evil.toml", epsilon=QUOTES, output=EVIL),
        desk.get(
            "/release/review", table=table, schema="evil.toml", ledger=EVIL, epsilon=QUOTES, output=EVIL
        ),
        desk.get("/schema", schema=EVIL),
        desk.get("/run", id=EVIL),
        desk.get("/ledger", ledger=QUOTES),
    ):
        assert page.status_code in (200, 404, 422) and harmless(page.text), page.text[:200]


def test_hostile_words_in_a_ledger_and_a_card_are_text(desk):
    ledger = Ledger.create(desk.folder / "evil.ledger", EVIL, 1)
    ledger.charge(ledger.limit, QUOTES, "hash")
    assert harmless(desk.get("/ledger", ledger="evil.ledger").text)
    desk.write(
        "evil.card.json",
        json.dumps({"title": EVIL, "date": EVIL, "promise": [], "release": {"rows": "<b>"}}),
    )
    assert harmless(desk.get("/results").text)
    desk.write("odd.card.json", "[1, 2]")
    assert desk.get("/results").status_code == 200


def test_a_name_that_cannot_be_seen_survives_a_look_at_its_column(desk):
    desk.write("t.csv", f'"{ESCAPES}"\n1\n')
    desk.post("/table/draft", table="t.csv", output="t.toml")
    page = desk.get("/schema/column", schema="t.toml", column=0)
    shown = "pay\\x1b[2J\\u202eevil"
    assert shown in page.text
    fields = {"name": shown, "type": "integer", "lower": "0", "upper": "9", "seen": desk.hidden(page, "seen")}
    assert desk.post("/schema/column", schema="t.toml", column=0, **fields).status_code == 303
    saved = tomllib.loads((desk.folder / "t.toml").read_text())
    assert saved["column"][0]["name"] == ESCAPES and saved["column"][0]["upper"] == 9
