"""The tables that documents show, and single figures of their texts, from stored results (`studies.documents`)."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from studies.ablation.study import STEPS, Step
from studies.catalogue import COMBINED, PARTS, RESULTS, ROOT, STUDIES
from studies.document_cells import HEADS, figure, markdown, means_of, number, only_means, read
from studies.journal import JOURNAL, read_journal
from studies.lbd.methods import published_base
from studies.lbd.standin import LBD_VARIANTS
from studies.lbd.summary import PAPER_LBD, cell
from studies.lbd.variants import LIMITS
from studies.paper_tables import PAPER_NAME, PAPER_TABLE
from studies.populations import POPULATIONS
from studies.replay import SAME, folders, known
from studies.simulation.methods import DEFAULT


def _simulation() -> str:
    small = {e: means_of(f"simulation-epsilon-{e}")[DEFAULT] for e in ("0.5", "0.25", "0.1")}
    one = means_of("simulation-epsilon-1")
    rows: dict[str, Mapping[str, float | None]] = {
        "an independent sample of the truth": one["fresh"],
        "**Quantail, epsilon 1**": one[DEFAULT],
        **{f"Quantail, epsilon {epsilon}": means for epsilon, means in small.items()},
        "the paper's sandwich made valid (`--method sandwich`), epsilon 1": one["sandwich-fixed"],
        "non-private quantile regression": one["quantreg"],
        "paper, best of its six DP methods in each column, epsilon 1": _best_of_paper(),
    }
    lines = [[label, *(number(m, means[m]) for m in HEADS)] for label, means in rows.items()]
    return markdown(["", *HEADS.values()], lines)


def _best_of_paper() -> dict[str, float | None]:
    private = [only_means(summary) for name, summary in PAPER_TABLE.items() if name != "non-private"]
    return {m: (max if m == "km" else min)(row[m] or 0.0 for row in private) for m in HEADS}


def _ablation() -> str:
    results = means_of("ablation-epsilon-1")
    measures = ("pmse_wi", "wrt", "km", "slope_diff")
    heads = ["step", "claimed", "true", *(HEADS[m] for m in measures)]
    lines = [
        [f"{place}. {step.title}", "1", _true(step), *(number(m, results[step.name][m]) for m in measures)]
        for place, step in enumerate(STEPS.values())
        if step.name in results
    ]
    return markdown(heads, lines)


def _true(step: Step) -> str:
    if not step.holds:
        return "none"
    return "1" if step.guarantee.endswith("exactly") else "1, for exact draws"


def _published() -> str:
    published = means_of("published-epsilon-1")
    converged = means_of("converged-epsilon-1") | means_of("kng-converged-epsilon-1")
    measures = ("pmse_woi", "wrt", "km", "slope_diff")
    lines = []
    for base in ("stepwise-fixed", "stepwise-varying", "sandwich-fixed", "sandwich-varying", "kng"):
        rows = {
            "paper": only_means(PAPER_TABLE[PAPER_NAME[base]]),
            "published chains": published[f"{base}-published"],
            "converged": converged[f"{base}-converged"],
        }
        lines += [
            [base if kind == "paper" else "", kind, *(number(m, means[m]) for m in measures)]
            for kind, means in rows.items()
        ]
    return markdown(["method", "", *(HEADS[m] for m in measures)], lines)


def _lbd() -> str:
    results, together = _both_settings()
    industries = list(results)
    heads = ["method"]
    for label in ("pMSE", "KM", "gross, % off"):
        heads += [f"{label} {industries[0]}", *industries[1:]]
    heads += ["job creation", "net creation"]
    by_base: dict[str, list[list[str]]] = {}
    for method in results[industries[0]]:
        cells = [
            number(name, results[industry][method][name]["mean"])
            for name in ("pmse", "km_inactive_bin", "gross_mape")
            for industry in industries
        ]
        flows = [number(name, together[method][name]["mean"]) for name in ("jc_mae", "net_mae")]
        by_base.setdefault(published_base(method)[0], []).append([_privacy(method), *cells, *flows])
    for base in by_base.keys() & PAPER_LBD.keys():
        by_base[base].append(_paper_line(base, industries))
    return markdown(heads, [line for group in by_base.values() for line in group])


def _lbd_km() -> str:
    """Return the k-marginal score both ways, beside that of the paper's Table 3."""
    results, _ = _both_settings()
    heads = ["method"]
    for label in ("inactive as a bin", "active units alone", "paper"):
        heads += [f"{label} {next(iter(results))}", *list(results)[1:]]
    lines = []
    for method in next(iter(results.values())):
        own = [
            number(name, methods[method][name]["mean"])
            for name in ("km_inactive_bin", "km")
            for methods in results.values()
        ]
        base, _ = published_base(method)
        theirs = (
            PAPER_LBD.get(base) if _privacy(method) != method else None
        )  # those made valid are other methods
        cells = [
            number("km", theirs[int(industry)]["km_inactive_bin"]) if theirs else "" for industry in results
        ]
        lines.append([_privacy(method), *own, *cells])
    return markdown(heads, lines)


