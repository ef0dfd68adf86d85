from fractions import Fraction as F
from typing import Any

import pytest

from quantail.privacy.chain import FIELDS, GENESIS, Row, chain_problems, digest, following, read_entry, replay


def grown(*records: dict[str, Any]) -> list[Row]:
    """A chain whose hashes hold, whatever its records say: what a forger who knows the rule could write."""
    rows: list[Row] = []
    for record in records:
        values = {"dataset": "payroll", "unit": "epsilon"} | record
        forged_amount = values.pop("stored", None)
        row = list(following([read_entry(row) for row in rows], **values))
        if forged_amount is not None:
            row[FIELDS.index("amount")] = forged_amount
            row[-1] = digest(row)
        rows.append(tuple(row))
    return rows


OPEN = {"kind": "open", "amount": F(1)}
HALF = {"kind": "charge", "amount": F(1, 2), "purpose": "study", "plan_hash": "p"}


def test_a_sound_chain_replays_to_its_balance() -> None:
    mark = {"kind": "mark", "refers": 2, "status": "failed"}
    rows = grown(OPEN, HALF, mark, HALF, {"kind": "limit", "amount": F(2)}, HALF)
    balance, problems = replay(rows)
    assert chain_problems(rows) == problems == []
    assert balance is not None
    assert (balance.limit, balance.spent) == (F(2), F(3, 2))


@pytest.mark.parametrize(
    "records",
    [
        [OPEN, HALF, HALF, HALF],  # spends 3/2 of 1
        [OPEN, OPEN | {"amount": F(2)}],
        [HALF],
        [OPEN, {"kind": "limit", "amount": F(1, 2)}],
        [OPEN, {"kind": "mark", "refers": 1, "status": "failed"}],
        [OPEN, {"kind": "mark", "refers": 3, "status": "failed"}, HALF],
        [OPEN, {"kind": "charge"}],
        [OPEN, {"kind": "refund", "amount": F(1, 2)}],
        [OPEN, HALF | {"dataset": "claims"}],
        [OPEN, HALF | {"unit": "rho"}],
        [OPEN, HALF | {"stored": "-1/2"}],
        [OPEN, HALF | {"stored": "0/1"}],
        [OPEN, HALF | {"stored": "a lot"}],
    ],
)
def test_contradictions_are_found_even_when_the_hashes_hold(records: list[dict[str, Any]]) -> None:
    rows = grown(*records)
    assert chain_problems(rows) == []
    assert replay(rows)[1] != []


def test_every_field_is_under_the_hash() -> None:
    rows = grown(OPEN, HALF | {"refers": 7, "status": "x"})
    for place, name in enumerate(FIELDS):
        changed = list(rows[1])
        changed[place] = 99 if name in ("number", "refers") else "other"
        assert chain_problems([rows[0], tuple(changed)]) != [], name


def test_a_record_that_was_changed_changes_all_that_follow() -> None:
    # Otherwise a record in the middle could be written anew, and a head kept elsewhere would still be found.
    moment = {"time": "2024-05-01T12:00:00+00:00"}
    made = []
    for purpose in ("study", "other study"):
        rows = grown(OPEN, HALF | {"purpose": purpose}, HALF)
        previous, same = GENESIS, []
        for row in rows:  # at one and the same time
            fixed = dict(zip(FIELDS, row, strict=True)) | moment | {"previous": previous}
            previous = digest([fixed[name] for name in FIELDS])
            same.append(previous)
        made.append(same)
    assert [one == other for one, other in zip(*made, strict=True)] == [True, False, False]


def test_amounts_are_stored_as_exact_text() -> None:
    rows = grown(OPEN, HALF | {"amount": F(10**20, 3 * 10**20 + 1)})
    stored = rows[1][FIELDS.index("amount")]
    assert stored == "100000000000000000000/300000000000000000001"
    assert read_entry(rows[1]).amount == F(10**20, 3 * 10**20 + 1)
    assert rows[0][FIELDS.index("amount")] == "1/1"
