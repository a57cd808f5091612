# shellcheck shell=bash
# The components of the stack, and their addresses. Sourced by common.sh.

# All components, in the order in which they start. They stop in reverse order: the target stops first and writes its
# pending changes to PostgreSQL and Redis.
#   part   observe: monitoring of any server; reference: the target and its dependencies
#   wave   the components of a wave start together, once the wave before is healthy
#   port   the variable in stack.env and the default port; if that is taken, the next free port is used
#   stop   the signal that stops it (PostgreSQL: INT disconnects clients instead of waiting for them)
# name            part      wave port                         stop
COMPONENTS='
postgres          reference 1    POSTGRES_PORT=15432          INT
redis             reference 1    REDIS_PORT=16379             TERM
prometheus        observe   1    PROMETHEUS_PORT=9090         TERM
node_exporter     observe   1    NODE_EXPORTER_PORT=9100      TERM
grafana           observe   1    GRAFANA_PORT=3000            TERM
upstream          reference 1    UPSTREAM_PORT=8001           TERM
postgres_exporter reference 2    POSTGRES_EXPORTER_PORT=9187  TERM
redis_exporter    reference 2    REDIS_EXPORTER_PORT=9121     TERM
target            reference 2    TARGET_PORT=8000             TERM
'

# Additional ports of components, and ports that belong to no component: the component and the default port.
# name         component   port
MORE_PORTS='
supervisor     supervisor  SUPERVISOR_PORT=19001
target_admin   target      TARGET_ADMIN_PORT=8002
'

# Names, ports and stack.env are read dozens of times a run, so with bash builtins only: starting a process for each
# would take longer than the rest of an `up` that has nothing to do.

# components [PART] [WAVE]: prints the names of the components, in starting order.
components() {
  local name part wave rest wanted=${1:-all}
  while read -r name part wave rest; do
    if [ -n "$name" ] && [[ $wanted == "$part" || $wanted == all ]] && [ "${2:-$wave}" = "$wave" ]; then echo "$name"; fi
  done <<<"$COMPONENTS"
}

stop_signal() { awk -v name="$1" '$1 == name { print $5 }' <<<"$COMPONENTS"; }

# is_component NAME [PART]: whether NAME is a component of that part. `components | grep -q` would not work: once grep
# exits, writing to the pipe fails.
is_component() { [[ $'\n'$(components "${2:-all}")$'\n' == *$'\n'"$1"$'\n'* ]]; }