def _both_settings() -> tuple[Any, Any]:
    """Return the panel study, and with it the published methods with their settings for SynLBD, if these were run."""
    results, together = read("lbd-epsilon-1", "results.json"), read("lbd-epsilon-1", "together.json")
    if (RESULTS / "lbd-synlbd-epsilon-1" / "results.json").exists():
        more = read("lbd-synlbd-epsilon-1", "results.json")
        results = {industry: methods | more[industry] for industry, methods in results.items()}
        together = together | read("lbd-synlbd-epsilon-1", "together.json")
    return results, together


def _paper_line(base: str, industries: Sequence[str]) -> list[str]:
    cells = [
        f"*{number(name, PAPER_LBD[base][int(industry)][name])}*"
        for name in ("pmse", "km_inactive_bin")
        for industry in industries
    ]
    return [f"*paper, real SynLBD: {base}*", *cells, *("" for _ in industries), "", ""]


def _privacy(method: str) -> str:
    if method.endswith(("-published", "-synlbd")):
        return f"{method} (NOT PRIVATE)"
    return f"{method} (no privacy)" if method in ("quantreg", "pistner") else method


def _plants() -> str:
    measures = {
        "gross_mape": "gross, % off",
        "unchanged": "unchanged, points off",
        "size_class_max": "size class, points off",
        "jc_mae": "job creation",
        "net_mae": "net creation",
        "pmse": "pMSE",
        "km": "KM, active only",
    }
    lines = [
        [epsilon, method, *(number(m, summary[m]["mean"]) for m in measures)]
        for epsilon, methods in read("lbd-plants", "results.json").items()
        for method, summary in methods.items()
    ]
    return markdown(["epsilon", "method", *measures.values()], lines)


def _variants() -> str:
    """Return the pooled method on every variant: the mean of the industries, and each of them."""
    measures = {
        "gross_mape": f"gross, % off (limit {LIMITS['gross_mape']:g})",
        "unchanged": f"unchanged, points off ({LIMITS['unchanged']:g})",
        "size_class_max": f"size class, points off ({LIMITS['size_class_max']:g})",
        "jc_mae": "job creation",
        "net_mae": "net creation",
        "km": "KM, active only",
    }
    lines = []
    for variant in LBD_VARIANTS:
        industries = read(f"lbd-variants/{variant}", "results.json").values()
        cells = [_by_industry(m, [methods["pooled"][m]["mean"] for methods in industries]) for m in measures]
        yearly = [
            min(methods[name]["gross_mape"]["mean"] for name in ("stepwise-varying", "sandwich-varying"))
            for methods in industries
        ]
        lines.append([variant, *cells, number("gross_mape", sum(yearly) / len(yearly))])
    return markdown(["variant", *measures.values(), "gross, % off: year by year"], lines)


def _pooled() -> str:
    """Return what the pooled method gives, by industry, with what was wanted."""
    results = read("lbd-epsilon-1", "results.json")
    rows = {
        "gross_mape": "gross employment, % off (goal 7 / 7 / 5 / 6)",
        "pmse": "pMSE with LASSO (goal .02)",
        "unchanged": "unchanged continuers, points off",
        "size_class_max": "worst size class, points off",
        "jc_mae": "job creation, points off",
        "net_mae": "net creation, points off",
    }
    shares = {
        "km": "k-marginal score (active units) over the non-private synthesis's (goal 105 / 110 / 105 / 110%)",
        "km_rounded": "the same after rounding the non-private one",
    }
    lines = [
        [label, *(_with_error(m, methods["pooled"][m]) for methods in results.values())]
        for m, label in rows.items()
    ]
    for m, label in shares.items():
        parts = [
            methods["pooled"][m]["mean"] / methods["quantreg"][m]["mean"] for methods in results.values()
        ]
        lines.append([label, *(f"{part:.0%}" for part in parts)])
    return markdown(["", *(f"SIC {industry}" for industry in results)], lines)


