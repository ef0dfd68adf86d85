"""Who may speak to the studio: whoever holds the token, from its own pages, under its own name."""

import pytest

from quantail.studio.access import COOKIE


def test_the_token_is_exchanged_for_a_strict_cookie_and_leaves_the_address(desk):
    answer = desk.ask("GET", desk.access.address, {"cookie": ""})
    assert answer.status_code == 200 and desk.access.token not in answer.text
    cookie = answer.headers["set-cookie"]
    assert f"{COOKIE}={desk.access.session}" in cookie
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and f"Path=/{desk.access.prefix}/" in cookie
    assert desk.access.session != desk.access.token


@pytest.mark.parametrize("token", ["", "x", "31RIUL1v5MtAs6R4XIHVeM6YIaVeTWFd5e6yDzhLDUM", "../", "%00", "é"])
def test_a_wrong_token_opens_nothing(desk, token):
    answer = desk.ask("GET", f"/open/{token}", {"cookie": ""})
    assert answer.status_code in (403, 404) and "set-cookie" not in answer.headers
    assert desk.access.prefix not in answer.text


@pytest.mark.parametrize("cookie", ["", f"{COOKIE}=", f"{COOKIE}=guess", "other=1", f"{COOKIE}", ";;=;"])
def test_without_its_cookie_no_page_answers(desk, cookie):
    for path in ("/", "/style.css", "/run/state?id=x", "/no-such-page"):
        answer = desk.ask("GET", desk.url(path), {"cookie": cookie})
        assert answer.status_code == 403 and "payroll" not in answer.text


def test_a_guessed_prefix_leads_nowhere(desk):
    assert desk.ask("GET", "/guessed/").status_code == 404
    assert desk.ask("GET", "/").status_code == 404


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8765", "localhost:8765", "127.0.0.1", "127.0.0.1:1", "[::1]:8765", ""],
)
def test_another_name_for_this_machine_is_refused(desk, host):
    answer = desk.ask("GET", desk.url("/"), {"host": host})
    assert answer.status_code == 421 and "payroll" not in answer.text
    assert desk.ask("GET", f"/open/{desk.access.token}", {"host": host}).status_code == 421


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:1", "http://localhost:8765", "https://127.0.0.1:8765"],
)
def test_a_form_of_another_origin_is_refused(desk, origin):
    form = {"form_token": desk.access.form_token("/table/draft"), "table": "payroll.csv", "output": "s.toml"}
    answer = desk.ask("POST", desk.url("/table/draft"), {"origin": origin}, data=form)
    assert answer.status_code == 403 and not (desk.folder / "s.toml").exists()


def test_a_form_without_an_origin_is_refused(desk):
    del desk.headers["origin"]
    assert desk.post("/table/draft", table="payroll.csv", output="s.toml").status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_site_or_port_asks_for_is_refused(desk, site):
    assert desk.ask("GET", desk.url("/"), {"sec-fetch-site": site}).status_code == 403
    for own in ("none", "same-origin"):
        assert desk.ask("GET", desk.url("/"), {"sec-fetch-site": own}).status_code == 200


def test_a_token_is_good_for_one_form_only(desk):
    other = desk.access.form_token("/ledger/create")
    for token in ("", "x", other):
        answer = desk.post("/table/draft", table="payroll.csv", output="s.toml", form_token=token)
        assert answer.status_code == 403
    assert not (desk.folder / "s.toml").exists()


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
def test_other_methods_are_refused(desk, method):
    assert desk.ask(method, desk.url("/")).status_code == 405


def test_a_page_that_changes_things_is_not_reached_by_a_link(desk):
    answer = desk.get("/table/draft", table="payroll.csv", output="s.toml")
    assert answer.status_code == 405 and not (desk.folder / "s.toml").exists()


def test_every_answer_carries_the_strict_headers(desk):
    answers = [
        desk.get("/"),
        desk.get("/nowhere"),
        desk.ask("GET", "/x", {"cookie": ""}),
        desk.get("/style.css"),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert (
            "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        )
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
    page = answers[0].text
    assert "http" not in page.replace("http-equiv", "") and "style=" not in page and "<script>" not in page


def test_headers_that_come_twice_count_as_neither(desk):
    sent = [("host", "127.0.0.1:8765"), ("cookie", desk.headers["cookie"]), ("cookie", "a=b")]
    refused = desk.access.refusal("GET", desk.url("/"), _as_the_guard_reads(sent))
    assert refused is not None and refused.status == 403


def _as_the_guard_reads(sent):
    from quantail.studio.app import _headers

    return _headers({"headers": [(name.encode(), value.encode()) for name, value in sent]})


def test_forms_that_are_too_large_or_of_another_kind_are_refused(desk):
    url = desk.url("/table/draft")
    assert desk.ask("POST", url, content=b"x=" + b"y" * (1 << 23)).status_code in (413, 415)
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert desk.ask("POST", url, form, content=b"x=" + b"y" * (1 << 23)).status_code == 413
    assert desk.ask("POST", url, form, content=b"&".join([b"a=1"] * 6000)).status_code == 400
    assert desk.ask("POST", url, form, content=b"a=%ff\xff").status_code == 400
    assert desk.ask("POST", url, {"content-type": "text/plain"}, content=b"a=1").status_code == 415


def test_an_error_that_nobody_foresaw_keeps_its_text_to_itself(desk, monkeypatch, capfd):
    def broken(*_):
        raise RuntimeError("987654.25")

    monkeypatch.setattr("quantail.studio.table_pages.read_header", broken)
    answer = desk.get("/table", table="payroll.csv")
    assert answer.status_code == 500 and "RuntimeError" in answer.text and "987654" not in answer.text
    monkeypatch.setattr("quantail.studio.visit.Visit.page", broken)  # even if no page can be written
    answer = desk.get("/")
    assert answer.status_code == 500 and "987654" not in answer.text
    assert "987654" not in "".join(capfd.readouterr())
