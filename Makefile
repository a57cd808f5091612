# What people type. Every target is one line of help; the work is in scripts/.
SHELL := /bin/bash
.DEFAULT_GOAL := help
TESTS := $(basename $(notdir $(wildcard scenarios/*.js)))

# Variables given to make, as in `make spike PROFILE=smoke`, reach the scripts through the environment.
export

.PHONY: help list $(TESTS) gateway-up plan workload-init up down status logs clean test lint setup conformance signals signals-docs signals-record dashboards dashboards-build bench-client bench-accuracy bench-memory bench-viewer

help: ## this list: every target, every variable with its default
	@scripts/help

list: ## every test with what it measures and how long it takes in each profile
	@scripts/list

# make turns every failure into its own exit code 2; the line shows the test's.
$(TESTS): ## run the test
	@scripts/run $@ || { code=$$?; echo "exit code $$code (make itself ends with 2; ./scripts/run $@ ends with $$code)" >&2; exit $$code; }

plan: ## print what a test would do (TEST=spike, TARGET_URL=...) and send nothing but discovery
	@DRY_RUN=1 scripts/run $(or $(TEST),spike)

workload-init: ## ask the server at TARGET_URL what it offers and write a workload file to edit (WORKLOAD=file.json)
	@scripts/workload-init

gateway-up: ## start ContextForge, a gateway, in front of the target until Ctrl-C (GATEWAY_STORE=stack: on PostgreSQL and Redis)
	@scripts/gateway

up: ## start the stack (SERVICES=observe: Prometheus and node_exporter only) and wait until all of it is healthy
	@scripts/up $(SERVICES)

down: ## stop what `make up` started; the data stays
	@scripts/down

status: ## what runs where
	@scripts/status

logs: ## logs of the stack (COMPONENT=target for one, FOLLOW=1 to follow)
	@scripts/logs $(COMPONENT) $(if $(FOLLOW),-f)

clean: ## down, and remove the stack's data
	@scripts/clean

setup: ## install and build everything that the stack and the tests need, ahead of time
	@scripts/setup stack k6 node

lint: ## format, lint and type checks
	@scripts/setup node && npx --no-install biome check . && npx --no-install tsc --noEmit && npx --no-install tsc --noEmit -p viewer/page

test: ## all of the project's own tests
	@scripts/test

conformance: ## run the official client conformance suite against the client, one line a scenario
	@scripts/setup k6 conformance && node tests/conformance/run.js

dashboards: ## open the dashboards on the newest run: Grafana's, or the project's own viewer where there is none (PORT=3001)
	@scripts/dashboards

dashboards-build: ## write the dashboards' JSON from their code
	@scripts/setup node && node dashboards/build.js

signals: ## which signals have data, from which metric, and what would give the others (TARGET_METRICS=host:port/path, FORMAT=json)
	@scripts/signals

signals-docs: ## write the tables of docs/signals.md from the rule files
	@scripts/setup node && node scripts/signal-reference.js --write

signals-record: ## record anew what HikariCP and cAdvisor export, for the tests (needs a JDK, Maven, Go, root)
	@scripts/setup node && node tests/signals/recorded/record.js

bench-client: ## what a call costs the load generator, against a bare k6 script (ROUNDS=5 REQUESTS=60000 GOGC=100,400)
	@scripts/setup node k6 prometheus bench-tools && node bench/client.js

bench-accuracy: ## are reported latencies those that there were? Against the log of a server with known ones (ROUNDS=3)
	@scripts/setup node k6 prometheus bench-tools && node bench/accuracy.js

bench-memory: ## how much memory each request leaves behind in the load generator (REQUESTS=400000)
	@scripts/setup node k6 prometheus bench-tools && node bench/memory.js

bench-viewer: ## how fast the viewer draws an hour of a run, and what refreshing it costs (SECONDS_LIVE=60)
	@scripts/setup node k6 prometheus && node bench/viewer.js
