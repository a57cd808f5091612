# The user interface: each target has a one-line help text and calls a script in scripts/.
.DEFAULT_GOAL := help
TESTS := $(basename $(notdir $(wildcard scenarios/*.js))) $(patsubst scenarios/%/test.js,%,$(wildcard scenarios/*/test.js))

# bash would execute this file before each script.
unexport BASH_ENV

# The variables given on the command line. An unknown name is an error: it is a typo and would have no effect.
GIVEN := $(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(name)))
UNKNOWN := $(if $(GIVEN),$(filter-out $(shell cat scripts/make-words.txt),$(GIVEN)))
$(foreach name,$(firstword $(UNKNOWN)),$(error $(name) is not a variable of any target; did you mean $(shell awk -v word='$(name)' -f scripts/nearest.awk scripts/make-words.txt)? (make help-all lists them)))

# Variables given to make, as in `make spike PROFILE=smoke`, are exported to the scripts unexpanded. Variables of the
# environment reach the scripts unchanged anyway.
$(foreach name,$(GIVEN),$(eval override $(name) := $$(value $(name)))$(eval export $(name)))

.PHONY: help help-all list $(TESTS) gateway-up plan workload-init up down status logs clean check test test-all fuzz lint setup release audit conformance ci signals docs signals-record dashboards live dashboards-build bench-client bench-accuracy bench-memory bench-exporter bench-attribution bench-leaks bench-recovery bench-regression bench-trust report compare compare-ab baseline-save

help: ## Show an overview on one screen
	@cat scripts/help.txt

help-all: ## List every target, and every variable with its default
	@cat scripts/help-all.txt

list: ## List the tests with what they measure and how long they take; with TARGET_URL=..., which of them can load that server
	@if [ -z "$$TARGET_URL$$TARGET_COMMAND" ]; then exec cat scripts/list.txt; fi; by_make=1 exec scripts/list

# make exits with 2 on every failure; with by_make set, the script also prints the test's own exit code. The recipe is
# one simple command, so the shell execs it and signals to make reach it.
$(TESTS): ## run the test
	@by_make=1 exec scripts/run $@

plan: ## Show what a test would do, and send nothing but discovery (TEST=spike TARGET_URL=...)
	@DRY_RUN=1 exec scripts/run "$${TEST:-spike}"

workload-init: ## Ask the server at TARGET_URL what it offers, and write a workload file to edit (WORKLOAD=file.json)
	@scripts/workload-init

report: ## Write a run's reports again, without Prometheus (RUN=testid, latest, or a folder)
	@scripts/report

compare: ## Compare HEAD with BASE: runs, separated by commas, or the name of a baseline (BASE=... HEAD=...)
	@scripts/compare

compare-ab: ## Run a test with the variables of A and of B in turn, and compare (RUNS=5 A="WORKERS=2" B="WORKERS=1" TEST=baseline)
	@scripts/compare-ab

baseline-save: ## Save the figures of runs as a baseline in baselines/ (NAME=main BASE=testid,testid)
	@scripts/baseline-save

ci: ## Run a test in a pipeline, and compare it with a baseline (TEST=spike RUNS=5 BASE=main LIMIT_MINUTES=60; docs/ci.md)
	@by_make=1 exec scripts/ci

gateway-up: ## Start the gateway ContextForge in front of the target, until Ctrl-C (GATEWAY_STORE=stack: on PostgreSQL and Redis)
	@scripts/gateway

up: ## Start the stack and wait until it is healthy (SERVICES=observe: Prometheus and node_exporter only)
	@scripts/up $${SERVICES:+"$$SERVICES"}

down: ## Stop the stack and keep its data
	@scripts/down

status: ## Show what runs, and where
	@scripts/status

logs: ## Show logs of the stack (COMPONENT=target, FOLLOW=1)
	@scripts/logs $${COMPONENT:+"$$COMPONENT"} $${FOLLOW:+-f}

