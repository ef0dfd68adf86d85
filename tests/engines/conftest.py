"""What happens in a run, in order: questions and files."""

import pytest

from quantail.engines import store
from quantail.privacy import Gate


@pytest.fixture
def events(monkeypatch):
    """Record what happens; questions to any gate, and files that are decided, are recorded here."""
    happened, use, link = [], Gate._use, store.os.link

    def asked(self, *parts):
        happened.append("question")
        return use(self, *parts)

    def linked(draft, path):
        if path.name != "dry-run":
            happened.append("file")
        return link(draft, path)

    monkeypatch.setattr(Gate, "_use", asked)
    monkeypatch.setattr(store.os, "link", linked)
    return happened
