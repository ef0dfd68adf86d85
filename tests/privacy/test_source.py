"""What a synthesizer draws from decides what its release may be called."""

import pyarrow as pa
import pytest

from quantail.auditing.replay import Replayed
from quantail.auditing.whole_panels import SCHEMA, panel_of
from quantail.auditing.whole_tables import frame_of, schema_of
from quantail.panel import PanelSynthesizer
from quantail.privacy import SecureNoise, SimulatedNoise, source_of
from quantail.table import TableSynthesizer


def test_only_secure_noise_is_private():
    secure, simulated = source_of("secure", None), source_of("simulated", 3)
    assert secure.private and isinstance(secure.noise(()), SecureNoise)
    assert not simulated.private and isinstance(simulated.noise(()), SimulatedNoise)
    assert (
        simulated.noise((1,)).below(2**60)
        == simulated.noise((1,)).below(2**60)
        != simulated.noise(()).below(2**60)
    )


@pytest.mark.parametrize("kind", ["secure", "simulated", "scripted"])
def test_models_say_what_their_noise_was(kind):
    options = {"noise": "simulated", "seed": 1} if kind == "simulated" else {}
    makers = (
        TableSynthesizer(schema_of("replace-one"), 1, **options),
        PanelSynthesizer(SCHEMA, 1, **options),
    )
    for maker, frame in zip(makers, (pa.table(frame_of(4)), panel_of(1)), strict=True):
        drawing = maker._drawing_from(Replayed(1).source()) if kind == "scripted" else maker
        assert drawing.fit(frame).private == (kind == "secure")
        assert maker._source.private == (kind != "simulated")  # the synthesizer itself is left as it was
