# shellcheck shell=bash
# The stack as processes of this machine, managed by supervisord. Sourced by common.sh.

HEALTH_TIMEOUT=90

# native_components [PART] [WAVE]: prints the components; Grafana only if it is installed.
native_components() {
  local name
  for name in $(components "$@"); do
    if [ "$name" != grafana ] || grafana_binary >/dev/null; then echo "$name"; fi
  done
}

grafana_binary() { command -v grafana || command -v grafana-server; }

# postgres_bin: prints the folder of PostgreSQL's programs: the version of the existing data, or else the newest.
postgres_bin() {
  local version='*' found
  if [ -f "$RUN_DIR/postgres/PG_VERSION" ]; then read -r version <"$RUN_DIR/postgres/PG_VERSION"; fi
  found=$(compgen -G "/usr/lib/postgresql/$version/bin/postgres" | sort -V | tail -n 1)
  [ -n "$found" ] || die "the data in $RUN_DIR/postgres is of PostgreSQL $version, which is not installed; make clean removes it"
  dirname "$found"
}

# --- processes -----------------------------------------------------------------------------------------------------

# identity PID: prints the pid, its start time and the boot ID, which together identify a process uniquely. Prints
# nothing if the process is gone or a zombie.
identity() {
  local stat boot
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
  read -r boot </proc/sys/kernel/random/boot_id
  # The name may contain blanks, so the fields are counted from behind it.
  read -r -a stat <<<"${stat##*) }"
  [ "${stat[0]}" = Z ] || echo "$1 ${stat[19]} $boot"
}

# record NAME: records that the calling shell, and the program that it execs, is the component NAME.
record() {
  identity $$ >"$RUN_DIR/pids/$1.new"
  mv "$RUN_DIR/pids/$1.new" "$RUN_DIR/pids/$1"
}

# process_of NAME: prints its pid if it is running.
process_of() {
  local recorded
  { read -r recorded <"$RUN_DIR/pids/$1"; } 2>/dev/null || return 1
  [ "$(identity "${recorded%% *}")" = "$recorded" ] && echo "${recorded%% *}"
}

# wait_gone NAME SECONDS: waits until the component has exited; fails after SECONDS.
wait_gone() {
  local until=$((SECONDS + $2))
  while process_of "$1" >/dev/null; do
    [ $SECONDS -lt $until ] || return 1
    sleep 0.1
  done
}

# end_leftovers: stops components that a killed supervisord left running. They are found by their recorded identity,
# never by name.
end_leftovers() {
  local name pid
  for name in $(native_components | tac); do
    pid=$(process_of "$name") || continue
    say "ending $name, left over from a stack that was not stopped"
    kill -s "$(stop_signal "$name")" "$pid" 2>/dev/null || true
    # Each component leads its own process group.
    wait_gone "$name" 20 || kill -s KILL -- "-$pid" 2>/dev/null || true
    wait_gone "$name" 5 || die "$name (pid $pid) does not end"
  done
}

# --- supervisord ---------------------------------------------------------------------------------------------------

