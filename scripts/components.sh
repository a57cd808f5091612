# shellcheck shell=bash
# What the stack is made of, and where each part of it is. Sourced by common.sh; the same on both paths.

# Every component, in the order in which they start; they stop in the opposite one, so the target first: it writes
# what it still holds to PostgreSQL and Redis.
#   part   observe: what watches any server; reference: the target and what it stands on
#   wave   a wave starts together, once the one before is healthy
#   port   the usual one; a taken one makes it the next free one
#   stop   the signal to end it with (PostgreSQL: INT ends its clients' connections instead of waiting for them)
# name             part      wave port  stop
COMPONENTS='
postgres           reference 1 15432 INT
redis              reference 1 16379 TERM
prometheus         observe   1 9090  TERM
node_exporter      observe   1 9100  TERM
grafana            observe   1 3000  TERM
upstream           reference 1 8001  TERM
postgres_exporter  reference 2 9187  TERM
redis_exporter     reference 2 9121  TERM
target             reference 2 8000  TERM
'

# Ports that a component has besides, or that are no component's: whose they are, and the usual one.
MORE_PORTS='
supervisor    supervisor  19001
target_admin  target      8002
'

# components [PART] [WAVE]: names, in starting order.
components() {
  awk -v part="${1:-all}" -v wave="${2:-0}" \
    'NF && (part == "all" || $2 == part) && (wave == 0 || $3 == wave) { print $1 }' <<<"$COMPONENTS"
}

stop_signal() { awk -v name="$1" '$1 == name { print $5 }' <<<"$COMPONENTS"; }

