"""A release by way of the pages: what it charges, how often, and what is left when it is stopped."""

import json
import os
import signal
import time

import pytest
from desk import ASKED, reviewed, rows

from payroll_files import CANARY, SCHEMA
from quantail.privacy.ledger import Ledger


def account(desk):
    return Ledger.open(desk.folder / "payroll.ledger")


def names(desk):
    return {path.name for path in desk.folder.iterdir()}


def test_an_overspend_is_refused_and_nothing_is_charged(ready):
    before = names(ready)
    answer = ready.get("/release/review", **ASKED | {"epsilon": "1.01"})
    assert (
        answer.status_code == 422
        and "does not cover this" in answer.text
        and "Nothing was charged" in answer.text
    )
    form = reviewed(ready)
    answer = ready.post("/release/review", **form | {"epsilon": "1.01"})
    assert answer.status_code == 422
    assert account(ready).spent == 0 and names(ready) == before and ready.records.ids() == []


def test_a_second_ledger_of_the_same_data_is_refused(ready):
    answer = ready.post("/ledger/create", output="second.ledger", dataset="payroll", limit="5")
    assert answer.status_code == 422 and "payroll.ledger keeps count" in answer.text
    assert "second.ledger" not in names(ready)
    assert ready.post("/ledger/create", output="other.ledger", dataset="other", limit="5").status_code == 303


def test_a_limit_is_raised_on_record_and_never_lowered(ready):
    raised = {"ledger": "payroll.ledger", "by": "board", "reason": "2025"}
    assert ready.post("/ledger/raise", limit="0.5", **raised).status_code == 422
    assert ready.post("/ledger/raise", limit="3", **raised | {"by": ""}).status_code == 422
    assert account(ready).limit == 1
    assert ready.post("/ledger/raise", limit="3", **raised).status_code == 303
    assert (
        account(ready).limit == 3 and "by board: 2025" in ready.get("/ledger", ledger="payroll.ledger").text
    )


def test_a_budget_that_went_meanwhile_is_not_overspent(ready):
    form = reviewed(ready)
    account(ready).charge(account(ready).limit, "another release", "hash")
    answer = ready.post("/release/review", **form)
    assert answer.status_code == 422 and account(ready).spent == 1 and len(account(ready).entries()) == 2


@pytest.mark.parametrize("blank", ["lower = 0\nupper = 5000\n", "upper = 1000000\n", 'name = "payroll"\n'])
def test_blanks_are_refused_before_anything_is_charged(ready, blank):
    ready.write("schema.toml", SCHEMA.replace(blank, "" if "name" not in blank else 'name = ""\n'))
    answer = ready.get("/release/review", **ASKED)
    assert answer.status_code == 422 and "blank" in answer.text
    assert account(ready).spent == 0


def test_one_click_charges_once_however_often_it_is_sent(ready):
    Ledger.create(ready.folder / "large.ledger", "payroll", 10)
    form = reviewed(ready, ledger="large.ledger")
    again = reviewed(ready, ledger="large.ledger")  # a second tab with the same review
    assert form == again
    first = ready.run_of(ready.post("/release/review", **form))
    assert ready.run_of(ready.post("/release/review", **again)) == first
    assert ready.wait(first).state == "done"
    assert ready.run_of(ready.post("/release/review", **form)) == first  # a reload long after
    assert Ledger.open(ready.folder / "large.ledger").spent == 1 and len(ready.records.ids()) == 1


def test_a_review_that_is_out_of_date_starts_nothing(ready):
    Ledger.create(ready.folder / "large.ledger", "payroll", 10)
    form = reviewed(ready, ledger="large.ledger")
    for name, value in (("epsilon", "2"), ("output", "other.csv"), ("rows", "7")):
        assert ready.post("/release/review", **form | {name: value}).status_code == 409
    Ledger.open(ready.folder / "large.ledger").charge(1, "another", "hash")
    assert ready.post("/release/review", **form).status_code == 409
    ready.write("schema.toml", SCHEMA.replace("5000", "6000"))
    assert ready.post("/release/review", **form).status_code == 409
    assert ready.records.ids() == [] and Ledger.open(ready.folder / "large.ledger").spent == 1


def test_two_releases_do_not_run_at_once(ready):
    ready.write("payroll.csv", rows(20_000))
    Ledger.create(ready.folder / "large.ledger", "payroll", 10)
    one, other = (
        reviewed(ready, ledger="large.ledger"),
        reviewed(ready, ledger="large.ledger", output="other.csv"),
    )
    first = ready.run_of(ready.post("/release/review", **one))
    page = ready.get("/release/review", **ASKED | {"ledger": "large.ledger", "output": "other.csv"})
    answer = ready.post("/release/review", **other | {"run": ready.hidden(page, "run")})
    assert answer.status_code == 409 and "running already" in answer.text
    assert ready.post("/run/cancel", id=first).status_code == 303
    ready.wait(first)


