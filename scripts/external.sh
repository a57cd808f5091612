# shellcheck shell=bash
# A stack that someone else runs. k6 and Node.js run here, Prometheus is at PROMETHEUS_URL, and the reference target, if
# there is one, is at REFERENCE_URL (with the token REFERENCE_TOKEN). The tests of docker-compose.yml use it. Its
# components cannot be controlled from here. Sourced by common.sh.
#   PROMETHEUS_USERNAME, PROMETHEUS_PASSWORD  for basic authentication, if required; they are not written to files
#   PROMETHEUS_TARGETS_DIR             folder of JSON files for Prometheus' file_sd; unset: k6 and TARGET_METRICS are
#                                      not scraped
#   K6_LISTEN_HOST, K6_SCRAPE_HOST     for a Prometheus on another machine: the address k6 listens on, its host name

external_up() {
  [ -n "${PROMETHEUS_URL:-}" ] || DIE_CODE=2 die 'PROMETHEUS_URL is empty; valid: where the Prometheus of STACK=external answers, as http://127.0.0.1:9090'
  # The URL is written to a file and appears in messages.
  [[ $PROMETHEUS_URL != *@* ]] || DIE_CODE=2 die 'PROMETHEUS_URL has a user name or a password in it; valid: an address without them, as http://127.0.0.1:9090, and PROMETHEUS_USERNAME and PROMETHEUS_PASSWORD'
  if [ -z "${1:-}" ] && [ -z "${REFERENCE_URL:-}" ]; then
    DIE_CODE=2 die 'TARGET_URL is empty; valid: a server to load: with STACK=external there is a reference target only where REFERENCE_URL says it'
  fi
  if [ -n "${TARGET_METRICS:-}" ] && [ -z "${PROMETHEUS_TARGETS_DIR:-}" ]; then
    DIE_CODE=2 die 'PROMETHEUS_TARGETS_DIR is empty; valid: with TARGET_METRICS, a folder whose files that Prometheus scrapes'
  fi
  local name
  for name in $TARGET_SETTING_NAMES; do
    [ -z "${!name:-}" ] || DIE_CODE=2 die "$name is set; valid: unset, where the reference target is someone else's (STACK=external)"
  done
  external_answers || die "Prometheus at $PROMETHEUS_URL is not ready"
  if [ ! -f "$RUN_DIR/secrets.env" ]; then (umask 077 && printf 'TARGET_TOKEN=%s\n' "${REFERENCE_TOKEN:-}" >"$RUN_DIR/secrets.env"); fi
  {
    echo '# Written by scripts/up: a stack that someone else runs.'
    echo STACK=external
    echo "TARGET_URL=${REFERENCE_URL:-}"
    echo "TARGET_METRICS_URL=${REFERENCE_URL:+${REFERENCE_URL%/mcp}/metrics}"
    echo "PROMETHEUS_URL=$PROMETHEUS_URL"
    echo "PROMETHEUS_TARGETS_DIR='${PROMETHEUS_TARGETS_DIR:-}'"
    if [ -n "${K6_LISTEN_HOST:-}" ]; then printf '%s\n' "K6_LISTEN_HOST=$K6_LISTEN_HOST" "K6_SCRAPE_HOST=${K6_SCRAPE_HOST:-$HOSTNAME}"; fi
    echo "GRAFANA_URL=${GRAFANA_URL:-}"
    echo 'UPSTREAM_URL='
    echo "TARGET_SETTINGS='${REFERENCE_SETTINGS:-}'"
  } >"$RUN_DIR/stack.env.new"
  mv "$RUN_DIR/stack.env.new" "$RUN_DIR/stack.env"
  if [ -z "${TESTID:-}" ]; then external_status; fi
}

# external_answers: whether Prometheus is ready.
external_answers() {
  node --input-type=module -e 'const [, url, headers] = process.argv;
const { prometheusHeaders } = await import(headers);
const answer = await fetch(`${url}/-/ready`, { headers: prometheusHeaders(), signal: AbortSignal.timeout(5000) }).catch(() => null);
process.exitCode = answer?.ok ? 0 : 1;' "${PROMETHEUS_URL:-$(stack_value PROMETHEUS_URL)}" "$ROOT/analysis/collect/prometheus-headers.ts"
}

external_status() {
  local state=up
  external_answers || state=down
  status_head
  printf '%-18s %-5s %s\n' prometheus $state "$(stack_value PROMETHEUS_URL)  (of someone else)"
  [ $state = up ]
}

# external_down: only removes the stack's files; there is nothing to stop.
external_down() { rm -f "$RUN_DIR/stack.env" "$RUN_DIR/secrets.env"; }
external_clean() { external_down; }
external_logs() { DIE_CODE=2 die 'the logs of a stack that someone else runs are theirs'; }
external_ctl() { DIE_CODE=2 die "the stack is someone else's (STACK=external): its parts can not be steered from here"; }
