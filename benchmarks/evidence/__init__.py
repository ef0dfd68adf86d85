"""What independent tools say about releases: anonymeter, SynthEval, SDMetrics, NIST's SDNist, each in its environment.

    python -m benchmarks.evidence --nist FOLDER    # builds environments on first use, stores results, writes the page

Each tool judges two releases, another sample of the population (as safe as a table can be) and a copy of the
confidential table (as unsafe as one can be), so that a figure can be read. The page is docs/evidence.md.
"""
