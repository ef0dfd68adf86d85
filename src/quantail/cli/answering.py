"""How a single question is asked from the shell: account, charge, answer, card, what is written and printed."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from quantail.answers import answer_card, card_markdown
from quantail.cli.account import accounted, open_account
from quantail.cli.console import as_json, note, print_json, say, warn
from quantail.cli.outputs import check_outputs
from quantail.cli.release import ReleaseOptions
from quantail.cli.staging import Staging
from quantail.io import check_output, write_table
from quantail.privacy import parse_epsilon
from quantail.release import NOT_PRIVATE
from quantail.release.paying import NO_LEDGER
from quantail.schema import Schema


def release_answer(
    ask: Callable[..., Any],
    about: Schema,
    spending: ReleaseOptions,
    inputs: Sequence[str | Path | None],
    cards: Sequence[Path],
    table: Path | None,
    force: bool,
    in_json: bool,
) -> None:
    """Ask, and write and print the answer.

    Parameters
    ----------
    ask : callable
        Asks, given who pays and how noise is made; returns the answer.
    about : Schema
        What is public about the column.
    inputs : sequence of path
        Files that are read, which no output may take the place of.
    cards : sequence of path
        Where the card goes, in JSON and to read; empty if nowhere.
    table : path, optional
        Where the answer goes as a table.
    """
    paths = [*cards, *([] if table is None else [table])]
    if table is not None:
        check_output(table, overwrite=force)
    check_outputs(paths, inputs, force)
    account = open_account(spending.payment, about, parse_epsilon(spending.epsilon), "epsilon")
    if spending.simulated or account is None:
        warn(NOT_PRIVATE if spending.simulated else NO_LEDGER)
    with accounted(account), Staging(paths) as staging:
        noise = "simulated" if spending.simulated else "secure"
        if table is not None:  # what this kind of file refuses must show before the charge
            write_table(pa.table({"value": pa.array([], pa.float64())}), staging.place(table))
        found = ask(ledger=account or False, noise=noise, seed=spending.seed)
        card = answer_card(found)
        for path, text in zip(cards, (as_json(card), card_markdown(card)), strict=False):
            staging.place(path).write_text(text, encoding="utf-8", newline="\n")
        if table is not None:
            write_table(found.to_arrow(), staging.place(table), overwrite=True)
        if account is not None:
            account.confirm()
        staging.commit()
    if in_json:
        print_json(card)
    else:
        say(*str(found).split("\n"))
    for path in paths:
        note(f"Wrote {path}" + ("" if found.facts().private else "  (NOT PRIVATE)"))
