"""Hooks of the documentation site (mkdocs.yml).

The same Markdown is read in the repository, where links lead to files, and on the site. Proofs and results of the
studies live outside of docs/: they join the site as pages and figures of their own. Links to files that are not on
the site, such as code and tests, become the path of the file.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]

# Where files from outside of docs/ stand on the site.
_GUESTS = {
    "src/quantail/privacy/proofs/*.md": "proofs/{name}",
    "studies/ladder.md": "proofs/{name}",
    "studies/README.md": "results/index.md",
    "studies/results/*/*.md": "results/{folder}/{name}",
    "studies/results/*/*.png": "results/{folder}/{name}",
    "benchmarks/results/*/*.md": "results/{folder}/{name}",
    "benchmarks/results/*/*.png": "results/{folder}/{name}",
    "SECURITY.md": "project/security.md",
    "VISION.md": "project/vision.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CODE_OF_CONDUCT.md": "project/code-of-conduct.md",
    "CHANGELOG.md": "project/changelog.md",
}
_FOLDERS = {
    "src/quantail/privacy/proofs": "proofs/table.md",
    "docs/decisions": "decisions/0001-rooms.md",
    "docs/how-to": "how-to/choose-bounds.md",
    "studies/results": "results/index.md",
    "README.md": "index.md",
}
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)")
_FENCE = re.compile(r"(^```.*?^```\s*?$)", flags=re.DOTALL | re.MULTILINE)


def guests() -> dict[str, str]:
    """Return the files from outside of docs/, and where each stands on the site."""
    found = {}
    for pattern, place in _GUESTS.items():
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            found[name] = place.format(name=path.name, folder=path.parent.name)
    return found


def on_config(config):
    """Fill in the pages that the navigation names by a pattern."""
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    pages |= {place for place in guests().values() if place.endswith(".md")}
    config.nav = list(_filled(config.nav, sorted(pages - set(_listed(config.nav)))))
    return config


def _filled(entries: list, pages: list[str]) -> Iterator:
    for entry in entries:
        if isinstance(entry, dict):
            yield {title: list(_filled(x, pages)) if isinstance(x, list) else x for title, x in entry.items()}
        elif entry.endswith("*"):
            yield from (page for page in pages if page.rpartition("/")[0] == entry.rstrip("*").rstrip("/"))
        else:
            yield entry


def _listed(entries: list) -> Iterator[str]:
    for entry in entries:
        for page in entry.values() if isinstance(entry, dict) else [entry]:
            yield from _listed(page) if isinstance(page, list) else [page]


def on_files(files: Files, config) -> Files:
    """Add the guests."""
    for source, place in guests().items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page, config, files: Files) -> str:
    """Point links to where their targets stand on the site; a paper's title and abstract are shown."""
    if "abstract" in page.meta:
        markdown = f"# {page.meta['title']}\n\n*{page.meta['abstract'].strip()}*\n\n{markdown}"
    own = {place: source for source, place in guests().items()}
    source = own.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    parts = _FENCE.split(markdown)
    return "".join(
        part if part.startswith("```") else _moved(part, source, page.file.src_uri) for part in parts
    )


def _moved(text: str, source: str, place: str) -> str:
    def move(link: re.Match[str]) -> str:
        if re.match(r"[a-z]+:", link["target"]):
            return link[0]
        target = os.path.normpath(PurePosixPath(source).parent / link["target"])
        there = _place(target)
        if there is None:
            return f"{link['text']} (`{target}`)" if link["text"].strip("`") != target else f"`{target}`"
        relative = os.path.relpath(there, PurePosixPath(place).parent)
        return f"{link['image']}[{link['text']}]({relative}{link['anchor'] or ''})"

    return _LINK.sub(move, text)


def _place(target: str) -> str | None:
    """Return where a file of the repository stands on the site, if it does."""
    known = guests() | _FOLDERS
    if target in known:
        return known[target]
    if target.startswith("docs/") and (ROOT / target).is_file():
        return target.removeprefix("docs/")
    return None
