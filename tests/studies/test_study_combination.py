"""Studies put together: all methods in one table, only where they saw the same simulated tables."""

import json

import pytest

from quantail.errors import DataError, OptionError
from studies.simulation.combination import combine_studies
from studies.simulation.study import run_simulation

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("studies")
    run_simulation(["quantreg"], "1", 1, 1, root / "quantreg", secure=0, workers=1)
    run_simulation(["fresh"], "1", 2, 1, root / "fresh", secure=0, workers=1)
    run_simulation(["fresh"], "1", 1, 2, root / "other-seed", secure=0, workers=1)
    return root


def test_all_methods_stand_in_one_table_with_their_own_replications(folders, tmp_path):
    results = combine_studies([folders / "fresh", folders / "quantreg"], tmp_path / "all")
    assert results == {
        name: json.loads((folders / name / "results.json").read_text())[name]
        for name in ("quantreg", "fresh")
    }
    text = (tmp_path / "all" / "table.md").read_text()
    assert "Replications: 1 of quantreg; 2 of fresh." in text
    assert "**quantreg**" in text and "**fresh**" in text


def test_studies_of_other_tables_are_refused(folders, tmp_path):
    with pytest.raises(OptionError, match="seed"):
        combine_studies([folders / "quantreg", folders / "other-seed"], tmp_path / "out")
    with pytest.raises(OptionError, match="fresh is in another folder"):
        combine_studies([folders / "fresh", folders / "fresh"], tmp_path / "out")
    with pytest.raises(DataError, match="holds no study"):
        combine_studies([tmp_path], tmp_path / "out")
    assert not (tmp_path / "out").exists()
