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
#   attend COMMAND...      runs it so that whatever ends this script reaches it, once, and it can end cleanly
#   stack_kind             prints `native` or `external` (someone else's): what STACK says, else what is up, else native.
#                          (Docker is another matter: scripts/lab, scripts/docker.sh)
#   load_stack_env         exports what `scripts/up` wrote to $RUN_DIR/stack.env (ports, URLs, STACK). A TARGET_URL that
#                          the caller set stays; TARGET_TOKEN is exported only for the stack's own target,
#                          and WATCHED_SERVER is `reference` for that one and empty for any other. With the stack's own
#                          Prometheus come PROMETHEUS_USERNAME and PROMETHEUS_PASSWORD.
#   run_k6 ARGS...         k6, with its limits
#   tool_path NAME         the path of a tool on this machine: k6, k6-mcp, prometheus, promtool, node_exporter, exporter,
#                          toxiproxy, kustomize, kubernetes-schemas (a folder), gateway (its Python), haproxy, chromium, the
#                          tests' go-server, python-servers, and the benches' bench-server, rusage; act, docker-compose
#                          (`scripts/setup` builds what is missing)
#   stack_ctl ACTION NAME  start, stop, restart or kill (SIGKILL, and it stays down until `start`) one component

# Before bash 4.4 (macOS has 3.2) an empty array counts as unset.
if [ "${BASH_VERSINFO[0]}" -lt 5 ]; then set +u; fi

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
RUN_DIR=${RUN_DIR:-$ROOT/.run}
case $RUN_DIR in /*) ;; *) RUN_DIR=$PWD/$RUN_DIR ;; esac
CACHE_DIR=${MCP_LOAD_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/mcp-load-lab}
export ROOT RUN_DIR

# Natively the Node.js that scripts/setup gets from npm, where this host's is older than 24, which runs TypeScript as it is. An image has its own.
NODE_DIR=$CACHE_DIR/node-24.21.0
case :$PATH: in *:"$NODE_DIR":*) ;; *) PATH=$NODE_DIR:$PATH ;; esac

# k6 asks neither for extensions nor for a place to report its use: a load test talks to its target alone.
export K6_AUTO_EXTENSION_RESOLUTION=false K6_NO_USAGE_REPORT=true

# cgroup_memory NEW OLD: what the cgroup that this is in says in that file, by its version; MiB, nothing where it is no number.
cgroup_memory() {
  local file bytes
  for file in "$1" memory/"$2"; do
    { read -r bytes <"/sys/fs/cgroup/$file"; } 2>/dev/null || continue
    if [[ $bytes =~ ^[0-9]+$ ]]; then echo $((bytes / 1048576)); fi
    return
  done
}

# share_of_memory PART OF: MiB of what this machine, or the cgroup that this is in, has; nothing where that can't be told.
share_of_memory() {
  local total limit
  { read -r _ total _ </proc/meminfo; } 2>/dev/null || return 0
  total=$((total / 1024))
  limit=$(cgroup_memory memory.max memory.limit_in_bytes)
  if [ "${limit:-$total}" -lt $total ]; then total=$limit; fi
  echo $((total * $1 / $2))
}

# MiB that k6 needs for a user: 0.6 of it live. With less room for garbage than that it does little else than collect it (docs/scale.md).
MEMORY_OF_USER=1

# garbage_limit: MiB from which on k6 collects all it can: a quarter of the memory, or what its users (K6_USERS, where they are
# known) need where that is more.
garbage_limit() {
  local share needed
  share=$(share_of_memory 1 4)
  needed=$((${K6_USERS:-0} * MEMORY_OF_USER))
  if [ "${share:=2048}" -gt "$needed" ]; then echo "$share"; else echo "$needed"; fi
}

# generator_env: how a load generator is tuned and what it sends to Prometheus, NAME=value a line: a run exports it, the
# benches measure with it. Options of the remote write are k6's to read from its own environment, not from the script's.
generator_env() {
  local settings=(
    # Native histograms. Enabled by a variable or a flag of k6, each series would get a label k6_feature_native_histograms.
    "K6_CONFIG=$ROOT/provisioning/k6.json"
    K6_PROMETHEUS_RW_STALE_MARKERS=true
    K6_PROMETHEUS_RW_PUSH_INTERVAL=2s
    # A fifth of the collections, for a sixth less CPU a request; from this much on, as many as it takes.
    "GOGC=${GOGC:-400}"
    "GOMEMLIMIT=${GOMEMLIMIT:-$(garbage_limit)MiB}"
  )
  printf '%s\n' "${settings[@]}"
}

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

# --- what ends us ----------------------------------------------------------------------------------------------------

# In front of a command: it is told to end where its parent is gone, also one that was killed.
TIED=()
if command -v setpriv >/dev/null && setpriv --pdeathsig TERM true 2>/dev/null; then TIED=(setpriv --pdeathsig TERM); fi

# attend COMMAND...: returns its exit code. It is a process group of its own, which Ctrl-C in a terminal does not reach: it
# gets one TERM for each signal that reaches this script, and not a second one, after which k6 leaves without its summary.
# Where there was one, INTERRUPTED is the code to end with.
#   patient=TEXT   the first signal is answered with this text alone
#   shared=1       in this script's group, so that it may ask for a password; of Ctrl-C it gets the TERM alone, too
INTERRUPTED=''
attend() {
  local child='' status=0 last=0 signalled=''
  local before
  before=$(trap -p TERM INT HUP)
  INTERRUPTED=''
  trap pass_on TERM INT HUP
  [ -n "${shared:-}" ] || set -m
  "$@" &
  child=$!
  set +m
  # Until the child was known a signal was kept for it.
  [ -z "$INTERRUPTED" ] || kill -s TERM "$child" 2>/dev/null || true
  # A signal ends the waiting, not the child. Where the two came at once the child is not there to be waited for again.
  while :; do
    signalled=''
    last=$status status=0
    wait "$child" || status=$?
    if [ $status -eq 127 ] && [ "$last" -ne 0 ]; then status=$last; fi
    [ -n "$signalled" ] || break
  done
  trap - TERM INT HUP
  eval "$before"
  return "$status"
}

# pass_on: what attend does with a signal.
pass_on() {
  signalled=yes
  if [ -n "${patient:-}" ]; then
    say "$patient"
    patient=''
  else
    INTERRUPTED=130
    [ -z "$child" ] || kill -s TERM "$child" 2>/dev/null || true
  fi
}

# attend_or_leave COMMAND...: attend, and the end of this script where the command failed or there was a signal.
attend_or_leave() {
  local status=0
  shared=1 attend "$@" || status=$?
  if [ -n "$INTERRUPTED" ]; then
    say 'interrupted'
    exit "$INTERRUPTED"
  fi
  [ $status -eq 0 ] || exit "$status"
}

[[ ${GENERATOR_MEMORY:-1} =~ ^[1-9][0-9]{0,8}$ ]] || DIE_CODE=2 die "GENERATOR_MEMORY is \"${GENERATOR_MEMORY:0:80}\"; valid: MiB, a whole number above 0"
case $RUN_DIR in *[\'\"\\]* | *$'\n'*) DIE_CODE=2 die "RUN_DIR: got $RUN_DIR; a path without quotes, backslashes and line breaks is valid" ;; esac

# --- which stack ---------------------------------------------------------------------------------------------------

stack_kind() {
  case ${STACK:-} in
  native | external) echo "$STACK" ;;
  '') stack_value STACK | grep . || echo native ;;
  *) DIE_CODE=2 die "STACK: got $STACK; native, docker and external are valid" ;;
  esac
}

load_stack_env() {
  [ -f "$RUN_DIR/stack.env" ] || die 'no stack is up; start one with: make up'
  local given=${TARGET_URL:-}
  set -a
  # shellcheck disable=SC1091
  . "$RUN_DIR/stack.env"
  set +a
  # Someone else's Prometheus (STACK=external) is asked with what the environment says.
  if [ "$STACK" != external ] && [ -f "$RUN_DIR/secrets.env" ]; then
    PROMETHEUS_USERNAME=$PROMETHEUS_USER PROMETHEUS_PASSWORD=$(secret PROMETHEUS_PASSWORD)
    export PROMETHEUS_USERNAME PROMETHEUS_PASSWORD
  fi
  # The rules that watch the reference target tell nothing of another server.
  WATCHED_SERVER=
  if [ -n "$given" ] && [ "$given" != "$TARGET_URL" ]; then
    TARGET_URL=$given
  elif [ -n "$TARGET_URL" ]; then
    WATCHED_SERVER=reference
    TARGET_TOKEN=$(secret TARGET_TOKEN)
    export TARGET_TOKEN WATCHED_SERVER
  fi
}

# lock: one `up` or `down` of a stack at a time. Held on the descriptor 8 until the script ends.
lock() {
  own_run_dir
  command -v flock >/dev/null || return 0
  # Someone else's folder is refused later, with its reason.
  if [ -O "$RUN_DIR" ]; then exec 8<"$RUN_DIR"; else exec 8</dev/null; fi
  flock --nonblock 8 && return
  say 'waiting for another up or down to end ...'
  flock --timeout 900 8 || die 'another up or down has not ended in 15 minutes'
}

# own_run_dir: RUN_DIR exists and carries the stack's mark.
own_run_dir() {
  check_run_dir
  mark_run_dir "$RUN_DIR"
}

# claim_run_dir KIND: RUN_DIR is ours, and holds no stack of the other kind.
claim_run_dir() {
  own_run_dir
  [ -O "$RUN_DIR" ] || die "$RUN_DIR belongs to someone else; set RUN_DIR to a folder of your own"
  local up
  up=$(stack_value STACK)
  [ "${up:-$1}" = "$1" ] || die "a $up stack is up; stop it first with: make down STACK=$up"
}

# --- room ----------------------------------------------------------------------------------------------------------

# free_memory: MiB that this machine, and the cgroup that this is in, can still give; nothing where that can't be told.
free_memory() {
  local limit used free
  free=$(awk '/^MemAvailable/ { printf "%d", $2 / 1024 }' /proc/meminfo 2>/dev/null)
  [ -n "$free" ] || return 0
  limit=$(cgroup_memory memory.max memory.limit_in_bytes)
  used=$(cgroup_memory memory.current memory.usage_in_bytes)
  if [ -n "$limit" ] && [ -n "$used" ] && [ $((limit - used)) -lt "$free" ]; then free=$((limit - used)); fi
  echo "$free"
}

# free_disk FOLDER: MiB that can be written there, or where it will be.
free_disk() {
  local folder=$1
  while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
  df -Pk "$folder" | awk 'NR == 2 { printf "%d", $4 / 1024 }'
}

# --- tools ---------------------------------------------------------------------------------------------------------

# tool_source TOOL: the folder that says what it is made of.
tool_source() {
  case $1 in
  exporter) echo "$ROOT/exporter" ;;
  k6) echo "$ROOT/xk6-mcp" ;;
  go-server) echo "$ROOT/tests/servers/go" ;;
  python-servers) echo "$ROOT/tests/servers/python" ;;
  bench-tools) echo "$ROOT/bench/tools" ;;
  promtool) echo "$ROOT/tools/prometheus" ;;
  *) echo "$ROOT/tools/$1" ;;
  esac
}

# tool_dir TOOL: the cache folder of what is built from there. The name changes with the pins.
tool_dir() {
  local hash
  # Not from tools/: its source is one module, which scripts/setup pins.
  if [ "$1" = docker-compose ]; then echo "$CACHE_DIR/docker-compose-2.40.3"; return; fi
  hash=$(find "$(tool_source "$1")" -name 'go.*' -print0 -o -name '*.go' -print0 -o -name names.json -print0 -o -name requirements.txt -print0 |
    sort -z | xargs -0 cat | sha256sum | cut -c1-12)
  echo "$CACHE_DIR/$1-$hash"
}

# k6_on_path: the k6 on the PATH, where it is one we can use: 2.2 or newer, before 3.
k6_on_path() {
  local version
  version=$(command k6 version 2>/dev/null | sed -n 's/^k6\(\.exe\)\{0,1\} v\([0-9]*\.[0-9]*\).*/\2/p')
  [[ $version =~ ^2\.([0-9]+)$ ]] && [ "${BASH_REMATCH[1]}" -ge 2 ] && command -v k6
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