def _with_error(measure: str, value: Mapping[str, float]) -> str:
    return number(measure, value["mean"]) if measure == "pmse" else cell(measure, value)


def _by_industry(measure: str, values: Sequence[float]) -> str:
    each = " / ".join(number(measure, value) for value in values)
    return f"{number(measure, sum(values) / len(values))} ({each})"


def _coverage() -> str:
    """Return how often intervals cover, population by population, and how many tables of each that is from."""
    heads = [
        "coverage",
        "coverage doubted",
        "coverage naive",
        "coverage non-private",
        "bias",
        "bias error",
        "bias naive",
        "width",
        "width doubted",
    ]
    lines = []
    for table in POPULATIONS:
        folder = "coverage-epsilon-1" if table == "paper" else f"coverage-{table}-epsilon-1"
        _, rows = read_journal(RESULTS / folder / JOURNAL)
        for formula, terms in read(folder, "results.json").items():
            for term in terms:
                found = (figure(f"{folder}/{formula}/{term}/{head}") for head in heads)
                lines.append([f"{table}, {len(rows)} tables", formula, term, *found])
    return markdown(["population", "regression", "term", *heads], lines)


def _studies() -> str:
    lines = [[f"results/{study.folder}", study.about, f"`{study.command}`"] for study in STUDIES]
    combined = f"python -m studies combine {' '.join(PARTS)} --out {COMBINED}"
    lines.append([f"results/{COMBINED}", "the paper's Tables 1 and 2 with every method", f"`{combined}`"])
    return markdown(["folder", "what", "made by"], lines)


def _stale() -> str:
    lines = [
        [str(folder.relative_to(RESULTS)), method, found["verdict"]]
        for folder in folders()
        for method, found in known(folder)["methods"].items()
        if found["verdict"] != SAME
    ]
    return markdown(["folder", "method", "what today's code gives"], lines) if lines else "None."


def _peers() -> str:
    """Return private entries of the bench of peers on 5,000 rows, those with our promise first."""
    from benchmarks.peers.catalogue import ENTRIES

    content = json.loads(
        (ROOT / "benchmarks" / "results" / "peers" / "results.json").read_text(encoding="utf-8")
    )
    cells = [cell for cell in content["cells"] if cell["n"] == 5000 and "failed" not in cell]
    measures = ("pmse_wi", "wrt", "km", "slope_diff", "q99", "q99.9", "cpu_seconds")
    ours = {f"quantail {DEFAULT}": "**Quantail**", "quantail sandwich fixed": "Quantail, `--method sandwich`"}
    shown = [e for e in ENTRIES if e.private and (e.kind != "ours" or e.name in ours)]
    lines = []
    for entry in sorted(shown, key=lambda e: e.kind != "ours"):
        own = [cell for cell in cells if cell["entry"] == entry.name]
        means = {m: sum(cell[m] for cell in own) / len(own) for m in measures} if own else {}
        if own:
            name = ours.get(entry.name, entry.name)
            lines.append([name, entry.promise, *(number(m, means[m]) for m in measures)])
    heads = [HEADS.get(m, m.replace("cpu_seconds", "CPU s")) for m in measures]
    return markdown(["", "promise", *heads], lines)


def _peers_whole() -> str:
    """Return the bench of peers on whole tables: medians of what both sides of a promise give, table by table."""
    from benchmarks.peers.whole_catalogue import CATALOGUE, OUT
    from benchmarks.peers.whole_report import summary_lines

    heads, lines = summary_lines(json.loads(OUT.read_text(encoding="utf-8"))["cells"], CATALOGUE)
    return markdown(heads, lines)


def _evidence(tool: str) -> str:
    """Return what an independent tool says about releases."""
    from benchmarks.evidence.page import evidence_table

    return evidence_table(tool)


TABLES: dict[str, Callable[[], str]] = {
    "simulation": _simulation,
    "ablation": _ablation,
    "published": _published,
    "lbd": _lbd,
    "lbd-km": _lbd_km,
    "lbd-plants": _plants,
    "lbd-variants": _variants,
    "lbd-pooled": _pooled,
    "coverage": _coverage,
    "studies": _studies,
    "stale": _stale,
    "peers": _peers,
    "peers-whole": _peers_whole,
    "anonymeter": partial(_evidence, "anonymeter"),
    "syntheval": partial(_evidence, "syntheval"),
    "sdmetrics": partial(_evidence, "sdmetrics"),
    "sdnist": partial(_evidence, "sdnist"),
}
"""By the name that documents use."""
