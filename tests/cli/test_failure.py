"""What a command prints when something goes wrong: never the text of a foreign exception."""

import pytest

import quantail.io


def _raiser(error):
    def fail(*args, **named):
        raise error

    return fail


def test_an_unexpected_error_is_withheld(shop, monkeypatch):
    monkeypatch.setattr(quantail.io, "read_table", _raiser(ValueError("could not convert 987654.25")))
    done = shop.run("check", shop.table, "--schema", shop.schema)
    assert done.exit_code == 70
    assert "Internal error (ValueError)" in done.stderr
    assert "987654" not in done.output and "Traceback" not in done.output


def test_debug_shows_it_with_a_warning(shop, monkeypatch):
    monkeypatch.setattr(quantail.io, "read_table", _raiser(ValueError("could not convert 987654.25")))
    done = shop.run("check", shop.table, "--schema", shop.schema, QUANTAIL_DEBUG="1")
    assert done.exit_code == 70
    assert (
        "may quote confidential" in done.stderr and "987654.25" in done.stderr and "Traceback" in done.stderr
    )


def test_an_interrupt_ends_with_130(shop, monkeypatch):
    monkeypatch.setattr(quantail.io, "read_table", _raiser(KeyboardInterrupt()))
    assert shop.run("check", shop.table, "--schema", shop.schema).exit_code == 130


@pytest.mark.parametrize("arguments", [["check"], ["check", "x.csv", "--nonsense"], ["nonsense"]])
def test_wrong_usage_ends_with_2(shop, arguments):
    assert shop.run(*arguments).exit_code == 2
