"""Progress is for people who watch: on a terminal, and not when asked to be quiet."""

import io

import pytest
from rich.console import Console

from quantail.cli import console


@pytest.mark.parametrize(
    ("watched", "quiet", "shown"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_progress_is_shown_only_where_somebody_watches(monkeypatch, watched, quiet, shown):
    stream = io.StringIO()
    monkeypatch.setattr(console, "err", Console(file=stream, force_terminal=watched))
    with console.progress("fit", quiet) as report:
        report("jobs", 0.5)
    assert ("fit: jobs" in stream.getvalue()) is shown


def test_brackets_in_a_message_are_printed_as_they_are(capsys):
    console.say("column '[bold]pay[/bold]' is missing")
    assert "[bold]pay[/bold]" in capsys.readouterr().out


def test_long_lines_are_not_broken(capsys):
    path = "a" * 300 + ".parquet"
    console.say(f"Wrote {path}")
    assert path in capsys.readouterr().out


def test_json_refuses_what_json_does_not_know():
    with pytest.raises(ValueError):
        console.as_json({"value": float("nan")})
