"""Whatever is sent to whatever page: an answer in words, no fault inside, nothing confidential, nothing spent."""

import hashlib
import random

from payroll_files import CANARY
from quantail.privacy.ledger import Ledger
from quantail.studio.app import PAGES

FIELDS = (
    *(
        "table",
        "schema",
        "ledger",
        "file",
        "id",
        "run",
        "rows",
        "epsilon",
        "method",
        "column",
        "seen",
        "name",
        "type",
    ),
    *(
        "lower",
        "upper",
        "decimals",
        "resolution",
        "grid",
        "categories",
        "atoms",
        "missing_codes",
        "explained",
    ),
    *("explained_by", "do", "new_name", "part", "total", "parts", "layout", "unit", "start", "end", "output"),
    *("dataset", "limit", "by", "reason", "definition", "delta", "replicates", "model", "synthetic", "stem"),
    *(
        "separator",
        "decimal",
        "thousands",
        "encoding",
        "dates",
        "neighbours",
        "order",
        "merge_below",
        "panel",
        "universe",
    ),
    *("outside", "storage", "then", "back"),
)
VALUES = (
    *(
        "",
        "0",
        "1",
        "-1",
        "nan",
        "inf",
        "1e999",
        "1/0",
        "1/3",
        "2020-13-45",
        "x" * 300,
        "x" * 5000 + ".csv",
        "a/b",
    ),
    *(
        "\0",
        "é",
        "9" * 5000,
        "up 0",
        "drop 1",
        "drop " + "9" * 50,
        "../x",
        "[]",
        '{"a": 1}',
        "<b>",
        "{{7*7}}",
        "f" * 32,
    ),
    *(
        "numeric",
        "category",
        "date",
        "key",
        "log",
        "long",
        "zcdp",
        "kng",
        "inequality",
        "identity",
        "add",
        "/run",
    ),
    *("payroll.csv", "schema.toml", "payroll.ledger", "x.card.json", "new.csv", "new.ledger", "new.toml"),
)
SENSIBLE = {"table": "payroll.csv", "schema": "schema.toml", "ledger": "payroll.ledger"}


def test_any_request_is_answered_in_words(ready):
    ready.write("x.card.json", '{"promise": {"epsilon": [1]}, "release": {"rows": {}}, "private": 1}')
    chance = random.Random(19)
    for _ in range(250):
        method, path = chance.choice(list(PAGES))
        sent = {name: chance.choice(VALUES) for name in chance.sample(FIELDS, chance.randint(0, 14))}
        sent |= {name: value for name, value in SENSIBLE.items() if chance.random() < 0.7}
        if chance.random() < 0.8:  # as a form that was just loaded
            sent["seen"] = hashlib.sha256((ready.folder / "schema.toml").read_bytes()).hexdigest()
        answer = ready.get(path, **sent) if method == "GET" else ready.post(path, **sent)
        assert answer.status_code < 500, (method, path, sent)
        assert (
            str(CANARY) not in answer.text
            and "{{" not in answer.text.replace("{{7*7}}", "")
            and ">49<" not in answer.text
        )
    assert Ledger.open(ready.folder / "payroll.ledger").spent == 0
    assert not any(ready.records.read(run).kind == "release" for run in ready.records.ids())