# component_name NAME: prints the name as in the table; also accepts the spelling of docker-compose.yml.
component_name() {
  local name=${1//-/_}
  is_component "$name" || DIE_CODE=2 die "COMPONENT is \"$1\"; valid: $(components | paste -sd' ' -)"
  echo "$name"
}

# --- stack.env: the addresses of the stack ---------------------------------------------------------------------------

# stack_value NAME: prints a value of stack.env; nothing if it is not set.
stack_value() {
  local line
  { while read -r line; do
    if [[ $line == "$1="* ]]; then
      line=${line#*=}
      line=${line#\'}
      echo "${line%\'}"
    fi
  done <"$RUN_DIR/stack.env"; } 2>/dev/null || true
}

# ports_of COMPONENT|all: prints its ports, a line each: name, variable and default.
ports_of() {
  local name part wave port rest
  while read -r name part wave port rest; do
    if [ -n "$name" ] && [[ $1 == "$name" || $1 == all ]]; then echo "$name ${port/=/ }"; fi
  done <<<"$COMPONENTS"
  while read -r name part port; do
    if [ -n "$name" ] && [[ $1 == "$part" || $1 == all ]]; then echo "$name ${port/=/ }"; fi
  done <<<"$MORE_PORTS"
}

port_variable() {
  local name variable rest
  while read -r name variable rest; do
    if [ "$name" = "$1" ]; then echo "$variable"; fi
  done < <(ports_of all)
}
port_of() { stack_value "$(port_variable "$1")"; }

port_taken() { (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# free_port DEFAULT TAKEN...: prints the default port, or the next free port that is not among TAKEN.
free_port() {
  local port=$1
  shift
  while port_taken "$port" || [[ " $* " == *" $port "* ]]; do port=$((port + 1)); done
  echo "$port"
}

# claim_ports: registers this stack among this user's stacks and prints the ports of all of them. Ports of components
# that are temporarily down count too: another server on such a port would receive requests meant for that component. A
# stack that is down claims no ports.
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

# write_stack_env KIND SETTINGS RUNNING NAME...: writes stack.env. A component keeps its port, unless another process
# took it while the component was not RUNNING. Only one stack at a time chooses its ports.
write_stack_env() {
  mkdir -p "$CACHE_DIR"
  (
    if command -v flock >/dev/null; then
      open_lock 9 "$CACHE_DIR/lock"
      wait_lock 9 'another stack that chooses its ports'
    fi
    choose_stack_env "$@"
  )
}

choose_stack_env() {
  local kind=$1 settings=$2 running=$3 component name variable port usual taken=() ports=() claimed=''
  shift 3
  for component in "$@"; do
    while read -r name variable usual; do
      port=$(stack_value "$variable")
      if [ -z "$port" ] || { [[ $'\n'$running$'\n' != *$'\n'$component$'\n'* ]] && port_taken "$port"; }; then
        claimed=${claimed:-$(claim_ports)}
        port=$(free_port "$usual" "${taken[*]:-}" "$claimed")
      fi
      taken+=("$port")
      ports+=("$variable=$port")
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
    echo "TARGET_SETTINGS='$settings'"
  } >"$RUN_DIR/stack.env.new"
  mv "$RUN_DIR/stack.env.new" "$RUN_DIR/stack.env"
}

# url_among NAME PATH VARIABLE=PORT...: prints a line of stack.env; the URL is empty if NAME is not part of the stack.
url_among() {
  local variable path=$2 port
  variable=$(port_variable "$1")
  shift 2
  for port in "$@"; do
    if [[ $port == "$variable="* ]]; then echo "http://127.0.0.1:${port#*=}$path"; fi
  done
}

status_head() { printf '%-18s %-5s %s\n' COMPONENT STATE ADDRESS; }

status_line() {
  local address
  address=127.0.0.1:$(port_of "$1")
  case $1 in
  postgres | redis) ;;
  target) address="$(stack_value TARGET_URL)  $(stack_value TARGET_SETTINGS)" ;;
  prometheus) address="http://$address  user $PROMETHEUS_USER; the password is PROMETHEUS_PASSWORD in $RUN_DIR/secrets.env" ;;
  grafana) address="http://$address  user admin; the password is GRAFANA_ADMIN_PASSWORD in $RUN_DIR/secrets.env" ;;
  *) address=http://$address ;;
  esac
  printf '%-18s %-5s %s\n' "$1" "$2" "$address"
}

# grafana_login: prints the login to the terminal only, never into a pipe, a file or the log (as `say` would).
grafana_login() {
  if [ -n "$(port_of grafana)" ] && [ -t 1 ] && [ -z "${TESTID:-}" ]; then
    printf '\nGrafana: %s  user admin  password %s\n' "$(stack_value GRAFANA_URL)" "$(secret GRAFANA_ADMIN_PASSWORD)"
  fi
}

# --- the target's settings --------------------------------------------------------------------------------------------

TARGET_SETTING_NAMES='WORKERS POOL_SIZE CACHE_STRATEGY CACHE_TTL RATE_LIMIT_RPS SESSIONS SESSION_TIMEOUT COMPRESSION CONTENT RESOURCE_LIFETIME TARGET_FAULTS'

# merge_settings RUNNING: prints KEY=VALUE words. Settings of the environment take precedence over those of the running
# target. A setting that is not given keeps its value, so that a plain `up` never changes a configured target; `default`
# resets it.
merge_settings() {
  local name value setting settings=()
  for name in $TARGET_SETTING_NAMES; do
    value=${!name:-}
    if [ "$name" = TARGET_FAULTS ]; then
      # TARGET_FAULTS is JSON; without whitespace it is one word.
      value=${value//[[:space:]]/}
      if [[ ! $value =~ ^(default|\{[A-Za-z0-9._:,\"-]*\})?$ ]]; then DIE_CODE=2 die "TARGET_FAULTS is \"$value\"; valid: a JSON object of numbers by name"; fi
    elif [[ ! $value =~ ^[A-Za-z0-9._-]*$ ]]; then
      DIE_CODE=2 die "$name is \"$value\"; valid: a word or a number"
    fi
    if [ -z "$value" ]; then
      for setting in $1; do
        if [[ $setting == "$name="* ]]; then value=${setting#*=}; fi
      done
    fi
    if [ -n "$value" ] && [ "$value" != default ]; then settings+=("$name=$value"); fi
  done
  echo "${settings[*]:-}"
}
