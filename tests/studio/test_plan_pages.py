"""The plan on a page: the budget at once, errors one epsilon after the other, kept for the next visit."""

from urllib.parse import parse_qs, urlsplit

import pytest

from quantail.studio import plan_pages
from quantail.studio.launch import run_id
from quantail.studio.records import write_json
from quantail.studio.work import Work

ASKED = {"schema": "schema.toml", "rows": "60", "epsilon": "1"}


def run_of(answer):
    assert answer.status_code == 303, answer.text
    return parse_qs(urlsplit(answer.headers["location"]).query).get("run", [""])[0]


def test_the_plan_shows_its_parts_and_its_hash_without_any_table(ready):
    (ready.folder / "payroll.csv").unlink()
    page = ready.get("/plan", **ASKED)
    assert page.status_code == 200 and "Plan hash" in page.text
    assert '<th scope="row">jobs</th>' in page.text and '<th scope="row">pay</th>' in page.text
    other = ready.get("/plan", **ASKED | {"epsilon": "2"}).text
    assert ready_hash(page.text) != ready_hash(other)


def ready_hash(text):
    return text.partition("Plan hash")[2][:120]


def test_errors_appear_as_they_are_worked_out_and_are_kept(ready, monkeypatch):
    monkeypatch.setattr(plan_pages, "EPSILONS", ("1/2", "2"))
    run = run_of(ready.post("/plan", **ASKED))
    assert ready.wait(run, 180).state == "done"
    page = ready.get("/plan", **ASKED).text
    for epsilon in ("0.5", "1", "2"):
        assert f'data-epsilon="{epsilon}"' in page
    assert 'id="slider"' in page and "median" in page and "<svg" in page and "style=" not in page
    assert run_of(ready.post("/plan", **ASKED)) == ""  # all of it is known
    assert len(ready.records.ids()) == 1


def test_a_new_plan_stops_the_one_before(ready):
    first = run_of(ready.post("/plan", **ASKED | {"rows": "5000"}))
    second = run_of(ready.post("/plan", **ASKED | {"rows": "4000"}))
    assert ready.wait(first).state == "cancelled" and first != second
    assert ready.post("/run/cancel", id=second, back="/plan", **ASKED).status_code == 303
    assert ready.wait(second).state == "cancelled"


def test_what_cannot_be_planned_says_so(ready):
    for wrong in (
        {"rows": "many"},
        {"rows": "0"},
        {"epsilon": "-1"},
        {"method": "guess"},
        {"schema": "no.toml"},
    ):
        for answer in (ready.get("/plan", **ASKED | wrong), ready.post("/plan", **ASKED | wrong)):
            assert answer.status_code in (404, 422) and 'role="alert"' in answer.text
    assert ready.records.ids() == []


def test_work_that_is_cancelled_stops_at_its_next_step_though_an_interruption_was_lost(ready):
    request = {"kind": "plan"}
    run = run_id(request)
    place = ready.records.folder_of(run)
    place.mkdir()
    write_json(place / "request.json", request)
    work = Work.at(place)
    work.tell("trying", 0.1)
    ready.records.cancel(run)
    with pytest.raises(KeyboardInterrupt):
        work.tell("trying", 0.2)


def test_the_only_schema_of_a_folder_is_chosen_and_none_is_asked_for_in_words(ready):
    assert '<option value="schema.toml" selected>' in ready.get("/plan").text
    refused = ready.get("/plan", **ASKED | {"schema": ""})
    assert refused.status_code == 422 and "no file was chosen" in refused.text
    ready.write("other.toml", (ready.folder / "schema.toml").read_text())
    assert '<option value="schema.toml" selected>' not in ready.get("/plan").text
