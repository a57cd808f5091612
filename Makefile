# What people type. Every target is one line of help; the work is in scripts/.
.DEFAULT_GOAL := help
TESTS := $(basename $(notdir $(wildcard scenarios/*.js))) $(patsubst scenarios/%/test.js,%,$(wildcard scenarios/*/test.js))

# bash would run it first.
unexport BASH_ENV

# The variables given to make. A name that no target knows is a mistake, and would change nothing.
GIVEN := $(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(name)))
UNKNOWN := $(if $(GIVEN),$(filter-out $(shell cat scripts/make-words.txt),$(GIVEN)))
$(foreach name,$(firstword $(UNKNOWN)),$(error $(name) is not a variable of any target; did you mean $(shell awk -v word='$(name)' -f scripts/nearest.awk scripts/make-words.txt)? (make help-all lists them)))

# Variables given to make, as in `make spike PROFILE=smoke`, reach the scripts through the environment, each as it is: make expands none.
# (It hands on its own environment as it is by itself.)
$(foreach name,$(GIVEN),$(eval override $(name) := $$(value $(name)))$(eval export $(name)))

.PHONY: help help-all list $(TESTS) gateway-up plan workload-init up down status logs clean check test test-all fuzz lint setup release audit conformance ci signals docs signals-record dashboards live dashboards-build bench-client bench-accuracy bench-memory bench-exporter bench-attribution bench-leaks bench-recovery bench-regression bench-trust report compare compare-ab baseline-save

help: ## one screen of what there is
	@cat scripts/help.txt

help-all: ## this list: every target, every variable with its default
	@cat scripts/help-all.txt

list: ## every test with what it measures and how long it takes; with TARGET_URL=..., which of them can load that server, and why the others can't
	@if [ -z "$$TARGET_URL$$TARGET_COMMAND" ]; then exec cat scripts/list.txt; fi; by_make=1 exec scripts/list

# make turns every failure into its own exit code 2; by_make has the test's shown. One simple command: the shell becomes it,
# so that a signal to make reaches it.
$(TESTS): ## run the test
	@by_make=1 exec scripts/run $@

plan: ## print what a test would do (TEST=spike, TARGET_URL=...) and send nothing but discovery
	@DRY_RUN=1 exec scripts/run "$${TEST:-spike}"

workload-init: ## ask the server at TARGET_URL what it offers and write a workload file to edit (WORKLOAD=file.json)
	@scripts/workload-init

report: ## write a run's reports again from what it left, without Prometheus (RUN=testid, latest or a folder)
	@scripts/report

compare: ## is HEAD better or worse than BASE? each one or more runs, with commas between, or a baseline's name (BASE=... HEAD=...)
	@scripts/compare

compare-ab: ## run a test with A's variables and with B's, in turn, and compare (RUNS=5 A="WORKERS=2" B="WORKERS=1" TEST=baseline)
	@scripts/compare-ab

baseline-save: ## keep the figures of runs as a plain file in baselines/ (NAME=main BASE=testid,testid)
	@scripts/baseline-save

ci: ## a test for a pipeline: no questions, bounded in time, compared with a baseline (TEST=spike RUNS=5 BASE=main LIMIT_MINUTES=60; docs/ci.md)
	@by_make=1 exec scripts/ci

gateway-up: ## start ContextForge, a gateway, in front of the target until Ctrl-C (GATEWAY_STORE=stack: on PostgreSQL and Redis)
	@scripts/gateway

up: ## start the stack (SERVICES=observe: Prometheus and node_exporter only) and wait until all of it is healthy
	@scripts/up $${SERVICES:+"$$SERVICES"}

down: ## stop what `make up` started; the data stays
	@scripts/down

status: ## what runs where
	@scripts/status

logs: ## logs of the stack (COMPONENT=target for one, FOLLOW=1 to follow)
	@scripts/logs $${COMPONENT:+"$$COMPONENT"} $${FOLLOW:+-f}