# The file contains no absolute path: a blank, # or % in one would have a special meaning. Paths are relative to
# RUN_DIR, where supervisord runs, or come from the environment.
write_supervisor_conf() {
  local name priority=0
  {
    cat <<'CONF'
[supervisord]
nodaemon=true
logfile=log/supervisord.log
logfile_maxbytes=5MB
logfile_backups=1
childlogdir=log
pidfile=supervisord.pid

[inet_http_server]
port=127.0.0.1:%(ENV_SUPERVISOR_PORT)s
username=stack
password=%(ENV_SUPERVISOR_PASSWORD)s

[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface

[supervisorctl]
serverurl=http://127.0.0.1:%(ENV_SUPERVISOR_PORT)s
username=stack
password=%(ENV_SUPERVISOR_PASSWORD)s
CONF
    for name in $(components); do
      priority=$((priority + 1))
      cat <<CONF

[program:$name]
command=bash "%(ENV_ROOT)s/scripts/component" $name
priority=$priority
autostart=false
autorestart=true
startsecs=3
startretries=2
stopsignal=$(stop_signal "$name")
stopwaitsecs=30
killasgroup=true
redirect_stderr=true
stdout_logfile=log/$name.log
stdout_logfile_maxbytes=20MB
stdout_logfile_backups=1
CONF
    done
  } >"$RUN_DIR/supervisord.conf"
}

with_supervisor_env() {
  local -x SUPERVISOR_PORT SUPERVISOR_PASSWORD
  SUPERVISOR_PORT=$(port_of supervisor)
  SUPERVISOR_PASSWORD=$(secret SUPERVISOR_PASSWORD)
  "$@"
}

supervisor() { listens supervisord supervisor && with_supervisor_env supervisorctl -c "$RUN_DIR/supervisord.conf" "$@"; }

start_supervisord() {
  write_supervisor_conf
  # In a new session, so that Ctrl-C in the terminal does not stop the stack. Descriptor 8 is the lock of `up`.
  with_supervisor_env exec setsid bash "$ROOT/scripts/component" supervisord \
    </dev/null >>"$RUN_DIR/log/supervisord.out" 2>&1 8<&- &
  local job=$! until=$((SECONDS + 20))
  disown
  until supervisor pid >/dev/null 2>&1; do
    if [ $SECONDS -ge $until ] || ! kill -0 "$job" 2>/dev/null; then
      tail -n 20 "$RUN_DIR/log/supervisord.out" >&2
      die 'supervisord did not start'
    fi
    sleep 0.2
  done
}

# start_components NAME...: starts the components concurrently. `supervisorctl start` would start them one after the other.
start_components() {
  listens supervisord supervisor || die 'supervisord does not run; start it with: make up'
  with_supervisor_env python3 - "$@" <<'PYTHON'
import os, sys, xmlrpc.client
url = 'http://stack:{SUPERVISOR_PASSWORD}@127.0.0.1:{SUPERVISOR_PORT}/RPC2'.format(**os.environ)
supervisor = xmlrpc.client.ServerProxy(url).supervisor
for name in sys.argv[1:]:
    try:
        supervisor.startProcess(name, False)
    except xmlrpc.client.Fault as fault:
        if 'ALREADY_STARTED' not in fault.faultString:
            sys.exit(f'{name}: {fault.faultString}')
PYTHON
}

# stop_supervisord: stops supervisord and all its components.
stop_supervisord() {
  local pid
  if pid=$(process_of supervisord); then
    kill "$pid"
    if ! wait_gone supervisord 90; then
      say 'supervisord does not end; ending what it keeps'
      kill -s KILL "$pid" 2>/dev/null || true
    fi
  fi
  end_leftovers
}

# --- health --------------------------------------------------------------------------------------------------------

# http_get PORT PATH: prints the response, headers and body, of a server on loopback. It does not use curl, which a
# fresh machine may lack. AUTHORIZATION is the value of that header; it is passed in the environment, so it does not
# appear in the process list.
http_get() {
  # shellcheck disable=SC2016
  timeout 5 bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$0"; printf "GET %s HTTP/1.0\r\nHost: 127.0.0.1:%s\r\n%b\r\n" "$1" "$0" "${AUTHORIZATION:+Authorization: $AUTHORIZATION\r\n}" >&3; cat <&3' \
    "$1" "$2" 2>/dev/null
}
# http_get_as_lab SECRET PORT PATH: http_get with basic auth; SECRET names the password.
http_get_as_lab() {
  local -x AUTHORIZATION
  AUTHORIZATION="Basic $(printf '%s:%s' "$PROMETHEUS_USER" "$(secret "$1")" | base64 | tr -d '\n')"
  http_get "$2" "$3"
}

# listens COMPONENT [PORT]: whether the component's own process listens on that port. Checked before a password is sent
# over TCP.
listens() {
  local pid port inode
  pid=$(process_of "$1") || return 1
  printf -v port ':%04X' "$(port_of "${2:-$1}")"
  inode=$(awk -v port="$port" '$4 == "0A" && substr($2, 9) == port && $2 ~ /^(0100007F|7F000001)/ { print $10 }' /proc/net/tcp)
  [ -n "$inode" ] && [[ $'\n'$(find "/proc/$pid/fd" -printf '%l\n' 2>/dev/null)$'\n' == *$'\n'"socket:[$inode]"$'\n'* ]]
}

http_ok() { [[ $(http_get "$1" "$2") == HTTP/1.?\ 200* ]]; }
http_ok_as_lab() { [[ $(http_get_as_lab "$@") == HTTP/1.?\ 200* ]]; }

# The sockets are in folders of mode 0700, so nobody else can listen there. The absolute path may exceed the length
# limit of a socket's path, so the clients run in these folders.
# as_admin ARGUMENT...: runs psql. PGHOSTADDR and similar variables of the caller would redirect it.
as_admin() (
  # shellcheck disable=SC2086
  unset ${!PG@}
  cd "$RUN_DIR/postgres" || return
  PGPASSWORD=$(secret POSTGRES_PASSWORD) PGCONNECT_TIMEOUT=3 exec "$(postgres_bin)/psql" -X -q -At -v ON_ERROR_STOP=1 \
    -h /proc/self/cwd -p "$(port_of postgres)" -U postgres "$@"
)
# in_redis COMMAND...: runs redis-cli. The password does not appear in the process list.
in_redis() (cd "$RUN_DIR/redis" && REDISCLI_AUTH=$(secret REDIS_PASSWORD) exec timeout 5 redis-cli -s redis.sock "$@")

# init.sql sets the comment on the role as its last step.
DATABASE_READY="select 1 from pg_roles where rolname = 'mcp' and shobj_description(oid, 'pg_authid') = 'has its own password'"

healthy() {
  local port
  listens "$1" || return 1
  port=$(port_of "$1")
  case $1 in
  postgres) [ "$(as_admin -d mcp -c "$DATABASE_READY" 2>/dev/null)" = 1 ] ;;
  redis) [ "$(in_redis ping 2>/dev/null)" = PONG ] ;;
  prometheus) http_ok_as_lab PROMETHEUS_PASSWORD "$port" /-/ready ;;
  grafana) http_ok "$port" /api/health ;;
  node_exporter) http_ok_as_lab EXPORTERS_PASSWORD "$port" /metrics ;;
  upstream | target) http_ok "$port" /health ;;
  postgres_exporter) [[ $(http_get_as_lab EXPORTERS_PASSWORD "$port" /metrics) == *$'\npg_up 1\n'* ]] ;;
  redis_exporter) [[ $(http_get "$port" /metrics) == *$'\nredis_up 1\n'* ]] ;;
  esac
}

