"""Formulas by hand: every term gives the columns it should, and text is never run."""

import numpy as np
import pandas as pd
import pytest
from patsy import dmatrices

from quantail.errors import DataError, OptionError
from quantail.evaluation.formula import Formula

TABLE = {
    "y": [1.0, 2.0, 4.0, 8.0],
    "x": [1.0, 3.0, 5.0, 2.0],
    "z": [2, 0, 1, 7],
    "g": ["b", "a", "c", "a"],
    "net pay": [1.0, 2.0, 3.0, 4.0],
}


def test_terms_become_the_columns_they_say():
    y, X, names = Formula.parse("log(y) ~ x + I(z^2) + x:z + `net pay`").design(TABLE)
    np.testing.assert_allclose(y, np.log(TABLE["y"]))
    assert names == ("Intercept", "x", "I(z^2)", "net pay", "x:z")  # products last, as in R
    np.testing.assert_allclose(
        X, np.column_stack([[1] * 4, [1, 3, 5, 2], [4, 0, 1, 49], [1, 2, 3, 4], [2, 0, 5, 14]])
    )


def test_labels_leave_out_their_first_level():
    _, X, names = Formula.parse("y ~ g + C(z)").design(TABLE)
    assert names == ("Intercept", "g[b]", "g[c]", "z[1]", "z[2]", "z[7]")
    np.testing.assert_array_equal(X[:, 1], [1, 0, 0, 0])
    np.testing.assert_array_equal(X[:, 4], [1, 0, 0, 0])


@pytest.mark.parametrize(
    "text",
    ["y ~ x*g", "y ~ g*x + z", "y ~ 0 + g + x", "y ~ g - 1", "np.log(y) ~ x:z + x", "y ~ 1", "y ~ x*z*g"],
)
def test_designs_agree_with_patsy(text):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({name: rng.random(30) for name in "xyz"})
    frame["g"] = rng.choice(list("abc"), 30)
    y, X = dmatrices(text, frame)
    ours = Formula.parse(text.replace("np.", "")).design(frame)
    np.testing.assert_allclose(ours.y, np.asarray(y)[:, 0])
    theirs = np.asarray(X)
    # The same columns, in whatever order.
    np.testing.assert_allclose(ours.X[:, np.lexsort(ours.X)], theirs[:, np.lexsort(theirs)])


def test_two_tables_share_their_levels():
    formula = Formula.parse("y ~ g")
    other = {"y": [1.0, 2.0], "g": ["d", "a"]}
    levels = formula.levels(TABLE, other)
    assert levels == {"g": ("a", "b", "c", "d")}
    assert formula.design(other, levels).names == formula.design(TABLE, levels).names
    with pytest.raises(DataError, match="not among its levels"):
        formula.design(other, formula.levels(TABLE))


def test_levels_of_numbers_are_the_same_for_whole_and_decimal_types():
    formula = Formula.parse("y ~ C(k)")
    assert formula.levels({"y": [1.0, 2.0], "k": [2, 10]}, {"y": [1.0, 2.0], "k": [2.0, 10.0]}) == {
        "k": ("2", "10")
    }


def test_a_response_of_two_labels_is_zero_and_one():
    y, _, _ = Formula.parse("g ~ x").design({"g": ["no", "yes", "no"], "x": [1.0, 2.0, 3.0]})
    np.testing.assert_array_equal(y, [0, 1, 0])
    with pytest.raises(DataError, match="exactly two levels"):
        Formula.parse("g ~ x").design(TABLE)


def test_rows_with_missing_values_are_left_out():
    table = {"y": [1.0, 2.0, np.nan, 4.0], "x": [1.0, np.nan, 3.0, 4.0], "g": ["a", "b", "b", None]}
    np.testing.assert_array_equal(Formula.parse("y ~ x").design(table).y, [1, 4])
    assert len(Formula.parse("y ~ x + g").design(table).y) == 1
    assert Formula.parse("y ~ g").levels(table) == {"g": ("a", "b")}


def test_a_logarithm_without_a_value_is_refused_not_dropped():
    with pytest.raises(DataError, match=r"log\(z\) has no value") as error:
        Formula.parse("y ~ log(z)").design(TABLE, role="synthetic")
    assert "synthetic" in str(error.value)
    assert np.isfinite(Formula.parse("y ~ log1p(z)").design(TABLE).X).all()


@pytest.mark.parametrize(
    "text",
    ["", "y", "y ~", "~ x", "y ~ x +", "y ~ x y", "y ~ x & z", "y ~ open(x)", "y ~ log(x", "y ~ I(x)", "y ~ I(x^99)",
     "y ~ 0", "y ~ __import__('os')", "y ~ 2 x", "y ~ log(log(x))", "y ~ {x + 1}", "y ~ x | z", "y + x ~ z", "y ~ .",
     "y ~ 2:x", "y:x ~ z", "y ~ np.log(x)", "y ~ C(x, contr.sum)", "y ~ lag(x)", "y ~ 'x'", "1 ~ x", "y ~ log(x^2)"],
)  # fmt: skip
def test_anything_else_is_refused_with_an_example(text):
    with pytest.raises(OptionError, match=r"formula"):
        Formula.parse(text)


def test_no_text_is_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for text in ("y ~ open('made','w')", "y ~ {open('made', 'w')}", "open('made','w') ~ x", "y ~ log(open('made','w'))",
                 "y ~ C(x.__class__)", "y ~ I([open('made','w') for k in (1,)])"):  # fmt: skip
        with pytest.raises((OptionError, DataError)):
            Formula.parse(text).design(TABLE)
    assert not list(tmp_path.iterdir())


def test_names_and_labels_may_hold_anything():
    table = {
        "y": [1.0, 2.0, 4.0, 3.0],
        "f1": [1.0, 5.0, 2.0, 0.0],
        "a:b [T.x]": ["u:v", "f0[1]", "u:v", "f0[1]"],
    }
    _, X, names = Formula.parse("y ~ f1 * `a:b [T.x]`").design(table)
    assert names == ("Intercept", "f1", "a:b [T.x][u:v]", "f1:a:b [T.x][u:v]")
    np.testing.assert_array_equal(X[:, 2], [1, 0, 1, 0])


def test_powers_of_sums_and_labels_without_an_intercept():
    assert Formula.parse("y ~ (x + z)^2").design(TABLE).names == ("Intercept", "x", "z", "x:z")
    # Nothing else spans the constant: all three levels are needed.
    assert Formula.parse("y ~ 0 + g").design(TABLE).names == ("g[a]", "g[b]", "g[c]")
    assert Formula.parse("y ~ x - 1").intercept is False


def test_columns_that_are_not_there_are_named():
    with pytest.raises(DataError, match="lacks the column"):
        Formula.parse("y ~ w").design(TABLE)
    with pytest.raises(DataError, match=r"write C\(g\)"):
        Formula.parse("y ~ log(g)").design(TABLE)
    many = {"y": [1.0] * 600, "g": [str(number) for number in range(600)]}
    with pytest.raises(DataError, match="too many for a regression"):
        Formula.parse("y ~ g").design(many)