clean: ## down, and remove the stack's data
	@scripts/clean

setup: ## install and build everything that the stack and the tests need, ahead of time
	@scripts/setup stack k6 node

lint: ## format, lint and type checks
	@scripts/setup node node-servers && npx --no-install biome check . && npx --no-install tsc --noEmit && npx --no-install tsc --noEmit -p page/browser

check: lint ## format, lint, types and unit tests: everything that needs no load
	@scripts/node tests/main.js tests/unit

test: lint ## the project's own tests: what each change has to pass
	@scripts/node tests/main.js

test-all: lint ## every test of the project, also the long and the rare (one file: scripts/node --test FILE)
	@scripts/node tests/main.js tests

release: ## build k6 into dist/ from a clean clone, with its checksums in tools/release.json (PLATFORMS=linux-x64,linux-arm64)
	@scripts/node cli/setup/make-release.ts

audit: ## what is known of weaknesses in npm packages and Go tools (asks the npm registry and Go's vulnerability database)
	@scripts/audit

fuzz: ## generated input against everything that reads some; seed and counts are printed (MINUTES=10 AREA=configuration,documents SEED=1)
	@scripts/setup k6 && scripts/node tests/fuzz/main.js

conformance: ## run the official client conformance suite against the client, one line a scenario
	@scripts/setup k6 conformance && scripts/node tests/conformance/run.js

dashboards: ## open Grafana on the newest run, or where there is none the live page
	@scripts/dashboards

live: ## a page of the newest run, while it goes on and afterwards, until Ctrl-C (RUN=testid PORT=3001)
	@scripts/live

dashboards-build: ## write the dashboards' JSON from their code
	@scripts/node dashboards/build.ts

signals: ## which signals have data, from which metric, and what would give the others (TARGET_METRICS=host:port/path, FORMAT=json)
	@scripts/signals

docs: ## write what is made from the code: tables of docs/, and what make list and make help-all print
	@scripts/node scripts/reference.ts

signals-record: ## record what HikariCP and cAdvisor export, for the tests (needs a JDK, Maven, Go, root)
	@scripts/node tests/signals/recorded/record.js

bench-client: ## what a call with k6/x/mcp costs the load generator, against bare k6 (ROUNDS=8 REQUESTS=40000 GOGC=100,400)
	@scripts/setup k6 bench-server && scripts/node bench/client.ts

bench-accuracy: ## are reported latencies those that there were? Against the log of a server with known ones (ROUNDS=3)
	@export TOOLS_FROM_SOURCE=1 && scripts/setup k6 prometheus bench-server && scripts/node bench/accuracy.ts

bench-memory: ## how much memory each request leaves behind in the load generator (REQUESTS=400000)
	@scripts/setup k6 prometheus bench-server && scripts/node bench/memory.ts

bench-exporter: ## what watching a server's processes costs (CONNECTIONS=2000 SCRAPES=15)
	@scripts/setup exporter && scripts/node bench/exporter.ts

bench-attribution: ## is the right bottleneck named? Faults injected, the confusion matrix (RUNS=3 FAULTS=... TABLE=reference, outside or servers)
	@scripts/setup stack k6 toxiproxy haproxy exporter servers public-servers && scripts/node bench/attribution.js

bench-leaks: ## is a leak's rate found, and none where there is none? Leaks injected at several rates (RUNS=1 MINUTES=6 RATE_SCALE=0.25 ONLY=healthy,memory,connections)
	@scripts/setup stack k6 && scripts/node bench/leaks.js

bench-recovery: ## are recovery time and the onset of degradation found? Faults lifted at known times
	@scripts/setup stack k6 && scripts/node bench/recovery.js

bench-regression: ## false alarms and power of `make compare`, from repeated runs (POOL=30)
	@scripts/setup stack k6 && scripts/node bench/regression.js

bench-trust: ## is a run invalid where it has to be, and valid where not? (RUNS=3)
	@scripts/setup stack k6 bench-server && scripts/node bench/trust.js

