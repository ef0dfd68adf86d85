"""Released models: the same after a file, honest about their noise, and clear about files that are not models."""

import json
from copy import deepcopy

import numpy as np
import pyarrow as pa
import pytest

from payroll_case import payroll, payroll_schema, simulate
from quantail.errors import ModelError, OptionError
from quantail.schema import Column, Schema
from quantail.table import TableModel, TableSynthesizer

KINDS = {
    "plain": lambda: simulate(payroll_schema(), payroll(3000), 5),
    "groups": lambda: simulate(payroll_schema(by=("region",)), payroll(3000), 5),
    "add-remove": lambda: simulate(payroll_schema(neighbours="add-remove"), payroll(1500), 1),
    "zcdp": lambda: simulate(payroll_schema(), payroll(1500), 1, definition="zcdp", delta="1e-6"),
    "pandas": lambda: simulate(payroll_schema(), payroll(1500).to_pandas(), 1),
}


@pytest.fixture(scope="module", params=KINDS)
def released(request):
    return KINDS[request.param]()


@pytest.fixture(scope="module")
def form():
    return simulate(payroll_schema(), payroll(3000), 20).to_dict()


class TestFile:
    """Saved and loaded, bit for bit."""

    def test_round_trip(self, released, tmp_path):
        path = tmp_path / "model.json"
        released.save(path)
        again = TableModel.load(path)
        assert again == released
        again.save(tmp_path / "again.json")
        assert path.read_bytes() == (tmp_path / "again.json").read_bytes()
        one, two = (model.sample(500, seed=3) for model in (released, again))
        assert type(one) is type(two)
        assert one.equals(two)

    def test_the_file_is_plain_readable_json_without_nan(self, released, tmp_path):
        path = tmp_path / "model.json"
        released.save(path)
        text = path.read_text(encoding="utf-8")

        def refuse(word):
            raise AssertionError(f"{word} is not JSON")

        form = json.loads(text, parse_constant=refuse)
        assert form["format"] == 3
        assert text.count("\n") > 20

    def test_names_and_labels_beyond_ascii(self, tmp_path):
        schema = Schema(
            (Column("größe", "numeric", 0, 1), Column("Ω", "category", categories=("é", "日本"))), unit="行"
        )
        frame = pa.table({"größe": [0.5] * 40, "Ω": ["é", "日本"] * 20})
        model = simulate(schema, frame)
        model.save(tmp_path / "m.json")
        assert TableModel.load(tmp_path / "m.json") == model


