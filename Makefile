# What people type. Every target is one line of help; the work is in scripts/.
SHELL := /bin/bash
.DEFAULT_GOAL := help
TESTS := $(basename $(notdir $(wildcard scenarios/*.js)))

# Variables given to make, as in `make spike PROFILE=smoke`, reach the scripts through the environment.
export

.PHONY: help $(TESTS) up down status logs clean test lint setup dashboards-build

help: ## this list: every target, every variable with its default
	@scripts/help

# make turns every failure into its own exit code 2; the line shows the test's.
$(TESTS): ## run the test
	@scripts/run $@ || { code=$$?; echo "exit code $$code (make itself ends with 2; ./scripts/run $@ ends with $$code)" >&2; exit $$code; }

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
	@scripts/setup node && npx --no-install biome check . && npx --no-install tsc --noEmit

test: ## all of the project's own tests
	@scripts/test

dashboards-build: ## write the dashboards' JSON from their code
	@scripts/setup node && node dashboards/build.js
