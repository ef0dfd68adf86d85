# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test slow audit mutants bench evidence studies figures paper docs dist minimum lint types imports tests clean

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1" # the first that knows groups
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[evaluate,files,databases,scale,studio]" --group dev
	touch $@

demo: $(VENV)/.installed
	$(BIN)/quantail demo --out demo

test: lint types imports tests

# The long form of the audit, some ten minutes; its result is kept in docs/audit.
audit: $(VENV)/.installed
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/quantail audit --all --runs 5000 --replays 3 --out docs/audit

# Small changes to what privacy rests on, each in a copy of the tree: the tests must notice all of them; some 20 minutes.
mutants: $(VENV)/.installed
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tools.mutants

# Peers side by side (their environments go to .venv-bench), quantile mechanisms, kernels: some hours; see benchmarks/README.md.
bench: export OMP_NUM_THREADS = 1
bench: export OPENBLAS_NUM_THREADS = 1
bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks.peers_bench --seeds 3
	$(BIN)/python -m benchmarks.whole_tables_bench
	$(BIN)/python -m benchmarks.quantiles_bench --page docs/bench-quantiles.md
	$(BIN)/python -m benchmarks.kernels_bench

# What independent tools say about releases, in environments of their own: docs/evidence.md; some twenty minutes.
# NIST=folder names the national excerpt of NIST's Diverse Communities Data Excerpts, without which its report is left out.
evidence: $(VENV)/.installed
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.evidence $(if $(NIST),--nist $(NIST))

# Every stored study that is not as today's code has it, then the peers: hours, and goes on where it was stopped.
# PLANTS=file names the public file of plants that one study reads.
studies: export OMP_NUM_THREADS = 1
studies: export OPENBLAS_NUM_THREADS = 1
studies: $(VENV)/.installed
	$(BIN)/python -m studies all $(if $(PLANTS),--plants $(PLANTS))
	$(BIN)/python -m benchmarks.peers_bench --seeds 3 --installed
	$(BIN)/python -m benchmarks.whole_tables_bench --installed

# All tables and figures of README and docs anew from stored results: minutes, and nothing is computed again.
figures: $(VENV)/.installed
	$(BIN)/python -m studies figures
	$(BIN)/python -m studies stand-in docs/images/lbd-stand-in.png
	$(BIN)/python -m benchmarks.peers_bench --report-only
	$(BIN)/python -m benchmarks.whole_tables_bench --report-only
	$(BIN)/python -m benchmarks.shapes_bench --summary docs/bench-shapes.md --summary-only
	$(BIN)/python -m benchmarks.quantiles_bench --page docs/bench-quantiles.md --page-only

# Our paper as PDF, build/quantail.pdf, from docs/paper/quantail.md.
paper: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check --group paper
	$(BIN)/python -m tools.paper build/quantail.pdf

# The documentation site, built without network; open build/site/index.html.
docs: $(VENV)/.installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --site-dir build/site

# sdist and wheel in dist/, the same bytes from the same commit.
dist:
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check build
	rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m build

# The core's tests with the oldest versions that pyproject.toml promises, in an environment of their own; some minutes.
MINIMUM := .venv-minimum
CORE := tests/schema tests/examples tests/frames tests/curves tests/privacy tests/orders tests/table tests/panel tests/answers tests/studio tests/test_minimal_install.py

minimum:
	test -x $(MINIMUM)/bin/python || $(PYTHON) -m venv $(MINIMUM)
	$(MINIMUM)/bin/pip install --quiet --disable-pip-version-check uv
	$(MINIMUM)/bin/uv pip install --quiet --python $(MINIMUM)/bin/python --resolution lowest-direct \
		--editable ".[evaluate,files,databases,scale,studio]" --group test --group studies
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(MINIMUM)/bin/python -m pytest -n 2 --dist worksteal -m "not slow" -W default $(CORE)

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed
	$(BIN)/mypy

imports: $(VENV)/.installed
	$(BIN)/lint-imports

# Bytecode is kept, whatever the environment says: tests start many processes, which would each compile the package anew.
PYTEST := env -u PYTHONDONTWRITEBYTECODE OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
	$(BIN)/python -m pytest -n 2 --dist worksteal

tests: $(VENV)/.installed
	$(PYTEST) -m "not slow"

# The longer statistical and privacy checks, each of which has a smaller one in `make test`; some minutes.
slow: $(VENV)/.installed
	$(PYTEST) -m slow

clean:
	rm -rf $(VENV) $(MINIMUM) .venv-bench demo build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
