"""Every broken mechanism is caught, its valid counterpart passes, and a missed one would be noticed."""

import dataclasses

import pytest

from quantail.auditing.negative_controls import judge, negative_controls

CONTROLS = {control.name: control for control in negative_controls()}
PROMISED = {
    "the paper's sensitivity",
    "row-based crossing check",
    "data-derived bounds",
    "data-derived grid",
    "a lattice that ends at the largest row",
    "a bound among the rows themselves",
    "data-derived depth",
    "double use of a budget",
    "float-ordered sums",
    "a seeded release",
    "missing clipping",
    "minimum over sort prefixes with ties",
    "branching on an empty bin",
    "S = 1 with unequal t in two bins",
    "joint draw in bins of private size",
    "fixed-size subsample",
    "n leaked",
    "a short chain from the non-private fit",
}


def test_the_list_of_controls_is_complete():
    assert set(CONTROLS) == PROMISED and len(negative_controls()) == len(PROMISED)


@pytest.mark.parametrize("name", CONTROLS)
def test_every_broken_mechanism_is_caught_and_its_valid_counterpart_passes(name):
    found = judge(CONTROLS[name])
    assert found.passed and found.figure > 1.05, found
    assert found.note.startswith("caught")


@pytest.mark.parametrize("name", ["the paper's sensitivity", "missing clipping", "a seeded release"])
def test_a_flaw_that_no_check_notices_fails_the_audit(name):
    control = CONTROLS[name]
    missed = judge(dataclasses.replace(control, flawed=control.valid))
    assert not missed.passed and missed.note.startswith("MISSED")


def test_a_check_that_condemns_the_valid_counterpart_fails_the_audit():
    control = CONTROLS["the paper's sensitivity"]
    assert not judge(dataclasses.replace(control, valid=control.flawed)).passed
