"""The documentation site builds without a warning and asks nothing of other hosts."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mkdocs", reason="the site needs the dependency group docs")

ROOT = Path(__file__).parents[2]
# Everything a browser fetches by itself; links that a reader may follow are no requests.
FETCHED = re.compile(
    r"<(?:link|script|img|iframe|source|video)\b[^>]*?\b(?:href|src)=[\"']?(?:https?:)?//[^>]*>"
)
STYLES = re.compile(r"url\([\"']?(?:https?:)?//|@import")


def test_the_site_builds_and_is_complete(
    tmp_path,
):  # one test: built once, however many processes share the tests
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(build, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    no_page_fetches_anything_from_elsewhere(tmp_path)
    proofs_figures_and_reference_are_on_the_site(tmp_path)
    links_to_code_are_shown_as_paths(tmp_path)


def no_page_fetches_anything_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        found = FETCHED.findall(page.read_text(encoding="utf-8"))
        assert not [tag for tag in found if 'rel="canonical"' not in tag], page
    for style in site.rglob("*.css"):
        assert not STYLES.search(style.read_text(encoding="utf-8")), style


def proofs_figures_and_reference_are_on_the_site(site):
    for proof in (ROOT / "src/quantail/privacy/proofs").glob("*.md"):
        assert (site / "proofs" / proof.stem / "index.html").exists(), proof.name
    gallery = (site / "gallery/index.html").read_text(encoding="utf-8")
    pictures = re.findall(r'<img[^>]*src="([^"]+)"', gallery)
    assert len(pictures) >= 8 and all((site / "gallery" / picture).resolve().exists() for picture in pictures)
    reference = (site / "api/index.html").read_text(encoding="utf-8")
    assert (
        'id="quantail.planning.expect"' in reference and 'id="quantail.table.TableSynthesizer"' in reference
    )


def links_to_code_are_shown_as_paths(site):
    page = (site / "checklist/index.html").read_text(encoding="utf-8")
    assert "tests/privacy/test_gate.py" in page and 'href="../tests' not in page