def test_killed_in_the_middle_the_charge_shows_and_nothing_is_published(ready):
    ready.write("payroll.csv", rows(20_000))
    before = names(ready)
    run = ready.run_of(ready.post("/release/review", **reviewed(ready)))
    end = time.monotonic() + 60
    while account(ready).spent == 0:
        assert time.monotonic() < end and ready.records.read(run).state == "running"
        time.sleep(0.01)
    os.kill(int((ready.records.folder_of(run) / "pid").read_text()), signal.SIGKILL)
    assert ready.wait(run).state == "killed"
    page = ready.get("/run", id=run).text
    assert "killed" in page and "Nothing was published" in page and "not marked" in page
    assert account(ready).spent == 1 and account(ready).verify() == []
    assert names(ready) - before <= {name for name in names(ready) if name.startswith(".quantail-")}
    assert "left <" not in page and "does not cover" in ready.get("/release/review", **ASKED).text


def test_cancelled_after_the_charge_it_is_marked_failed(ready):
    ready.write("payroll.csv", rows(20_000))
    before = names(ready)
    run = ready.run_of(ready.post("/release/review", **reviewed(ready)))
    end = time.monotonic() + 60
    while account(ready).spent == 0:
        assert time.monotonic() < end
        time.sleep(0.01)
    ready.post("/run/cancel", id=run)
    assert ready.wait(run).state == "cancelled"
    page = ready.get("/run", id=run).text
    assert "failed, stays spent" in page and "Nothing was published" in page
    assert names(ready) == before


def test_a_table_that_does_not_fit_costs_nothing_and_its_values_show_nowhere(ready):
    ready.write("payroll.csv", rows().replace("12,", "twelve,"))
    run = ready.run_of(ready.post("/release/review", **reviewed(ready)))
    assert ready.wait(run).state == "failed"
    page = ready.get("/run", id=run).text
    assert "Nothing was charged" in page and account(ready).spent == 0
    assert "twelve" not in page and str(CANARY) not in page
    assert "twelve" not in ready.get("/check", table="payroll.csv", schema="schema.toml").text
    form = reviewed(ready)  # it can be tried again
    assert form["run"] != run


def test_confidential_values_show_nowhere_but_in_the_internal_report(ready):
    run = ready.run_of(ready.post("/release/review", **reviewed(ready)))
    assert ready.wait(run).state == "done"
    request = json.loads((ready.records.folder_of(run) / "request.json").read_text())
    assert request["table"] == "payroll.csv" and request["epsilon"] == "1"
    assert (ready.folder / ".quantail-studio").stat().st_mode & 0o077 == 0
    reported = ready.run_of(
        ready.post(
            "/results/report", table="payroll.csv", synthetic="out.csv", model="out.model.json", stem="out"
        )
    )
    pages = [ready.get(path).text for path in ("/", "/results", "/release", "/ledger?ledger=payroll.ledger")]
    pages += [ready.get("/run", id=run).text, ready.get("/run/state", id=reported).text]
    pages += [ready.get("/table", table="payroll.csv").text, ready.get("/check", **ASKED).text]
    pages += [path.read_text() for path in ready.records.home.rglob("*.json")]
    for page in pages:
        assert "987654" not in page and "987,654" not in page
    assert ready.wait(reported, 180).state == "done"
    shown = ready.get("/run", id=reported).text
    assert "INTERNAL." in shown and "must not leave" in shown
    answer = ready.get("/read", file="out.internal-report.html")
    assert "INTERNAL" in answer.text and answer.headers["cache-control"] == "no-store"


def test_a_first_line_that_may_be_a_row_is_not_shown_unasked(desk):
    desk.write("numbers.csv", rows().partition("\n")[2])  # no header
    page = desk.get("/table", table="numbers.csv")
    assert page.status_code == 422 and "add a line of column names" in page.text and "987654" not in page.text
    desk.write("rows.csv", "north,987654\nsouth,15\n")
    page = desk.get("/table", table="rows.csv").text
    assert "Does the first line hold the names" in page and "987654" not in page
    answer = desk.post("/table/draft", table="rows.csv", output="rows.toml")
    assert "Does the first line" in answer.text and not (desk.folder / "rows.toml").exists()
    desk.write("schema.toml", SCHEMA)
    assert "987654" not in desk.get("/schema", schema="schema.toml", table="rows.csv").text
    check = desk.get("/check", schema="schema.toml", table="rows.csv")
    assert "987654" not in check.text and "jobs" in check.text
    desk.write("years.csv", "firm,2001,2002\n1,2,3\n")
    assert "2001" not in desk.get("/table", table="years.csv").text.replace("years.csv", "")
    asked = {"table": "years.csv", "output": "years.toml", "are_names": "yes"}
    assert "2001" in desk.get("/table", table="years.csv", are_names="yes").text
    assert desk.post("/table/draft", **asked).status_code == 303
