# shellcheck shell=bash
# Shared setup of the stack's scripts. Source it from a script in this folder:
#
#   . "$(dirname "${BASH_SOURCE[0]}")/common.sh"
#
# It sets and exports
#   ROOT      the project's folder
#   RUN_DIR   the folder of the stack's state (default: $ROOT/.run; set it to run a second stack)
# It defines
#   say TEXT...            prints a line of progress on stderr and in RUN_LOG
#   die TEXT...            prints a line on stderr and exits with 1 (DIE_CODE=2 die ... for invalid input)
#   stack_kind             prints `native` or `external` (managed by someone else). STACK takes precedence, then the
#                          running stack; the default is native. (scripts/docker.sh handles Docker)
#   tool_path NAME         prints the path of a tool on this machine: k6, prometheus, promtool, node_exporter, exporter,
#                          toxiproxy, kustomize, kubernetes-schemas (a folder), gateway (its Python), haproxy, chromium,
#                          the tests' go-server, python-servers, and the benches' bench-server; act, docker-compose
#                          (`scripts/setup` installs what is missing)
#   stack_ctl ACTION NAME  start, stop, restart or kill (SIGKILL, without a restart until `start`) one component

# Before bash 4.4 (macOS has 3.2) set -u treats an empty array as unset.
if [ "${BASH_VERSINFO[0]}" -lt 5 ]; then set +u; fi

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
RUN_DIR=${RUN_DIR:-$ROOT/.run}
case $RUN_DIR in /*) ;; *) RUN_DIR=$PWD/$RUN_DIR ;; esac
CACHE_DIR=${MCP_LOAD_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/mcp-load-lab}
export ROOT RUN_DIR CACHE_DIR

# A go.work file in a parent folder, or modules named in the caller's environment, would override the pinned versions.
export GOWORK=off
unset NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONHOME

# Node.js from npm, installed by scripts/setup if this host's version is older than 24, because older versions cannot run
# TypeScript directly. Container images have their own Node.js.
NODE_DIR=$CACHE_DIR/node-24.21.0
# The caller's own commands, such as SERVER_COMMAND, use the caller's Node.js.
export CALLER_PATH="${CALLER_PATH:-$PATH}"
case :$PATH: in *:"$NODE_DIR":*) ;; *) PATH=$NODE_DIR:$PATH ;; esac

# Keeps k6 from resolving extensions and reporting usage. A load test connects only to its target.
export K6_AUTO_EXTENSION_RESOLUTION=false K6_NO_USAGE_REPORT=true

# note TEXT...: appends a line with a timestamp to the run's log, if there is a run. Errors such as a full disk are
# ignored.
note() { if [ -n "${RUN_LOG:-}" ]; then { printf '%s %s\n' "$(date -u +%FT%TZ)" "$*" >>"$RUN_LOG"; } 2>/dev/null || true; fi; }
say() {
  printf '%s\n' "$*" >&2
  note "$*"
}
die() {
  say "error: $*"
  exit "${DIE_CODE:-1}"
}

case $RUN_DIR in *[\'\"\\]* | *$'\n'*) DIE_CODE=2 die "RUN_DIR is \"$RUN_DIR\"; valid: a path without quotes, backslashes or line breaks" ;; esac

# --- which stack ---------------------------------------------------------------------------------------------------

stack_kind() {
  case ${STACK:-} in
  native | external) echo "$STACK" ;;
  '') stack_value STACK | grep . || echo native ;;
  *) DIE_CODE=2 die "STACK is \"$STACK\"; valid: native, docker, external" ;;
  esac
}

# lock: allows one `up` or `down` of a stack at a time. File descriptor 8 holds the lock until the script exits.
lock() {
  own_run_dir
  command -v flock >/dev/null || return 0
  exec 8<"$RUN_DIR"
  flock --nonblock 8 && return
  say 'waiting for another up or down to finish ...'
  wait_lock 8 'another up or down of this stack'
}

LOCK_TIMEOUT=60

# wait_lock DESCRIPTOR HOLDER: takes the lock; fails after LOCK_TIMEOUT s with a message that names HOLDER.
wait_lock() { flock --timeout "$LOCK_TIMEOUT" "$1" || die "$2 did not finish in $LOCK_TIMEOUT s; try again when it has finished"; }

# open_lock DESCRIPTOR FILE: opens a lock file that only this user can open, so nobody else can hold the lock.
open_lock() {
  (umask 077 && : >>"$2") && chmod 600 "$2"
  eval "exec $1>>\"\$2\""
}

# own_run_dir: creates RUN_DIR, readable by its owner only, and marks it as a stack's folder.
own_run_dir() {
  check_run_dir
  mark_run_dir "$RUN_DIR"
}

# claim_run_dir KIND: like own_run_dir; fails if RUN_DIR belongs to a stack of the other kind.
claim_run_dir() {
  own_run_dir
  local up
  up=$(stack_value STACK)
  [ "${up:-$1}" = "$1" ] || die "a $up stack is up; stop it first with: make down STACK=$up"
}

# --- tools ---------------------------------------------------------------------------------------------------------

# tool_source TOOL: prints the folder with the source or the pinned versions of a tool.
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

# tool_dir TOOL: prints the cache folder of a built tool. The name contains a hash of the source and the pinned
# versions.
tool_dir() {
  local hash
  # Not built from tools/: scripts/setup pins a single module.
  if [ "$1" = docker-compose ]; then echo "$CACHE_DIR/docker-compose-2.40.3"; return; fi
  hash=$(find "$(tool_source "$1")" -name 'go.*' -print0 -o -name '*.go' ! -name '*_test.go' -print0 -o -name names.json -print0 -o -name requirements.txt -print0 |
    sort -z | xargs -0 cat | sha256sum | cut -c1-12)
  echo "$CACHE_DIR/$1-$hash"
}

# chromium_found: prints the path of $CHROMIUM, or of the first browser on the PATH that starts. Ubuntu's
# chromium-browser may be a script that only recommends a snap.
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

# The oldest versions that support the files in provisioning/, which are the versions in Debian 12.
oldest_of() { case $1 in prometheus) echo 2.42 ;; node_exporter) echo 1.5 ;; esac; }
# debian_name TOOL: prints the name of the Debian package, which is also the name of its program.
debian_name() { case $1 in node_exporter) echo prometheus-node-exporter ;; *) echo "$1" ;; esac; }

# installed_tool prometheus|node_exporter: prints the path of an installed program that is new enough, from the PATH or
# the package. TOOLS_FROM_SOURCE=1 ignores both.
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

# version_of TOOL PROGRAM: prints the program's version; nothing if the program is another tool or has no version.
version_of() { { timeout 5 "$2" --version </dev/null 2>&1 || true; } | sed -n "1s/^$1, version \([0-9.]*\).*/\1/p"; }

# is_version VERSION OLDEST: checks that VERSION is a version and not older than OLDEST.
is_version() {
  [[ $1 =~ ^[0-9]+\.[0-9] ]] && [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]
}

# package_of prometheus|node_exporter: prints the Debian package if apt offers a version that is new enough.
package_of() {
  local package version
  package=$(debian_name "$1")
  version=$({ LC_ALL=C apt-cache policy "$package" 2>/dev/null || true; } | sed -n 's/^ *Candidate: \([0-9].*\)/\1/p')
  if [ "${TOOLS_FROM_SOURCE:-0}" != 1 ] && is_version "$version" "$(oldest_of "$1")"; then echo "$package"; fi
}

tool_path() {
  case $1 in
  # A program that was already built stays in use, because an older installed version could not read its data.
  prometheus | node_exporter)
    local built
    built=$(tool_dir "$1")/$1
    if [ -x "$built" ]; then echo "$built"; else installed_tool "$1" || echo "$built"; fi
    ;;
  # K6_FOUND is set by the calling script. A k6 on the PATH does not count: it lacks the module k6/x/mcp.
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

# --- controlling a component -----------------------------------------------------------------------------------------

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
