# shellcheck shell=bash
# What every script of the stack stands on. Source it from a script in this folder:
#
#   . "$(dirname "${BASH_SOURCE[0]}")/common.sh"
#
# It sets and exports
#   ROOT      the project's folder
#   RUN_DIR   where the stack keeps its state (default: $ROOT/.run; set it to have a second stack)
# and offers
#   say TEXT...            one line of progress on stderr, and in RUN_LOG
#   die TEXT...            one line on stderr, then exit 1 (DIE_CODE=2 die ... for bad usage)
#   stack_kind             prints `native` or `external` (someone else's): what STACK says, else what is up, else native.
#                          (Docker is another matter: scripts/lab, scripts/docker.sh)
#   tool_path NAME         the path of a tool on this machine: k6, prometheus, promtool, node_exporter, exporter,
#                          toxiproxy, kustomize, kubernetes-schemas (a folder), gateway (its Python), haproxy, chromium, the
#                          tests' go-server, python-servers, and the benches' bench-server; act, docker-compose
#                          (`scripts/setup` gets what is missing)
#   stack_ctl ACTION NAME  start, stop, restart or kill (SIGKILL, and it stays down until `start`) one component

# Before bash 4.4 (macOS has 3.2) an empty array counts as unset.
if [ "${BASH_VERSINFO[0]}" -lt 5 ]; then set +u; fi

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
RUN_DIR=${RUN_DIR:-$ROOT/.run}
case $RUN_DIR in /*) ;; *) RUN_DIR=$PWD/$RUN_DIR ;; esac
CACHE_DIR=${MCP_LOAD_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/mcp-load-lab}
export ROOT RUN_DIR CACHE_DIR

# A go.work of a parent folder, and modules that the caller's environment names, would replace the code that is pinned here.
export GOWORK=off
unset NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONHOME

# Natively the Node.js that scripts/setup gets from npm, where this host's is older than 24, which runs TypeScript as it is. An image has its own.
NODE_DIR=$CACHE_DIR/node-24.21.0
case :$PATH: in *:"$NODE_DIR":*) ;; *) PATH=$NODE_DIR:$PATH ;; esac

# k6 asks neither for extensions nor for a place to report its use: a load test talks to its target alone.
export K6_AUTO_EXTENSION_RESOLUTION=false K6_NO_USAGE_REPORT=true

# note TEXT...: a line of the run's log, with its time, where there is a run.
# (A full disk ends no run.)
note() { if [ -n "${RUN_LOG:-}" ]; then { printf '%s %s\n' "$(date -u +%FT%TZ)" "$*" >>"$RUN_LOG"; } 2>/dev/null || true; fi; }
say() {
  printf '%s\n' "$*" >&2
  note "$*"
}
die() {
  say "error: $*"
  exit "${DIE_CODE:-1}"
}

case $RUN_DIR in *[\'\"\\]* | *$'\n'*) DIE_CODE=2 die "RUN_DIR is \"$RUN_DIR\"; valid: a path without quotes, backslashes and line breaks" ;; esac

# --- which stack ---------------------------------------------------------------------------------------------------

stack_kind() {
  case ${STACK:-} in
  native | external) echo "$STACK" ;;
  '') stack_value STACK | grep . || echo native ;;
  *) DIE_CODE=2 die "STACK is \"$STACK\"; valid: native, docker, external" ;;
  esac
}

# lock: one `up` or `down` of a stack at a time. Held on the descriptor 8 until the script ends.
lock() {
  own_run_dir
  command -v flock >/dev/null || return 0
  exec 8<"$RUN_DIR"
  flock --nonblock 8 && return
  say 'waiting for another up or down to end ...'
  wait_lock 8 'another up or down of this stack'
}

LOCK_TIMEOUT=60

# wait_lock DESCRIPTOR WHO
wait_lock() { flock --timeout "$LOCK_TIMEOUT" "$1" || die "$2 did not end in $LOCK_TIMEOUT s; try again when it has ended"; }

# open_lock DESCRIPTOR FILE: nobody else can open the file, and so hold the lock.
open_lock() {
  (umask 077 && : >>"$2") && chmod 600 "$2"
  eval "exec $1>>\"\$2\""
}

# own_run_dir: RUN_DIR exists, is closed to everybody else, and carries the stack's mark.
own_run_dir() {
  check_run_dir
  mark_run_dir "$RUN_DIR"
}

# claim_run_dir KIND: RUN_DIR is ours, and holds no stack of the other kind.
claim_run_dir() {
  own_run_dir
  local up
  up=$(stack_value STACK)
  [ "${up:-$1}" = "$1" ] || die "a $up stack is up; stop it first with: make down STACK=$up"
}

# --- tools ---------------------------------------------------------------------------------------------------------

# tool_source TOOL: the folder that says what it is made of.
tool_source() {
  case $1 in
  exporter) echo "$ROOT/exporter" ;;
  k6) echo "$ROOT/xk6-mcp" ;;
  go-server) echo "$ROOT/tests/servers/go" ;;
  python-servers) echo "$ROOT/tests/servers/python" ;;
  server-*) echo "$ROOT/tests/servers/public/${1#server-}" ;;
  bench-server) echo "$ROOT/bench/server" ;;
  promtool) echo "$ROOT/tools/prometheus" ;;
  *) echo "$ROOT/tools/$1" ;;
  esac
}

# tool_dir TOOL: the cache folder of what is built from there. The name changes with the pins.
tool_dir() {
  local hash
  # Not from tools/: its source is one module, which scripts/setup pins.
  if [ "$1" = docker-compose ]; then echo "$CACHE_DIR/docker-compose-2.40.3"; return; fi
  hash=$(find "$(tool_source "$1")" -name 'go.*' -print0 -o -name '*.go' ! -name '*_test.go' -print0 -o -name names.json -print0 -o -name requirements.txt -print0 |
    sort -z | xargs -0 cat | sha256sum | cut -c1-12)
  echo "$CACHE_DIR/$1-$hash"
}

# chromium_found: $CHROMIUM, or the first on the PATH that starts: Ubuntu's chromium-browser may be a script that asks for a snap.
chromium_found() {
  local name names=(chromium google-chrome google-chrome-stable chromium-browser)
  if [ -n "${CHROMIUM:-}" ]; then names=("$CHROMIUM"); fi
  for name in "${names[@]}"; do
    if "$name" --version >/dev/null 2>&1; then
      command -v "$name"
      return
    fi
  done
  return 1
}

# The oldest versions that work with the files in provisioning/: those of Debian 12.
oldest_of() { case $1 in prometheus) echo 2.42 ;; node_exporter) echo 1.5 ;; esac; }
# Debian's name of the package and of the program.
debian_name() { case $1 in node_exporter) echo prometheus-node-exporter ;; *) echo "$1" ;; esac; }

# installed_tool prometheus|node_exporter: its path, if one on the PATH, or the package's, is new enough. TOOLS_FROM_SOURCE=1 ignores both.
installed_tool() {
  [ "${TOOLS_FROM_SOURCE:-0}" != 1 ] || return 1
  local name
  for name in "$1" "/usr/bin/$(debian_name "$1")"; do
    if is_version "$(version_of "$1" "$name")" "$(oldest_of "$1")"; then
      command -v "$name"
      return
    fi
  done
  return 1
}

# version_of TOOL PROGRAM: the version that the program prints; nothing if it is not that tool, or was built without a version.
version_of() { { timeout 5 "$2" --version </dev/null 2>&1 || true; } | sed -n "1s/^$1, version \([0-9.]*\).*/\1/p"; }

