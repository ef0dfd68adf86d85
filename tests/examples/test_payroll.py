import numpy as np
import pytest

from quantail.errors import OptionError
from quantail.examples import payroll_example, payroll_schema


def test_every_value_fits_the_schema() -> None:
    table, schema = payroll_example(), payroll_schema()
    assert table.num_rows == 20_000
    assert tuple(table.column_names) == schema.names
    assert set(table["sector"].to_pylist()) == set(schema.column("sector").categories)
    for name in ("employees", "payroll"):
        values, column = table[name].to_numpy(), schema.column(name)
        assert column.lower is not None and column.upper is not None
        assert values.min() >= column.lower
        assert values.max() <= column.upper / 2, "bounds should be generous, not read off the table"
    assert all(column.source for column in schema.columns)


def test_payroll_is_in_cents_and_employees_are_whole() -> None:
    table = payroll_example(500)
    cents = table["payroll"].to_numpy() * 100
    np.testing.assert_allclose(cents, np.rint(cents), atol=1e-3)
    assert str(table["employees"].type) == "int64"


def test_columns_hang_together_and_have_heavy_tails() -> None:
    table = payroll_example()
    employees, payroll = table["employees"].to_numpy(), table["payroll"].to_numpy()
    assert np.corrcoef(np.log(employees), np.log(payroll))[0, 1] > 0.85
    assert np.quantile(employees, 0.99) > 8 * np.median(employees)
    sector = np.array(table["sector"].to_pylist())
    wage = payroll / employees
    assert np.median(wage[sector == "manufacturing"]) > 1.4 * np.median(wage[sector == "retail"])


def test_same_seed_same_table() -> None:
    assert payroll_example(50, seed=3).equals(payroll_example(50, seed=3))
    assert not payroll_example(50, seed=3).equals(payroll_example(50, seed=4))


def test_empty_example_is_refused() -> None:
    with pytest.raises(OptionError, match="at least 1"):
        payroll_example(0)