# start_wave NAME...: starts the components that are not running and waits until all are healthy. On failure it names
# the component.
start_wave() {
  local name started=$SECONDS told=$SECONDS waiting=("$@") missing=()
  for name in "$@"; do process_of "$name" >/dev/null || missing+=("$name"); done
  STARTED+=("${missing[@]}")
  [ ${#missing[@]} -eq 0 ] || start_components "${missing[@]}"
  while [ ${#waiting[@]} -gt 0 ]; do
    local still=()
    for name in "${waiting[@]}"; do
      if healthy "$name"; then continue; fi
      still+=("$name")
      # A new cluster lacks the target's database and role.
      if [ "$name" = postgres ]; then create_database; fi
    done
    waiting=("${still[@]}")
    [ ${#waiting[@]} -gt 0 ] || break
    if [ $((SECONDS - told)) -ge 3 ]; then
      told=$SECONDS
      say "waiting for ${waiting[*]} ... $((SECONDS - started)) s"
      for name in "${waiting[@]}"; do
        if [[ $(supervisor status "$name") == *FATAL* ]]; then start_failed "$name" 'does not start'; fi
      done
    fi
    if [ $((SECONDS - started)) -ge $HEALTH_TIMEOUT ]; then
      start_failed "${waiting[0]}" "is not healthy after $HEALTH_TIMEOUT s"
    fi
    sleep 0.3
  done
}

start_failed() {
  say "--- the end of $RUN_DIR/log/$1.log"
  tail -n 10 "$RUN_DIR/log/$1.log" >&2 || true
  die "$1 $2"
}

# --- PostgreSQL ----------------------------------------------------------------------------------------------------

# as_postgres COMMAND...: PostgreSQL refuses to run as root, so root runs it as the user that the package created.
as_postgres() {
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid postgres --regid postgres --init-groups -- "$@"
  else
    "$@"
  fi
}

OUTSIDE=/var/lib/mcp-load-lab

make_cluster() {
  [ -f "$RUN_DIR/postgres/PG_VERSION" ] && return
  say 'making a PostgreSQL cluster ...'
  local data=$RUN_DIR/postgres password
  # Data left by an interrupted `up` has no PG_VERSION.
  remove_cluster
  if [ "$(id -u)" -eq 0 ] && ! as_postgres test -x "$RUN_DIR"; then
    # The postgres user cannot enter root's home, so the data of a project in there is kept elsewhere.
    remove_orphans
    data=$OUTSIDE/$(sha256sum <<<"$RUN_DIR" | cut -c1-12)/data
    mkdir -p "$data"
    echo "$RUN_DIR" >"$(dirname "$data")/run-dir"
    ln -s "$data" "$RUN_DIR/postgres"
  fi
  mkdir -p "$data"
  chmod 700 "$data"
  # A location that PostgreSQL's user can read, and that `make clean` removes if `up` was interrupted.
  password=$(dirname "$data")/initdb.password
  (umask 077 && secret POSTGRES_PASSWORD >"$password")
  if [ "$(id -u)" -eq 0 ]; then chown postgres: "$data" "$password"; fi
  # shellcheck disable=SC2086
  if ! (unset ${!PG@} && cd / && as_postgres "$(postgres_bin)/initdb" -D "$data" -U postgres --pwfile "$password" \
    --auth scram-sha-256 --encoding UTF8 --locale C.UTF-8 --no-instructions) >"$RUN_DIR/log/initdb.log" 2>&1; then
    rm -f "$password"
    tail -n 20 "$RUN_DIR/log/initdb.log" >&2
    die 'postgres: the cluster could not be made'
  fi
  rm -f "$password"
}

# remove_cluster: removes the data. If it is a link, its target is removed only if make_cluster created it for this
# RUN_DIR.
remove_cluster() {
  local data noted=''
  if [ -L "$RUN_DIR/postgres" ]; then
    data=$(readlink "$RUN_DIR/postgres")
    if [[ $data =~ ^$OUTSIDE/[0-9a-f]{12}/data$ ]] && [ ! -L "${data%/data}" ]; then { read -r noted <"${data%/data}/run-dir"; } 2>/dev/null || true; fi
    if [ "$noted" = "$RUN_DIR" ]; then
      rm -rf "${data%/data}"
    else
      say "$RUN_DIR/postgres is a link to $data, which is not this stack's: it stays"
    fi
  fi
  rm -rf "$RUN_DIR/postgres"
}

# remove_orphans: removes data whose RUN_DIR was deleted without `make clean`.
remove_orphans() {
  local note run
  for note in "$OUTSIDE"/*/run-dir; do
    [ -f "$note" ] || continue
    read -r run <"$note"
    [ -L "$run/postgres" ] || rm -rf "$(dirname "$note")"
  done
}

create_database() {
  as_admin -d postgres -c 'select 1' >/dev/null 2>&1 || return 0
  TARGET_DATABASE_PASSWORD=$(secret TARGET_DATABASE_PASSWORD) as_admin -d postgres -f "$ROOT/provisioning/postgres/init.sql" >/dev/null
}

# --- up ------------------------------------------------------------------------------------------------------------

# write_targets: writes what Prometheus scrapes of this stack, one file per job. A test adds and removes
# k6-<testid>.json.
write_targets() {
  local name job port target was
  while read -r name job; do
    port=$(port_of "$name")
    if [ -n "$port" ]; then
      target="[{ \"targets\": [\"127.0.0.1:$port\"] }]"
      if { read -r was <"$1/$job.json"; } 2>/dev/null && [ "$was" = "$target" ]; then continue; fi
      echo "$target" >"$1/$job.json.new"
      mv "$1/$job.json.new" "$1/$job.json"
    else
      rm -f "$1/$job.json"
    fi
  done <<'JOBS'
prometheus prometheus
node_exporter node
target_admin target
upstream upstream
postgres_exporter postgres
redis_exporter redis
JOBS
}

# provide_prometheus_config VERSION FILE: links the configuration. Prometheus 2 rejects fallback_scrape_protocol (it
# always falls back to the text format), so it gets a copy without that line.
provide_prometheus_config() {
  local config=$ROOT/provisioning/prometheus/prometheus.yml
  case $1 in
  2.*)
    rm -f "$2"
    sed '/^ *fallback_scrape_protocol:/d' "$config" >"$2"
    ;;
  *) ln -sfn "$config" "$2" ;;
  esac
}

# renew_web_configs: stops components whose password changed. They are started again with the rest.
renew_web_configs() {
  local name changed
  changed=$(write_web_configs node "$ROOT/scripts/web-config.ts")
  [ -n "$changed" ] || return 0
  for name in prometheus node_exporter postgres_exporter; do
    if process_of "$name" >/dev/null; then supervisor stop "$name" >/dev/null; fi
  done
}

# undo_up: after a failed `up`, stops only what that `up` started.
undo_up() {
  local code=$?
  [ "$code" -eq 0 ] && return
  if [ "$OWN_SUPERVISORD" = yes ]; then
    stop_supervisord
    rm -f "$RUN_DIR/stack.env"
  else
    local name
    for name in $(printf '%s\n' "${STARTED[@]}" | tac); do supervisor stop "$name" >/dev/null 2>&1 || true; done
  fi
  exit "$code"
}

running_natively() {
  local name
  ! process_of supervisord >/dev/null || echo supervisor
  for name in $(native_components); do ! process_of "$name" >/dev/null || echo "$name"; done
}

native_up() {
  local name wanted=() settings was wave pid
  # Components that are running already remain part of the stack.
  for name in $(native_components); do
    if [ -z "${1:-}" ] || is_component "$name" "$1" || process_of "$name" >/dev/null; then
      wanted+=("$name")
    fi
  done
  was=$(process_of target >/dev/null && stack_value TARGET_SETTINGS || true)
  settings=$(merge_settings "$was")

  # If everything is running, only the tools of the commands below are needed.
  local needs=node
  for name in "${wanted[@]}"; do process_of "$name" >/dev/null || needs=${1:-stack}; done
  "$ROOT/scripts/setup" "$needs"
  # A stack of an older version is restarted: its stores have no sockets, and its target uses the superuser's password.
  grep -qs ^TARGET_DATABASE_PASSWORD= "$RUN_DIR/secrets.env" || stop_supervisord
  make_secrets
  mkdir -p "$RUN_DIR"/{log,pids,redis,prometheus/data,prometheus/targets}
  chmod 700 "$RUN_DIR"/{log,pids,redis,prometheus}
  # Links, not copies: an edited rule takes effect at the next `up`. Prometheus resolves the paths of rules and targets
  # relative to its configuration.
  provide_prometheus_config "$(version_of prometheus "$(tool_path prometheus)")" "$RUN_DIR/prometheus/prometheus.yml"
  ln -sfn "$ROOT/provisioning/prometheus/rules" "$RUN_DIR/prometheus/rules"
  renew_web_configs

  STARTED=() OWN_SUPERVISORD=no
  trap undo_up EXIT
  trap 'exit 130' INT TERM
  process_of supervisord >/dev/null || end_leftovers
  write_stack_env native "$settings" "$(running_natively)" supervisor "${wanted[@]}"
  write_targets "$RUN_DIR/prometheus/targets"
  if [[ " ${wanted[*]} " == *' postgres '* ]]; then make_cluster; fi
  if ! process_of supervisord >/dev/null; then
    OWN_SUPERVISORD=yes
    # Left by tests that were killed together with the stack.
    rm -f "$RUN_DIR"/prometheus/targets/{k6-*,process-*,custom-*Z-????,custom-signals-*}.json
    start_supervisord
  fi
  if process_of target >/dev/null && [ "$settings" != "$was" ]; then
    say "restarting the target: ${settings:-its defaults} (was: ${was:-its defaults})"
    supervisor stop target >/dev/null
  fi
  # Not with supervisorctl, which would take a third of the time of an `up` that has nothing to do.
  if pid=$(process_of prometheus); then kill -s HUP "$pid"; fi
  for wave in 1 2; do
    # shellcheck disable=SC2046
    start_wave $(comm -12 <(native_components all $wave | sort) <(printf '%s\n' "${wanted[@]}" | sort))
  done
  trap - EXIT INT TERM
  native_status healthy
}

# --- the rest ------------------------------------------------------------------------------------------------------

# native_status [healthy]: prints a line per component. Returns 1 unless all components of the stack are up. `healthy`
# skips the checks, right after they passed.
native_status() {
  local name down=0
  status_head
  for name in $(native_components); do
    [ -n "$(port_of "$name")" ] || continue
    if [ "${1:-}" = healthy ] || healthy "$name"; then
      status_line "$name" up
    else
      status_line "$name" down
      down=1
    fi
  done
  if ! grafana_binary >/dev/null; then
    say 'Grafana is not installed here; with a grafana on the PATH it would be part of the stack.'
  fi
  return $down
}

native_down() {
  stop_supervisord
  rm -f "$RUN_DIR/stack.env"
}

native_clean() { remove_cluster; }

native_logs() {
  local name files=("$RUN_DIR"/log/*.log) follow=()
  if [ "${1:-}" = -f ]; then
    follow=(-F)
    shift
  fi
  if [ $# -gt 0 ]; then
    name=$(component_name "$1")
    files=("$RUN_DIR/log/$name.log")
  fi
  tail -n 50 "${follow[@]}" "${files[@]}"
}

native_ctl() {
  local name pid
  name=$(component_name "$2")
  case $1 in
  start)
    start_components "$name"
    ;;
  kill)
    # supervisord would restart it immediately, so supervisord must stop it, too.
    pid=$(process_of "$name") || die "$name does not run"
    kill -s KILL "$pid"
    supervisor stop "$name" >/dev/null || true
    wait_gone "$name" 5 || die "$name does not stay down"
    ;;
  *) supervisor "$1" "$name" >/dev/null ;;
  esac
}
