"""Commands take tables of every kind and write them: labels are kept, outputs are whole or absent, secrets unseen."""

import json
import os

import pyarrow as pa
import pyreadstat
import pytest

from quantail.io import read_table, write_table
from quantail.io.codebook import Codebook

SECRET = "geheim-7"  # the password in the server's URL


def synth(shop, source, output, *more):
    return shop.run(
        "synth",
        source,
        "-s",
        shop.schema,
        "-e",
        1,
        "--simulate-noise",
        "--seed",
        3,
        "-o",
        output,
        "-q",
        *more,
    )


def statistical(shop):
    """A copy of the table as a Stata file with labels."""
    path = shop.folder / "payroll.dta"
    frame = read_table(shop.table).to_pandas().astype({"jobs": "int32"})
    pyreadstat.write_dta(
        frame, path, column_labels={"pay": "Yearly pay"}, variable_value_labels={"jobs": {1: "one"}}
    )
    return path


def test_a_stata_file_has_the_labels_of_the_schema_and_not_those_of_the_original(shop):
    table = statistical(shop)
    text = shop.schema.read_text()
    shop.schema.write_text(text.replace('name = "pay"', 'name = "pay"\nlabel = "Pay in a year"'))
    done = synth(shop, table, "out.dta", "--model", "model.json")
    assert done.exit_code == 0, done.output
    book = Codebook.of(read_table("out.dta"))
    assert book.entry("pay").label == "Pay in a year" and book.entry("jobs").values == ()
    # They are part of the schema in the model, so tables drawn from it later have them, too.
    again = shop.run("sample", "model.json", "-o", "again.dta", "--seed", 1)
    assert again.exit_code == 0, again.output
    assert Codebook.of(read_table("again.dta")) == book


@pytest.mark.parametrize("output", ["out.feather", "out.sav", "out.xpt", "out.xlsx"])
def test_a_table_may_be_written_as_another_kind(shop, output):
    done = synth(shop, shop.table, output)
    assert done.exit_code == 0, done.output
    assert read_table(output).num_rows == 200
    assert shop.run("check", output, "-s", shop.schema).exit_code == 0
    assert {"out.card.json", "out.card.md", output} <= shop.files()


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb", "postgresql"])
def test_tables_in_databases_through_every_command(shop, scheme, request):
    base = request.getfixturevalue("postgres") if scheme == "postgresql" else f"{scheme}:///data.db"
    real, out = f"{base}#payroll_{os.getpid()}", f"{base.replace('data.db', 'made.db')}#made_{os.getpid()}"
    write_table(read_table(shop.table), real)
    for command in (
        ("init", real, "-o", "draft.toml"),
        ("check", real, "-s", shop.schema),
        ("fit", real, "-s", shop.schema, "-e", 1, "--simulate-noise", "-o", "model.json", "-q"),
    ):
        done = shop.run(*command)
        assert done.exit_code == 0 and SECRET not in done.output, done.output
    done = synth(shop, real, out, "--replicates", 2)
    assert done.exit_code == 0 and SECRET not in done.output, done.output
    assert read_table(f"{out}_1").column_names == ["jobs", "pay"]
    done = shop.run("evaluate", real, f"{out}_2", "-s", shop.schema, "--json", "-")
    assert done.exit_code == 0 and SECRET not in done.output, done.output
    for name in shop.files() - {"data.db", "made.db"}:
        assert SECRET.encode() not in (shop.folder / name).read_bytes(), name
    cards = [name for name in shop.files() if name.endswith(f"made_{os.getpid()}.card.json")]
    assert len(cards) == 1 and json.loads((shop.folder / cards[0]).read_text())["release"]["replicates"] == 2


def test_an_output_table_that_exists_is_kept_unless_forced(shop):
    write_table(read_table(shop.table), "sqlite:///data.db#payroll")
    write_table(pa.table({"precious": [1]}), "sqlite:///made.db#out")
    refused = synth(shop, "sqlite:///data.db#payroll", "sqlite:///made.db#out")
    assert refused.exit_code == 4 and "exists already" in refused.output
    # What is released does not go into the file that holds the confidential table.
    for table in ("payroll", "out"):
        refused = synth(shop, "sqlite:///data.db#payroll", f"sqlite:///data.db#{table}", "--force")
        assert refused.exit_code == 4 and "is also an input" in refused.output
    assert read_table("sqlite:///made.db#out").column_names == ["precious"]
    assert not any(name.endswith(".card.json") for name in shop.files())
    done = synth(shop, "sqlite:///data.db#payroll", "sqlite:///made.db#out", "--force")
    assert done.exit_code == 0, done.output
    assert read_table("sqlite:///made.db#out").column_names == ["jobs", "pay"]


def test_a_folder_of_parquet_files_is_a_table(shop):
    (shop.folder / "parts").mkdir()
    table = read_table(shop.table)
    write_table(table.slice(0, 120), "parts/a.parquet")
    write_table(table.slice(120), "parts/b.parquet")
    done = synth(shop, "parts", "out.parquet")
    assert done.exit_code == 0, done.output
    assert read_table("out.parquet").num_rows == 200


def test_a_secret_in_a_url_is_never_shown_when_things_go_wrong(shop):
    url = f"postgresql://walburga:{SECRET}@127.0.0.1:1/db?password={SECRET}#pay"
    for command in (
        ("init", url, "-o", "draft.toml"),
        ("check", url, "-s", shop.schema),
        ("evaluate", url, shop.table),
        ("synth", shop.table, "-s", shop.schema, "-e", 1, "--simulate-noise", "-o", url),
        ("check", f"mysql://walburga:{SECRET}@host/db#pay", "-s", shop.schema),
    ):
        done = shop.run(*command)
        assert done.exit_code == 4, done.output
        assert SECRET not in done.output and "walburga" not in done.output