# component_name NAME: the name as in the table, also for one written as in docker-compose.yml.
component_name() {
  local name=${1//-/_}
  components | grep -qx -- "$name" || DIE_CODE=2 die "component: got $1; $(components | paste -sd' ' -) are valid"
  echo "$name"
}

# --- stack.env: where everything is ----------------------------------------------------------------------------------

# stack_value NAME: a value of stack.env; nothing where there is none.
stack_value() { sed -n "s/^$1='\{0,1\}\(.*[^']\)'\{0,1\}$/\1/p" "$RUN_DIR/stack.env" 2>/dev/null || true; }

port_variable() { printf '%s_PORT\n' "$1" | tr '[:lower:]' '[:upper:]'; }
port_of() { stack_value "$(port_variable "$1")"; }

port_taken() { (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# free_port USUAL TAKEN...: the usual port or the next free one that is not among TAKEN.
free_port() {
  local port=$1
  shift
  while port_taken "$port" || [[ " $* " == *" $port "* ]]; do port=$((port + 1)); done
  echo "$port"
}

# ports_of COMPONENT: the names of its ports, and the usual ones.
ports_of() {
  awk -v name="$1" 'NF && $1 == name { print $1, $4 }' <<<"$COMPONENTS"
  awk -v name="$1" 'NF && $2 == name { print $1, $3 }' <<<"$MORE_PORTS"
}

# claim_ports: enters this stack among those of this user and prints the ports of them all, also of parts that are down for
# a moment: a stack that took such a port would answer who asks the other. A stack that went down claims nothing.
claim_ports() {
  local stack
  mkdir -p "$CACHE_DIR/stacks"
  ln -sfn "$RUN_DIR" "$CACHE_DIR/stacks/$(cksum <<<"$RUN_DIR" | tr ' ' -)"
  for stack in "$CACHE_DIR"/stacks/*; do
    if [ -e "$stack" ]; then
      sed -n 's/^[A-Z_]*_PORT=//p' "$stack/stack.env" 2>/dev/null || true
    else
      rm -f "$stack"
    fi
  done | paste -sd' ' -
}

# write_stack_env KIND KNOBS RUNNING NAME...: the state of the stack for everyone who uses it. A component's port stays
# as it is, unless someone else took it while the component was not RUNNING. One stack at a time chooses its ports.
write_stack_env() {
  mkdir -p "$CACHE_DIR"
  (
    if command -v flock >/dev/null; then flock 9; fi
    choose_stack_env "$@"
  ) 9>>"$CACHE_DIR/lock"
}

choose_stack_env() {
  local kind=$1 knobs=$2 running=$3 component name port usual taken=() ports=() claimed=''
  shift 3
  for component in "$@"; do
    while read -r name usual; do
      port=$(port_of "$name")
      if [ -z "$port" ] || { ! grep -qx "$component" <<<"$running" && port_taken "$port"; }; then
        claimed=${claimed:-$(claim_ports)}
        port=$(free_port "$usual" "${taken[*]:-}" "$claimed")
      fi
      taken+=("$port")
      ports+=("$(port_variable "$name")=$port")
    done < <(ports_of "$component")
  done
  {
    echo '# Written by scripts/up: where the parts of the stack are. No secrets.'
    echo "STACK=$kind"
    printf '%s\n' "${ports[@]}"
    echo "TARGET_URL=$(url_among target /mcp "${ports[@]}")"
    echo "TARGET_METRICS_URL=$(url_among target /metrics "${ports[@]}")"
    echo "UPSTREAM_URL=$(url_among upstream '' "${ports[@]}")"
    echo "PROMETHEUS_URL=$(url_among prometheus '' "${ports[@]}")"
    echo "GRAFANA_URL=$(url_among grafana '' "${ports[@]}")"
    echo "PROMETHEUS_TARGETS_DIR='$RUN_DIR/prometheus/targets'"
    echo "TARGET_KNOBS='$knobs'"
    # Where k6 listens for Prometheus, and where Prometheus finds it.
    if [ "$kind" = docker ]; then printf '%s\n' K6_LISTEN_HOST=0.0.0.0 K6_SCRAPE_HOST=runner; else
      printf '%s\n' K6_LISTEN_HOST=127.0.0.1 K6_SCRAPE_HOST=127.0.0.1
    fi
  } >"$RUN_DIR/stack.env.new"
  mv "$RUN_DIR/stack.env.new" "$RUN_DIR/stack.env"
}

# url_among NAME PATH VARIABLE=PORT...: empty for what is not part of the stack.
url_among() {
  local variable path=$2
  variable=$(port_variable "$1")
  shift 2
  printf '%s\n' "$@" | sed -n "s|^$variable=\(.*\)|http://127.0.0.1:\1$path|p"
}

status_head() { printf '%-18s %-5s %s\n' COMPONENT STATE ADDRESS; }

# status_line NAME STATE
status_line() {
  local address
  address=127.0.0.1:$(port_of "$1")
  case $1 in
  postgres | redis) ;;
  target) address="$(stack_value TARGET_URL)  $(stack_value TARGET_KNOBS)" ;;
  grafana) address="http://$address  user admin; the password is GRAFANA_ADMIN_PASSWORD in $RUN_DIR/secrets.env" ;;
  *) address=http://$address ;;
  esac
  printf '%-18s %-5s %s\n' "$1" "$2" "$address"
}

# grafana_login: for the terminal of who typed `make up`, and for nothing that is kept: not by `say`, which is logged, and
# not into a pipe or a file.
grafana_login() {
  if [ -n "$(port_of grafana)" ] && [ -t 1 ] && [ -z "${TESTID:-}" ]; then
    printf '\nGrafana: %s  user admin  password %s\n' "$(stack_value GRAFANA_URL)" "$(secret GRAFANA_ADMIN_PASSWORD)"
  fi
}

# --- the target's knobs --------------------------------------------------------------------------------------------

TARGET_KNOB_NAMES='WORKERS POOL_SIZE CACHE_STRATEGY CACHE_TTL RATE_LIMIT_RPS SESSIONS SESSION_TIMEOUT COMPRESSION CONTENT RESOURCE_LIFETIME TARGET_FAULTS'

# merge_knobs RUNNING: prints KEY=VALUE words, those in the environment over those the running target has.
# A knob that is not set stays as it is, so that a plain `up` never changes a target someone set up on purpose; `default`
# takes it back.
merge_knobs() {
  local name value knobs=()
  for name in $TARGET_KNOB_NAMES; do
    value=${!name:-}
    if [ "$name" = TARGET_FAULTS ]; then
      # JSON, as one word.
      value=${value//[[:space:]]/}
      if [[ ! $value =~ ^(default|\{[A-Za-z0-9._:,\"-]*\})?$ ]]; then DIE_CODE=2 die "TARGET_FAULTS: got $value; a JSON object of numbers by name is valid"; fi
    elif [[ ! $value =~ ^[A-Za-z0-9._-]*$ ]]; then
      DIE_CODE=2 die "$name: got $value; a word or a number is valid"
    fi
    if [ -z "$value" ]; then value=$(grep -oE "(^| )$name=[^ ]+" <<<"$1" | cut -d= -f2 || true); fi
    if [ -n "$value" ] && [ "$value" != default ]; then knobs+=("$name=$value"); fi
  done
  echo "${knobs[*]:-}"
}