# is_version VERSION OLDEST: is VERSION a version, and not older?
is_version() {
  [[ $1 =~ ^[0-9]+\.[0-9] ]] && [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]
}

# package_of prometheus|node_exporter: its Debian package, if apt has one that is new enough.
package_of() {
  local package version
  package=$(debian_name "$1")
  version=$({ LC_ALL=C apt-cache policy "$package" 2>/dev/null || true; } | sed -n 's/^ *Candidate: \([0-9].*\)/\1/p')
  if [ "${TOOLS_FROM_SOURCE:-0}" != 1 ] && is_version "$version" "$(oldest_of "$1")"; then echo "$package"; fi
}

tool_path() {
  case $1 in
  # A built one is used on: an older version could not read its data.
  prometheus | node_exporter)
    local built
    built=$(tool_dir "$1")/$1
    if [ -x "$built" ]; then echo "$built"; else installed_tool "$1" || echo "$built"; fi
    ;;
  # K6_FOUND: by the script that calls this one.
  # One on the PATH has no module k6/x/mcp.
  k6) echo "${K6_FOUND:-$(tool_dir k6)/k6}" ;;
  toxiproxy) echo "$(tool_dir toxiproxy)/server" ;;
  server-go-memory) echo "$(tool_dir "$1")/memory" ;;
  promtool | exporter | kustomize | govulncheck | go-server | bench-server | act | docker-compose) echo "$(tool_dir "$1")/$1" ;;
  kubernetes-schemas) tool_dir "$1" ;;
  python-servers | gateway | server-*) echo "$(tool_dir "$1")/bin/python" ;;
  haproxy) command -v haproxy || echo /usr/sbin/haproxy ;;
  chromium) chromium_found || echo /usr/bin/chromium ;;
  *) die "the tool is \"$1\"; valid: k6, prometheus, promtool, node_exporter, exporter, toxiproxy, kustomize, govulncheck, kubernetes-schemas, go-server, python-servers, gateway, haproxy, chromium, act, docker-compose, bench-server" ;;
  esac
}

# --- steering a component -------------------------------------------------------------------------------------------

stack_ctl() {
  case $1 in
  start | stop | restart | kill) "$(stack_kind)_ctl" "$@" ;;
  *) DIE_CODE=2 die "the action is \"$1\"; valid: start, stop, restart, kill" ;;
  esac
}

# shellcheck source=scripts/run-dir.sh
. "$ROOT/scripts/run-dir.sh"
check_run_dir_owner
# shellcheck source=scripts/components.sh
. "$ROOT/scripts/components.sh"
# shellcheck source=scripts/native.sh
. "$ROOT/scripts/native.sh"
# shellcheck source=scripts/external.sh
. "$ROOT/scripts/external.sh"
