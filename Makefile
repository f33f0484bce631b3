# Two commands first: `make demo`, `make test`. Everything else is below.
PYTHON := .venv/bin/python
PORT ?= 8000
ARGS ?=
# One more than the cores of CI: tests wait for browsers, servers and clocks.
# Of a cluster one: some tests kill its nodes, under whatever runs beside them.
WORKERS ?= $(if $(CITUS),1,3)
POSTGRESQL ?= 18

.PHONY: install demo servers test check format bench scale chaos contention restore soak webhooks audit clients

install: .venv/installed

# PYTHON3 names the Python to install with; without it `python3`, or a newer `python3.x` where that is too old.
.venv/installed: requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ python=$$(PYTHON3="$(PYTHON3)" sh requirements/find_python.sh) && "$$python" -m venv --clear .venv; }
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/dev.txt
	touch .venv/installed

servers: install ## PostgreSQL and Redis for development, under var/
	$(PYTHON) -m development.embedded start --folder var
	$(PYTHON) manage.py migrate --verbosity 0

demo: install ## The platform with its story, on http://127.0.0.1:$(PORT) (CITUS=FOLDER: on a cluster, docs/scale.md)
	@exec $(PYTHON) -m development.demo --port $(PORT)

test: install ## The whole suite, on servers of its own (POSTGRESQL=16 for the oldest, CITUS=FOLDER for a cluster)
	$(PYTHON) -m development.embedded --postgresql $(POSTGRESQL) run -- $(PYTHON) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

check: install ## Format, lint, types, import contracts, migrations
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	ENVIRONMENT=test DATABASE_URL=postgresql://app@127.0.0.1/types REDIS_URL=redis://127.0.0.1 .venv/bin/mypy clients compliance config development benchmarks tests
	.venv/bin/lint-imports
	$(PYTHON) -m development.embedded run -- $(PYTHON) manage.py makemigrations --check --dry-run

format: install
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

bench: install ## Speed against peers, as ratios (docs/benchmarks.md)
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/bench.txt
	$(PYTHON) -m development.embedded run -- $(PYTHON) -m benchmarks $(ARGS)

scale: install ## Servers that die, freeze and come back under load (docs/scale.md): SCALE_TIMES=10; takes half an hour on a cluster
	$(PYTHON) -m benchmarks.scale $(ARGS)

clients: install ## Linters, generated clients, dlt and schemathesis against a running demo (needs node and npm; docs/api.md)
	$(PYTHON) -m development.embedded run -- $(PYTHON) -m tests.clients $(ARGS)

# Real processes, killed and loaded (docs/operations.md): CHAOS_TIMES, CONTENTION_SECONDS, SOAK_SECONDS and WEBHOOKS_TIMES shorten them.
chaos contention restore soak webhooks: install
	$(PYTHON) -m tests.operations.$@

audit: install ## Known vulnerabilities of what is pinned, and a CycloneDX bill of materials in var/sbom.json
	mkdir -p var
	$(PYTHON) deploy/bill_of_materials.py requirements/base.txt var/sbom.json
	$(PYTHON) -m pip_audit --strict --require-hashes --disable-pip --requirement requirements/base.txt