tool_path() {
  case $1 in
  # K6_FOUND: by the script that calls this one.
  k6) if [ -n "${K6_FOUND:-}" ]; then echo "$K6_FOUND"; else k6_on_path || echo "$(tool_dir k6)/k6"; fi ;;
  # With the module k6/x/mcp, which one on the PATH need not have.
  k6-mcp) echo "$(tool_dir k6)/k6" ;;
  bench-server | rusage) echo "$(tool_dir bench-tools)/$1" ;;
  toxiproxy) echo "$(tool_dir toxiproxy)/server" ;;
  prometheus | promtool | node_exporter | exporter | kustomize | govulncheck | go-server | act | docker-compose) echo "$(tool_dir "$1")/$1" ;;
  kubernetes-schemas) tool_dir "$1" ;;
  python-servers | gateway) echo "$(tool_dir "$1")/bin/python" ;;
  haproxy) command -v haproxy || echo /usr/sbin/haproxy ;;
  chromium) chromium_found || echo /usr/bin/chromium ;;
  *) die "tool_path: got $1; k6, k6-mcp, prometheus, promtool, node_exporter, exporter, toxiproxy, kustomize, govulncheck, kubernetes-schemas, go-server, python-servers, gateway, haproxy, chromium, act, docker-compose, bench-server and rusage are valid" ;;
  esac
}