class TestNotAModel:
    """Whatever is in the file, a ModelError that names the file, before anything is drawn."""

    def refused(self, tmp_path, text):
        path = tmp_path / "model.json"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ModelError) as caught:
            TableModel.load(path)
        assert caught.value.__cause__ is None
        return str(caught.value)

    @pytest.mark.parametrize(
        "text", ["", "{", "[]", "3", '"text"', "null", "{}", "[1, 2]", "not json", "[" * 10**5]
    )
    def test_other_files(self, tmp_path, text):
        assert "model" in self.refused(tmp_path, text)

    def test_missing_and_unreadable_files(self, tmp_path):
        with pytest.raises(ModelError, match="nowhere"):
            TableModel.load(tmp_path / "nowhere.json")
        with pytest.raises(ModelError):
            TableModel.load(tmp_path)
        (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00\x01")
        with pytest.raises(ModelError):
            TableModel.load(tmp_path / "binary.json")

    @pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
    def test_a_truncated_file(self, tmp_path, form, share):
        text = json.dumps(form)
        self.refused(tmp_path, text[: int(share * len(text))])

    @pytest.mark.parametrize("other", [0, 1, 2, 4, "3", None, [3]])
    def test_another_format(self, tmp_path, form, other):
        told = self.refused(tmp_path, json.dumps({**form, "format": other}))
        assert "not of format 3" in told and ("do not publish" in told) == (other == 2)

    def test_every_missing_key_is_noticed(self, tmp_path, form):
        for key in set(form) - {"notice", "definition", "neighbours", "unit", "rows"}:
            self.refused(tmp_path, json.dumps({k: v for k, v in form.items() if k != key}))

    @pytest.mark.parametrize("wrong", [None, 7, "text", [], {}, [None], [[]]])
    @pytest.mark.parametrize("key", ["schema", "plan", "library", "groups"])
    def test_wrong_types_at_the_top(self, tmp_path, form, key, wrong):
        self.refused(tmp_path, json.dumps({**form, key: wrong}))

    @pytest.mark.parametrize("wrong", [None, "text", float("nan"), float("inf"), [], {}])
    def test_any_number_that_is_not_one(self, tmp_path, form, wrong):
        """Put something else in the place of one number of each part of each column."""
        for path in number_paths(form["groups"], ["groups"]):
            broken = deepcopy(form)
            place = broken
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = wrong
            try:
                self.refused(tmp_path, json.dumps(broken))
            except BaseException as error:
                raise AssertionError(f"accepted or failed otherwise: {path} = {wrong!r}") from error

    def test_missing_parts_of_columns_are_noticed(self, tmp_path, form):
        for position, column in enumerate(form["groups"][0]["columns"]):
            for key in column.keys() - {"heaps", "figures", "cuts"}:  # which only some numbers have
                broken = deepcopy(form)
                del broken["groups"][0]["columns"][position][key]
                self.refused(tmp_path, json.dumps(broken))

    def test_columns_that_the_schema_does_not_hold(self, tmp_path, form):
        broken = deepcopy(form)
        broken["groups"][0]["columns"].pop()
        self.refused(tmp_path, json.dumps(broken))
        broken = deepcopy(form)
        broken["groups"][0]["columns"][0]["name"] = "other"
        self.refused(tmp_path, json.dumps(broken))


def number_paths(form, path, seen=None):
    """Yield the path of the first number below each distinct combination of keys (positions left out)."""
    seen = set() if seen is None else seen
    items = form.items() if isinstance(form, dict) else enumerate(form)
    for key, value in items:
        here = [*path, key]
        words = tuple(step for step in here if isinstance(step, str))
        if isinstance(value, dict | list):
            yield from number_paths(value, here, seen)
        elif isinstance(value, float) and words not in seen:
            seen.add(words)
            yield here


class TestHonesty:
    """Simulated noise is never passed off as private."""

    def test_simulated_noise_is_marked_everywhere(self, model, tmp_path):
        assert model.private is False
        assert model.facts().private is False
        model.save(tmp_path / "m.json")
        assert "NOT PRIVATE" in (tmp_path / "m.json").read_text()
        assert TableModel.load(tmp_path / "m.json").private is False

    def test_secure_noise_is_private_and_unmarked(self, tmp_path):
        model = TableSynthesizer(payroll_schema(), 1).fit(payroll(200))
        assert model.private is True
        model.save(tmp_path / "m.json")
        assert "NOT PRIVATE" not in (tmp_path / "m.json").read_text()

    @pytest.mark.parametrize("claim", ["false", "", 1, None, [False]])
    def test_the_mark_must_be_a_truth_value(self, model, tmp_path, claim):
        (tmp_path / "m.json").write_text(json.dumps({**model.to_dict(), "private": claim}))
        with pytest.raises(ModelError):
            TableModel.load(tmp_path / "m.json")

    def test_facts_are_public_and_complete(self, model):
        facts = model.facts().to_dict()
        needed = {"epsilon", "definition", "neighbours", "unit", "schema", "plan", "version", "private"}
        assert needed <= set(facts)
        assert json.loads(json.dumps(facts)) == facts
        assert facts["epsilon"] == "2"
        assert Schema.from_toml(facts["schema"]) == model.schema

    def test_a_model_holds_no_row_of_the_table(self):
        """Values that only one row has, with many digits, must not be found in the file."""
        rng = np.random.default_rng(0)
        x = rng.uniform(0, 1000, 300)
        schema = Schema((Column("x", "numeric", 0, 1000),), unit="row")
        text = json.dumps(simulate(schema, pa.table({"x": x}), 100).to_dict())
        assert not any(repr(float(value))[:10] in text for value in x)


class TestSample:
    """Any number of rows and tables, the same from the same seed."""

    def test_as_many_rows_as_the_original_by_default(self, model, table):
        assert model.sample().num_rows == table.num_rows

    @pytest.mark.parametrize("n", [1, 2, 17, 20_000])
    @pytest.mark.parametrize("draw", ["balanced", "independent"])
    def test_any_number_of_rows(self, model, n, draw):
        assert model.sample(n, draw=draw).num_rows == n

    def test_seeds(self, model):
        one, again, other = (model.sample(100, seed=seed) for seed in (1, 1, 2))
        assert one.equals(again)
        assert not one.equals(other)
        assert not model.sample(100).equals(model.sample(100))

    def test_replicates_are_a_list_of_different_tables(self, model):
        tables = model.sample(100, replicates=3, seed=1)
        assert isinstance(tables, list)
        assert [part.num_rows for part in tables] == [100] * 3
        assert not tables[0].equals(tables[1])
        assert not tables[1].equals(tables[2])
        again = model.sample(100, replicates=3, seed=1)
        assert all(one.equals(two) for one, two in zip(tables, again, strict=True))

    @pytest.mark.parametrize(
        "options", [{"rows": 0}, {"rows": -3}, {"rows": 2.5}, {"rows": True}, {"replicates": 0}]
    )
    def test_bad_numbers(self, model, options):
        with pytest.raises(OptionError, match=next(iter(options))):
            model.sample(**options)

    def test_sampling_does_not_change_the_model(self, model):
        before = json.dumps(model.to_dict())
        model.sample(10)
        assert json.dumps(model.to_dict()) == before

    def test_balanced_and_independent_rows_follow_one_law(self, model):
        levels = np.linspace(0.05, 0.95, 19)
        one, two = (
            np.quantile(np.log1p(model.sample(20_000, seed=1, draw=draw)["pay"]), levels)
            for draw in ("balanced", "independent")
        )
        np.testing.assert_allclose(one, two, atol=0.08)

    def test_balanced_rows_have_less_sampling_error(self, model):
        means = {
            draw: [np.log1p(model.sample(512, seed=seed, draw=draw)["jobs"]).mean() for seed in range(20)]
            for draw in ("balanced", "independent")
        }
        assert np.std(means["balanced"]) < 0.5 * np.std(means["independent"])

    def test_rows_are_not_in_any_order(self, model):
        jobs = model.sample(4000, seed=1)["jobs"].to_numpy().astype(float)
        assert abs(np.corrcoef(jobs[1:], jobs[:-1])[0, 1]) < 0.06
        assert abs(np.corrcoef(jobs, np.arange(jobs.size))[0, 1]) < 0.06
