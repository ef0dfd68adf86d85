"""Every broken mechanism is caught, its valid twin passes, and a missed one would be noticed."""

import dataclasses

import pytest

from quantail.auditing.gallery import exhibits, judge

GALLERY = {exhibit.name: exhibit for exhibit in exhibits()}
PROMISED = {
    "the paper's sensitivity",
    "row-based crossing check",
    "data-derived bounds",
    "data-derived grid",
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


def test_the_gallery_is_complete():
    assert set(GALLERY) == PROMISED and len(exhibits()) == len(PROMISED)


@pytest.mark.parametrize("name", GALLERY)
def test_every_broken_mechanism_is_caught_and_its_valid_twin_passes(name):
    found = judge(GALLERY[name])
    assert found.passed and found.figure > 1.05, found
    assert found.note.startswith("caught")


@pytest.mark.parametrize("name", ["the paper's sensitivity", "missing clipping", "a seeded release"])
def test_a_flaw_that_no_check_notices_fails_the_audit(name):
    exhibit = GALLERY[name]
    missed = judge(dataclasses.replace(exhibit, flawed=exhibit.valid))
    assert not missed.passed and missed.note.startswith("MISSED")


def test_a_check_that_condemns_the_valid_twin_fails_the_audit():
    exhibit = GALLERY["the paper's sensitivity"]
    assert not judge(dataclasses.replace(exhibit, valid=exhibit.flawed)).passed