# --- running k6, and steering a component ---------------------------------------------------------------------------

# by: what it is started by, such as (exec).
by=()
run_k6() {
  local arguments=("$@") prefix=("${by[@]}")
  local by=()
  # No environment variable names k6's secret source.
  if [ "$1" = run ] && [ -n "${SECRET_SOURCE:-}" ]; then arguments=(run --secret-source "$SECRET_SOURCE" "${@:2}"); fi
  # For k6 alone. Go reads this file and the folders of the system's own authorities.
  if [ -n "${TARGET_CA:-}" ]; then local -x SSL_CERT_FILE=$TARGET_CA; fi
  if [ "${prefix[0]:-}" = exec ]; then
    # This shell becomes k6: whoever waits for it looks at its exit code.
    limit_memory
    "${prefix[@]}" "$(tool_path k6)" "${arguments[@]}"
  else
    local status=0
    (
      limit_memory
      exec "$(tool_path k6)" "${arguments[@]}"
    ) || status=$?
    end_of_k6 "$status"
  fi
}

# GENERATOR_MEMORY: MiB that k6 may have; by default three quarters of the machine's. k6 takes an answer whole, and unpacks it:
# without a limit a server could have all the memory there is.
generator_memory() { echo "${GENERATOR_MEMORY:-$(share_of_memory 3 4)}"; }

# limit_memory: of this shell, and of what it becomes or starts.
limit_memory() {
  local most
  most=$(generator_memory)
  if [ -n "$most" ]; then ulimit -d $((most * 1024)) 2>/dev/null || true; fi
}

# end_of_k6 STATUS: returns it, or 137 where the memory was not enough.
end_of_k6() {
  # Go's own code for that, of which k6 has none: what it says of its last moments is for Go's makers.
  if [ "$1" != 2 ]; then return "$1"; fi
  say "k6 got no more memory than $(generator_memory) MiB and ended: the target's answers are too large, or the test is (GENERATOR_MEMORY)"
  return 137
}

stack_ctl() {
  case $1 in
  start | stop | restart | kill) "$(stack_kind)_ctl" "$@" ;;
  *) DIE_CODE=2 die "stack_ctl: got $1; start, stop, restart and kill are valid" ;;
  esac
}

# shellcheck source=scripts/run-dir.sh
. "$ROOT/scripts/run-dir.sh"
# shellcheck source=scripts/components.sh
. "$ROOT/scripts/components.sh"
# shellcheck source=scripts/native.sh
. "$ROOT/scripts/native.sh"
# shellcheck source=scripts/external.sh
. "$ROOT/scripts/external.sh"
