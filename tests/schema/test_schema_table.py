"""A schema is consistent across its columns, and its fingerprint tells schemas apart."""

import dataclasses

import pytest

from quantail.errors import SchemaError
from quantail.schema import Column, Schema

REGION = Column("region", "category", categories=("north", "south"), source="codebook")
JOBS = Column("jobs", "integer", 0, 500)
PAY = Column("pay", "numeric", 0, 1e6, grid="log", source=" ")


def make(**changes):
    return Schema(**{"columns": (REGION, JOBS, PAY), "unit": "firm", **changes})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"columns": ()}, "no columns"),
        ({"columns": (JOBS, JOBS)}, "'jobs' is described twice"),
        ({"unit": ""}, "unit is blank"),
        ({"unit": 3}, "unit is not text"),
        ({"name": 3}, "name is not text"),
        ({"neighbours": "swap"}, "write one of replace-one, add-remove"),
        ({"neighbours": []}, "write one of replace-one, add-remove"),
        ({"by": ("jobs",)}, "'jobs', which is not a category column"),
        ({"by": ("county",)}, "'county', which is not a category column"),
        ({"by": ("region", "region")}, "lists a column twice"),
        ({"by": "region"}, "by must be a list"),
        ({"by": [["region"]]}, "entry of [table] by is not text"),
    ],
)
def test_a_bad_schema_says_what_to_write(changes, said):
    with pytest.raises(SchemaError) as caught:
        make(**changes)
    assert said in str(caught.value)


@pytest.mark.parametrize("predictor", ["pay", "jobs", "nowhere"])
def test_predictors_must_come_earlier(predictor):
    jobs = dataclasses.replace(JOBS, predictors=(predictor,))
    with pytest.raises(SchemaError, match=f"column 'jobs': predictor '{predictor}' is not an earlier column"):
        make(columns=(REGION, jobs, PAY))


def test_predictors_default_to_all_earlier_columns_but_groups():
    assert make().predictors_of("pay") == ("region", "jobs")
    assert make(by=["region"]).predictors_of("pay") == ("jobs",)
    alone = make(columns=(REGION, JOBS, dataclasses.replace(PAY, predictors=())))
    assert alone.predictors_of("pay") == ()


def test_add_remove_may_be_spelled_with_a_slash():
    assert make(neighbours="add/remove") == make(neighbours="add-remove")
    assert make().neighbours == "replace-one"


def test_columns_without_a_source_are_listed():
    assert make().unsourced() == ("jobs", "pay")


def test_columns_are_found_by_name():
    assert make().column("jobs") is JOBS
    with pytest.raises(SchemaError, match="no column 'job'"):
        make().column("job")


@pytest.mark.parametrize(
    "changes",
    [
        {"unit": "person"},
        {"neighbours": "add-remove"},
        {"by": ("region",)},
        {"name": "payroll"},
        {"columns": (REGION, PAY, JOBS)},
        {"columns": (REGION, JOBS, dataclasses.replace(PAY, upper=1e6 + 1))},
        {"columns": (REGION, JOBS, dataclasses.replace(PAY, predictors=()))},
        {"columns": (REGION, JOBS, dataclasses.replace(PAY, source="law"))},
    ],
)
def test_the_fingerprint_changes_with_every_public_fact(changes):
    assert len(make().fingerprint()) == 64
    assert make().fingerprint() == make().fingerprint()
    assert make(**changes).fingerprint() != make().fingerprint()


def test_save_and_load(tmp_path):
    path = tmp_path / "schema.toml"
    make().save(path)
    assert Schema.load(path) == make()
    assert Schema.load(str(path)) == make()


def test_files_that_cannot_be_read_or_written_are_schema_errors(tmp_path):
    with pytest.raises(SchemaError, match=r"nowhere.toml: cannot read the schema"):
        Schema.load(tmp_path / "nowhere.toml")
    with pytest.raises(SchemaError, match="cannot read the schema"):
        Schema.load(tmp_path)
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'[table]\nunit = "f\xfcrm"\n')
    with pytest.raises(SchemaError, match="not UTF-8"):
        Schema.load(latin)
    with pytest.raises(SchemaError, match="cannot write the schema"):
        make().save(tmp_path / "no" / "schema.toml")


def test_an_error_in_a_file_names_the_file(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("[table]\nunit = \n")
    with pytest.raises(SchemaError, match=r"bad\.toml: .*line 2"):
        Schema.load(path)


@pytest.mark.parametrize(("by", "kept"), [((), "public"), (("region",), "public or in by")])
def test_a_table_without_a_column_to_synthesise_is_refused(by, kept):
    region = Column("region", "category", categories=("a", "b"), public=not by)
    year = Column("year", "integer", 2000, 2005, public=True)
    with pytest.raises(SchemaError, match=f"every column is {kept}, so nothing is left"):
        Schema((region, year), unit="firm", by=by)
