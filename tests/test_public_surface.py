"""The names a user may rely on: there, documented, and loaded only when used."""

import subprocess
import sys
import types

import pytest

import quantail

HEAVY = ("numpy", "scipy", "opendp", "pyarrow", "narwhals", "pandas", "polars", "typer")


def test_every_public_name_resolves_and_is_documented():
    assert len(set(quantail.__all__)) == len(quantail.__all__)
    for name in quantail.__all__:
        found = getattr(quantail, name)
        assert name == "__version__" or found.__doc__, name
        assert name in dir(quantail)


def test_the_surface_is_what_the_documents_promise():
    promised = {"Schema", "Column", "TableSynthesizer", "TableModel", "evaluate", "plan", "Ledger"}
    assert promised <= set(quantail.__all__)
    of_schemas = {"Key", "Identity", "Inequality", "Panel", "CsvFormat"}  # what a Schema is made of
    assert of_schemas <= set(quantail.__all__)


def test_every_error_is_exported_and_has_the_common_base():
    from quantail import errors

    defined = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert defined <= set(quantail.__all__)
    bases = {name: UserWarning if name.endswith("Warning") else quantail.QuantailError for name in defined}
    assert all(issubclass(getattr(quantail, name), base) for name, base in bases.items())


def test_names_are_the_same_objects_as_in_their_rooms():
    from quantail.privacy import Ledger
    from quantail.schema import Schema
    from quantail.table import TableSynthesizer, plan

    assert (quantail.Ledger, quantail.Schema) == (Ledger, Schema)
    assert (quantail.TableSynthesizer, quantail.plan) == (TableSynthesizer, plan)
    assert isinstance(quantail.plan, types.FunctionType)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Synthesiser"):
        quantail.Synthesiser  # noqa: B018
    with pytest.raises(ImportError):
        from quantail import nothing_of_this_name  # noqa: F401


def test_importing_the_package_loads_nothing_heavy():
    loaded = "import quantail, sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert "quantail" in run.stdout.split()
    assert not set(run.stdout.split()) & set(HEAVY)


def test_a_schema_can_be_used_without_noise_or_tables():
    program = (
        "import quantail, sys\n"
        "quantail.Schema((quantail.Column('pay', 'numeric', 0, 10),), unit='person')\n"
        "print('opendp' in sys.modules, 'pyarrow' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]