clean: ## Stop the stack and remove its data
	@scripts/clean

setup: ## Install and build everything that the stack and the tests need
	@scripts/setup stack k6 node && echo 'set-up complete; next: make spike'

lint: ## Check format, lint rules and types
	@scripts/setup node node-servers && npx --no-install biome check . && npx --no-install tsc --noEmit && npx --no-install tsc --noEmit -p page/browser

check: lint ## Check format, lint rules, types and unit tests: everything that needs no load
	@scripts/node tests/main.js tests/unit

test: lint ## Run the project's own tests: those that each change has to pass
	@scripts/node tests/main.js

test-all: lint ## Run every test of the project, including the long ones (one file: scripts/node --test FILE)
	@scripts/node tests/main.js tests

release: ## Build k6 into dist/ from a clean clone, and write its checksums to tools/release.json (PLATFORMS=linux-x64,linux-arm64)
	@scripts/node cli/setup/make-release.ts

audit: ## Look up known vulnerabilities of npm packages and Go tools (asks npm's registry and Go's database)
	@scripts/audit

fuzz: ## Run everything that reads input with generated input (MINUTES=10 AREA=configuration,documents SEED=1)
	@scripts/setup k6 && scripts/node tests/fuzz/main.js

conformance: ## Run the official client conformance suite against the client
	@scripts/setup k6 conformance && scripts/node tests/conformance/run.js

dashboards: ## Open the newest run in Grafana, or in the live page if there is no Grafana
	@scripts/dashboards

live: ## Open a page of the newest run, until Ctrl-C (RUN=testid PORT=3001)
	@scripts/live

dashboards-build: ## Build the JSON of the dashboards
	@scripts/node dashboards/build.ts

signals: ## List the signals that have data, and what would provide the others (TARGET_METRICS=host:port/path FORMAT=json)
	@scripts/signals

docs: ## Write what is generated from the code: tables in docs/, and what make list and make help-all print
	@scripts/node scripts/reference.ts

signals-record: ## Record what HikariCP and cAdvisor export, for the tests (needs a JDK, Maven, Go and root)
	@scripts/node tests/signals/recorded/record.js

bench-client: ## Measure what a call costs the load generator, compared with bare k6 (ROUNDS=8 REQUESTS=40000 GOGC=100,400)
	@scripts/setup k6 bench-server && scripts/node bench/client.ts

bench-accuracy: ## Compare reported latencies with the server's own log (ROUNDS=3)
	@export TOOLS_FROM_SOURCE=1 && scripts/setup k6 prometheus bench-server && scripts/node bench/accuracy.ts

bench-memory: ## Measure the memory that each request leaves behind in the load generator (REQUESTS=400000)
	@scripts/setup k6 prometheus bench-server && scripts/node bench/memory.ts

bench-exporter: ## Measure what watching a server's processes costs (CONNECTIONS=2000 SCRAPES=15)
	@scripts/setup exporter && scripts/node bench/exporter.ts

bench-attribution: ## Inject faults, and count how often the right bottleneck is named (RUNS=3 FAULTS=... TABLE=reference, outside or servers)
	@scripts/setup stack k6 toxiproxy haproxy exporter servers public-servers && scripts/node bench/attribution.js

bench-leaks: ## Inject leaks, and compare their rate with the one found (RUNS=1 MINUTES=6 RATE_SCALE=0.25 ONLY=healthy,memory,connections)
	@scripts/setup stack k6 && scripts/node bench/leaks.js

bench-recovery: ## Inject faults, and compare recovery and onset with the known ones
	@scripts/setup stack k6 && scripts/node bench/recovery.js

bench-regression: ## Measure false alarms and power of make compare (POOL=30)
	@scripts/setup stack k6 && scripts/node bench/regression.js

bench-trust: ## Make runs that have to be invalid, and runs that have to be valid (RUNS=3)
	@scripts/setup stack k6 bench-server && scripts/node bench/trust.js

