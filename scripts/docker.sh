# shellcheck shell=sh
# The stack in containers (docker-compose.yml), and every command in a container. POSIX sh. Sourced by scripts/lab.
#
# $RUN_DIR contains
#   secrets.env    readable by its owner only
#   compose.env    all variables of docker-compose.yml, as LAB_*, with secrets. The prefix excludes other variables
#   stack.env      the stack's addresses on this host; exists while the stack is up
#   provisioning/  a copy that every container's user can read, regardless of the caller's umask

SETTINGS='WORKERS POOL_SIZE CACHE_STRATEGY CACHE_TTL RATE_LIMIT_RPS SESSIONS SESSION_TIMEOUT COMPRESSION CONTENT RESOURCE_LIFETIME TARGET_FAULTS'
# Addresses and secrets: passed to a container by name if they are set. docker-compose.yml passes all others.
GIVEN='TARGET_URL TARGET_COMMAND TARGET_TOKEN TARGET_HEADERS TARGET_KEY_PASSWORD OAUTH_CLIENT_SECRET SECRET_SOURCE'
# Files that are mounted into the container at the same path as on this host.
FILES='WORKLOAD PAYLOAD TARGET_CERT TARGET_KEY TARGET_CA OAUTH_CLIENT_KEY'
# The default ports on this host. If a port is taken, the next free port is used from then on.
PORTS='POSTGRES_PORT=15432 REDIS_PORT=16379 PROMETHEUS_PORT=9090 GRAFANA_PORT=3000 TARGET_PORT=8000 TARGET_ADMIN_PORT=8002'
OBSERVE='prometheus node-exporter grafana'
REFERENCE='postgres redis upstream postgres-exporter redis-exporter target target-network target-namespace'

# Compose prefers its environment to --env-file: the caller's COMPOSE_PROJECT_NAME could make `down` remove another
# project's containers.
for name in $(env | sed -n -e 's/^\(COMPOSE_[A-Z_]*\)=.*/\1/p' -e 's/^\(LAB_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done

# compose ARGUMENT...: with become=exec, Compose replaces this process.
compose() { ${become:-} docker compose --project-directory "$ROOT" --file "$ROOT/docker-compose.yml" --env-file "$RUN_DIR/compose.env" "$@"; }

# compose_value NAME: prints a value of compose.env.
compose_value() { sed -n "s/^LAB_$1=//p" "$RUN_DIR/compose.env" 2>/dev/null | sed "s/^'\(.*\)'\$/\1/"; }

compose_project() { sed -n 's/^COMPOSE_PROJECT_NAME=//p' "$RUN_DIR/compose.env"; }

# --- the configuration of the containers -----------------------------------------------------------------------------

# mountable NAME PATH: fails if PATH cannot be mounted. Compose splits a mount at its colons.
mountable() { case $2 in *[\'\"\\:\$]* | *"
"*) usage "$1 is \"$2\"; valid: a path without quotes, backslashes, colons, dollar signs or line breaks" ;; esac; }

# own_run_dir: creates RUN_DIR, readable by its owner only, and marks it as a stack's folder.
own_run_dir() {
  check_run_dir
  mark_run_dir "$RUN_DIR"
}

# prepare: writes the files that Compose needs, once. Waits while another command starts or stops this stack.
prepare() {
  [ -z "${PROJECT:-}" ] || return 0
  lock
  RESULTS=$(absolute "${RESULTS_DIR:-$ROOT/results}")
  mountable RUN_DIR "$RUN_DIR"
  mountable RESULTS_DIR "$RESULTS"
  mountable 'the folder of this project' "$ROOT"
  own_run_dir
  # Created here, because folders created by the engine would belong to root.
  mkdir -p "$RUN_DIR/prometheus/targets" "$RUN_DIR/loaded" "$RESULTS"
  make_secrets
  # Each RUN_DIR has its own containers, volumes and images.
  number=$(printf %s "$RUN_DIR" | cksum | cut -d' ' -f1)
  [ -n "$number" ] || die 'cksum is missing; install it, it is a POSIX utility'
  PROJECT=mcp-load-lab-$number
  read_provisioning
  write_compose_env "$(compose_value CONTAINERS)"
  unlock
}

read_provisioning() {
  mkdir -p "$RUN_DIR/provisioning"
  cp -R "$ROOT/provisioning/." "$RUN_DIR/provisioning"
  chmod -R a+rX "$RUN_DIR/provisioning"
  PROVISIONING_SUM=$(find "$ROOT/provisioning" -type f | sort | while read -r file; do cksum <"$file"; done | cksum | cut -d' ' -f1)
}

# setting NAME: prints the caller's value, or else the running target's value; `default` resets the setting.
setting() {
  eval "value=\${$1:-}"
  if [ -z "$value" ] && [ -f "$RUN_DIR/stack.env" ]; then value=$(compose_value "$1"); fi
  [ "$value" = default ] || printf '%s' "$value"
}

# check_settings: fails unless every setting is a word and TARGET_FAULTS is JSON.
check_settings() {
  for name in $SETTINGS; do
    eval "value=\${$name:-}"
    if [ "$name" = TARGET_FAULTS ]; then
      value=$(printf %s "$value" | tr -d ' \t\n')
      TARGET_FAULTS=$value
      case $value in '' | default | "{"*"}") ;; *) value="'" ;; esac
      # shellcheck disable=SC1083
      case $value in *[!A-Za-z0-9._:,\"{}-]*) usage "TARGET_FAULTS is \"$TARGET_FAULTS\"; valid: a JSON object of numbers by name" ;; esac
    else
      case $value in *[!A-Za-z0-9._-]*) usage "$name is \"$value\"; valid: a word or a number" ;; esac
    fi
  done
}

# write_compose_env CONTAINERS: writes compose.env.
write_compose_env() {
  check_settings
  commit='' dirty=''
  if commit=$(git -C "$ROOT" rev-parse HEAD 2>/dev/null); then
    if [ -n "$(git -C "$ROOT" status --porcelain 2>/dev/null)" ]; then dirty=yes; fi
  fi
  (
    umask 077
    {
      echo '# Written by scripts/docker.sh: the variables of docker-compose.yml. Contains secrets.'
      echo "COMPOSE_PROJECT_NAME=$PROJECT"
      echo "LAB_RUN_DIR='$RUN_DIR'"
      echo "LAB_PROVISIONING='$RUN_DIR/provisioning'"
      echo "LAB_PROVISIONING_SUM=$PROVISIONING_SUM"
      echo "LAB_RESULTS_DIR='$RESULTS'"
      echo "LAB_USER=$(id -u):$(id -g)"
      echo "LAB_GIT_COMMIT=$commit"
      echo "LAB_GIT_DIRTY=$dirty"
      sed -n 's/^\([A-Z_]*=\)/LAB_\1/p' "$RUN_DIR/secrets.env"
      echo "LAB_CONTAINERS='$1'"
      for port in $PORTS; do
        kept=$(compose_value "${port%=*}")
        echo "LAB_${port%=*}=${kept:-${port#*=}}"
      done
      echo "LAB_TARGET_IMAGE=${IMAGE:-}"
      echo "LAB_GRAFANA_URL=$(stack_value GRAFANA_URL)"
      for name in WATCHED WATCHED_NAME WATCHED_USER WATCHED_ADDRESS WATCHED_PROCESSES RELAY; do
        eval "value=\${$name:-}"
        echo "LAB_$name=${value:-$(compose_value $name)}"
      done
      settings=''
      for name in $SETTINGS; do
        value=$(setting "$name")
        [ -n "$value" ] || continue
        echo "LAB_$name='$value'"
        settings="$settings${settings:+ }$name=$value"
      done
      echo "LAB_TARGET_SETTINGS='$settings'"
    } >"$RUN_DIR/compose.env.new"
    mv "$RUN_DIR/compose.env.new" "$RUN_DIR/compose.env"
  )
}

# build SERVICE...: builds the images from the current checkout, so that an outdated image is never used. The build is
# quick if nothing changed.
build() {
  for image in "$@"; do
    docker image inspect "localhost/mcp-load-lab/$image:$PROJECT" >/dev/null 2>&1 && continue
    say 'building the images (once) ...'
    compose --profile lab build "$@" >&2 || die "an image could not be built; see Docker's output above"
    return
  done
  log=$(compose --profile lab build --quiet "$@" 2>&1) || die "an image could not be built:
$log"
  remove_replaced_images
}

# remove_replaced_images: a new build takes over the image's tag and leaves the old image untagged (600 MB).
remove_replaced_images() { docker image prune --force --filter "label=com.docker.compose.project=$PROJECT" >/dev/null 2>&1 || true; }

# --- up and down -----------------------------------------------------------------------------------------------------

# process PID: prints the PID and the start time, which identify a process even if the PID is reused; prints nothing if
# the process does not exist.
process() {
  since=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20)
  [ -n "$since" ] || since=$(ps -o lstart= -p "$1" 2>/dev/null | tr -s ' ' _)
  [ -z "$since" ] || echo "$1 $since"
}

# lock: allows one `up` or `down` of a stack at a time. The lock is a symbolic link to the name of its process.
lock() {
  own_run_dir
  waited=0
  until ln -s "$(process $$)" "$RUN_DIR/lock" 2>/dev/null; do
    holder=$(readlink "$RUN_DIR/lock" 2>/dev/null || true)
    if [ -n "$holder" ] && [ "$(process "${holder%% *}")" != "$holder" ]; then rm -f "$RUN_DIR/lock"; continue; fi
    [ $waited -gt 0 ] || say "waiting for another up or down to finish (process ${holder%% *}, $RUN_DIR/lock) ..."
    [ $waited -lt 900 ] || die "another up or down did not finish in 15 minutes: process ${holder%% *}, $RUN_DIR/lock"
    waited=$((waited + 1))
    sleep 1
  done
  trap unlock EXIT
}
unlock() {
  if [ "$(readlink "$RUN_DIR/lock" 2>/dev/null)" = "$(process $$)" ]; then rm -f "$RUN_DIR/lock"; fi
  trap - EXIT
}

running() { compose ps --services --status running; }

# password_files: writes the files that containers read, each as a different user. They are world-readable, in folders
# that only their owner can enter.
password_files() {
  mkdir -p "$RUN_DIR/redis"
  chmod 700 "$RUN_DIR/redis" "$RUN_DIR/prometheus"
  printf '{"redis://redis:6379":"%s"}' "$(secret REDIS_PASSWORD)" >"$RUN_DIR/redis/passwords.json"
  # The image creates the bcrypt hashes: a host may have no tool for it.
  write_web_configs docker run --rm --pull never --network none --read-only --cap-drop ALL --env PASSWORD \
    "localhost/mcp-load-lab/lab:$PROJECT" node scripts/web-config.ts >/dev/null
  chmod a+r "$RUN_DIR/redis/passwords.json" "$RUN_DIR"/prometheus/*.web.yml "$RUN_DIR"/prometheus/*.password
}

# address SERVICE PORT: prints the address at which the port is published on this host.
address() { compose port "$1" "$2" 2>/dev/null | sed -n 1p; }

# write_stack_env: writes stack.env after `up`.
write_stack_env() {
  target=$(address target-namespace 8000) admin=$(address target-namespace 8002) prometheus=$(address prometheus 9090) grafana=$(address grafana 3000)
  {
    echo '# Written by scripts/docker.sh: the addresses of the stack. Contains no secrets.'
    echo STACK=docker
    echo "TARGET_URL=${target:+http://$target/mcp}"
    echo "TARGET_METRICS_URL=${admin:+http://$admin/metrics}"
    echo "TARGET_ADMIN_PORT=${admin##*:}"
    echo "PROMETHEUS_URL=http://$prometheus"
    echo "PROMETHEUS_PORT=${prometheus##*:}"
    echo "GRAFANA_URL=http://$grafana"
    echo 'UPSTREAM_URL='
    echo "TARGET_SETTINGS='$(compose_value TARGET_SETTINGS)'"
  } >"$RUN_DIR/stack.env.new"
  mv "$RUN_DIR/stack.env.new" "$RUN_DIR/stack.env"
}

stack_up() {
  case ${1:-} in '' | observe) ;; *) usage "SERVICES is \"$1\"; valid: observe" ;; esac
  was=$(stack_value STACK)
  [ "${was:-docker}" = docker ] || die "a $was stack is up; stop it first with: make down STACK=$was"
  prepare
  lock
  before=$(running)
  images=lab services=$OBSERVE
  if [ -z "${1:-}" ]; then images='lab target' services="$OBSERVE $REFERENCE"; fi
  # If this `up` fails, the containers that it started are removed. Containers that were already running stay.
  started=''
  for part in $services; do
    among "$part" "$before" || started="$started $part"
  done
  trap 'undo_up; say interrupted; leave 130' INT TERM HUP
  trap 'undo_up; unlock' EXIT
  # shellcheck disable=SC2086
  build $images
  password_files
  cp "$ROOT"/provisioning/prometheus/targets-docker/*.json "$RUN_DIR/prometheus/targets/"
  chmod a+rX "$RUN_DIR/prometheus/targets" "$RUN_DIR"/prometheus/targets/*.json
  if [ -z "${1:-}" ] && [ ! -e "$RUN_DIR/database-ready" ]; then
    # An interrupted `up` left an incomplete database.
    compose rm --stop --force postgres >/dev/null 2>&1 || true
    docker volume rm "${PROJECT}_postgres" >/dev/null 2>&1 || true
  fi
  # shellcheck disable=SC2086
  if ! docker image inspect $(compose config --images $services) >/dev/null 2>&1; then
    say 'pulling the images (once) ...'
    compose pull --policy missing $services >&2 || die "an image could not be pulled; see Docker's output above"
  fi
  say 'starting the stack ...'
  until compose_up; do
    # Not every host has a command that lists the ports in use, so the port is read from the engine's error.
    taken=$(compose ps --all --quiet | xargs docker inspect --format '{{.State.Error}}' 2>/dev/null |
      sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*already .*/\1/p' | sed -n 1p)
    variable=$(sed -n "s/^\(LAB_[A-Z_]*_PORT\)=${taken:-none}\$/\1/p" "$RUN_DIR/compose.env")
    [ -n "$variable" ] || up_failed
    next=$((taken + 1))
    # Skip the other ports of this stack.
    while grep -q "_PORT=$next\$" "$RUN_DIR/compose.env"; do next=$((next + 1)); done
    say "port $taken is taken; trying $next ..."
    (umask 077 && sed "s/^$variable=.*/$variable=$next/" "$RUN_DIR/compose.env" >"$RUN_DIR/compose.env.new")
    mv "$RUN_DIR/compose.env.new" "$RUN_DIR/compose.env"
  done
  if [ -z "${1:-}" ]; then : >"$RUN_DIR/database-ready"; fi
  trap - INT TERM HUP
  trap unlock EXIT
  write_stack_env
  write_compose_env "$(compose ps --format '{{.Service}}={{.ID}}' | tr '\n' ' ')"
  unlock
}

# is_program: checks that the server under test is a command or an image, not a URL.
is_program() { [ -n "${TARGET_COMMAND:-}${TARGET_IMAGE:-}" ]; }

# check_program: checks TARGET_COMMAND and the variables that depend on it. Sets `foreign`.
check_program() {
  is_program || return 0
  for name in TARGET_URL TARGET_CONTAINER; do
    eval "value=\${$name:-}"
    [ -z "$value" ] || usage "$name cannot be combined with TARGET_COMMAND or TARGET_IMAGE; unset one of them"
  done
  case ${TARGET_IMAGE:-} in *[!A-Za-z0-9_.:/@-]* | [!A-Za-z0-9]*) usage "TARGET_IMAGE is \"$(shown "$TARGET_IMAGE")\"; valid: an image name" ;; esac
  for name in $(printf %s "${TARGET_ENV:-}" | tr , ' '); do
    case $name in *[!A-Za-z0-9_]* | [0-9]*) usage "TARGET_ENV is \"$(shown "$TARGET_ENV")\"; valid: names of set variables, separated by commas" ;; esac
    GIVEN="$GIVEN $name"
  done
  foreign=yes
}

# start_program: starts the container for TARGET_COMMAND, which runs until `down` or until the next program starts.
# Without a command, the container runs the image's own command.
start_program() {
  lock
  # With a tag, the name cannot be mistaken for a stage of the Dockerfile.
  IMAGE=${TARGET_IMAGE:-}
  case ${IMAGE##*/} in '' | *[:@]*) ;; *) IMAGE=$IMAGE:latest ;; esac
  [ -z "$IMAGE" ] || docker image inspect "$IMAGE" >/dev/null 2>&1 || docker pull "$IMAGE" >&2 ||
    usage "TARGET_IMAGE is \"$TARGET_IMAGE\", which is not available locally and cannot be pulled; valid: an image name"
  leave_watched
  WATCHED='' WATCHED_NAME=target
  write_compose_env "$(compose_value CONTAINERS)"
  build program
  if [ -z "${TARGET_COMMAND:-}" ]; then
    words='{{range .Config.Entrypoint}}{{printf "%q " .}}{{end}}{{range .Config.Cmd}}{{printf "%q " .}}{{end}}'
    TARGET_COMMAND=$(docker image inspect --format "$words" "localhost/mcp-load-lab/program:$PROJECT" |
      sed -e 's/"\([A-Za-z0-9_.,:=@%+/-]*\)"/\1/g' -e 's/ $//')
    [ -n "$TARGET_COMMAND" ] || usage "TARGET_IMAGE is \"$TARGET_IMAGE\", which does not define a command; set TARGET_COMMAND"
  fi
  services=program
  compose --progress quiet up --detach --wait --wait-timeout 60 --no-deps --force-recreate program >"$RUN_DIR/up.log" 2>&1 || up_failed
  WATCHED=$(compose ps --quiet program) WATCHED_PROCESSES=-generator=1
  OPTIONS="$OPTIONS --env STDIO_RUNNER=/programs/socket --volume ${PROJECT}_programs:/programs"
  set_watched_user
  write_compose_env "$(compose_value CONTAINERS)program=$WATCHED"
  unlock
}

# set_watched_user: the numeric user ID on the engine's machine, because the image's user may be a name that only its
# own files define.
set_watched_user() { WATCHED_USER=$(docker top "$WATCHED" -eo pid,uid,gid | awk 'NR == 2 { print $2 ":" $3 }'); }

# find_watched: sets the container that TARGET_CONTAINER names, and stops watching the previous container.
find_watched() {
  WATCHED=''
  case $TARGET_CONTAINER in
  *[!A-Za-z0-9_.-]* | -*) ;;
  *) WATCHED=$(docker container inspect --format '{{if .State.Running}}{{.Id}}{{end}}' "$TARGET_CONTAINER" 2>/dev/null || true) ;;
  esac
  [ -n "$WATCHED" ] || usage "TARGET_CONTAINER is \"$(shown "$TARGET_CONTAINER")\"; valid: the name of a running container"
  WATCHED_NAME=$TARGET_CONTAINER WATCHED_PROCESSES=-pid=1
  set_watched_user
  lock
  leave_watched
  write_compose_env "$(compose_value CONTAINERS)"
  unlock
}

# watch_container: runs the exporter in the container's namespaces, until `down` or until another container is watched.
watch_container() {
  lock
  build exporter
  docker network connect --alias watched "${PROJECT}_watched" "$WATCHED"
  WATCHED_ADDRESS=$(docker inspect --format "{{(index .NetworkSettings.Networks \"${PROJECT}_watched\").IPAddress}}" "$WATCHED")
  write_compose_env "$(compose_value CONTAINERS)"
  compose --progress quiet up --detach --wait --wait-timeout 60 --no-deps --force-recreate exporter >"$RUN_DIR/up.log" 2>&1 || {
    services=exporter
    leave_watched
    up_failed
  }
  unlock
}

# leave_watched: disconnects the watched container from this stack's network.
leave_watched() {
  was=$(compose_value WATCHED)
  [ -z "$was" ] || docker network disconnect "$(compose_project)_watched" "$was" >/dev/null 2>&1 || true
}

# compose_up: shows Compose's progress on a terminal; otherwise its output goes to a file.
compose_up() {
  set -- up --detach --wait --wait-timeout 240
  # shellcheck disable=SC2086
  if [ -t 2 ]; then compose "$@" $services >&2; else compose --progress quiet "$@" $services >"$RUN_DIR/up.log" 2>&1; fi
}

up_failed() {
  [ -t 2 ] || cat "$RUN_DIR/up.log" >&2
  for part in $services; do
    state=$(compose ps --all --format '{{.State}} {{.Health}}' "$part" 2>/dev/null || true)
    [ "$state" != 'running healthy' ] || continue
    say "--- last lines of the log of $part"
    compose logs --no-log-prefix --tail 10 "$part" >&2 || true
    say "error: $part is ${state:-missing}"
  done
  leave 1
}

# undo_up: idempotent, because both the signal handler and the exit handler call it.
undo_up() {
  trap '' INT TERM HUP
  if [ -z "$before" ]; then
    compose --progress quiet down --timeout 10 --remove-orphans >/dev/null 2>&1 || true
    rm -f "$RUN_DIR/stack.env"
  elif [ -n "$started" ]; then
    # shellcheck disable=SC2086
    compose rm --stop --force $started >/dev/null 2>&1 || true
  fi
  unlock
}

stack_status() {
  [ -f "$RUN_DIR/stack.env" ] || { say 'no stack is up; start one with: make up'; leave 1; }
  down=0
  states=$(compose ps --all --format '{{.Service}} {{.Health}}')
  printf '%-18s %-5s %s\n' COMPONENT STATE ADDRESS
  for part in $OBSERVE $REFERENCE; do
    case $part in
    prometheus) at=$(stack_value PROMETHEUS_URL)"  user lab; the password is PROMETHEUS_PASSWORD in $RUN_DIR/secrets.env" ;;
    grafana) at=$(stack_value GRAFANA_URL)"  user admin; the password is GRAFANA_ADMIN_PASSWORD in $RUN_DIR/secrets.env" ;;
    target) at="$(stack_value TARGET_URL)  $(stack_value TARGET_SETTINGS)" ;;
    postgres) at=$(address postgres 5432) ;;
    redis) at=$(address redis 6379) ;;
    *) at='in the containers'\'' network' ;;
    esac
    case "
$states
" in
    *"
$part healthy
"*) printf '%-18s %-5s %s\n' "$part" up "$at" ;;
    *"
$part "*) printf '%-18s %-5s %s\n' "$part" down "$at"; down=1 ;;
    # A stack started with `up observe` has no other components.
    *) if among "$part" "$OBSERVE"; then printf '%-18s %-5s %s\n' "$part" down "$at"; down=1; fi ;;
    esac
  done
  return $down
}

stack_down() {
  [ -f "$RUN_DIR/compose.env" ] || { say 'no stack is up'; return 0; }
  lock
  leave_watched
  # The target stops first: it writes its pending changes to PostgreSQL and Redis.
  compose --progress quiet stop --timeout 30 target || true
  compose --progress quiet --profile '*' down --timeout 30 --remove-orphans "$@" || die "the stack did not stop; see Docker's output above"
  rm -f "$RUN_DIR/stack.env"
  unlock
}

stack_clean() {
  check_run_dir
  run_dir_is_marked "$RUN_DIR" || return 0
  if [ -f "$RUN_DIR/compose.env" ]; then
    docker_answers || die "Docker does not respond, so the stack's data of $RUN_DIR cannot be removed; start Docker, or remove $RUN_DIR/compose.env to keep the data"
    stack_down --volumes
    PROJECT=$(compose_project)
    for image in target lab exporter program; do docker image rm "localhost/mcp-load-lab/$image:$PROJECT" >/dev/null 2>&1 || true; done
    remove_replaced_images
    rm -f "$RUN_DIR/compose.env"
  fi
  # RUN_DIR may also contain a native stack.
  if [ -d "$RUN_DIR/pids" ]; then
    STACK=native
    export STACK
    on_host clean
  fi
  left=$(remove_run_dir "$RUN_DIR")
  [ -z "$left" ] || say "$RUN_DIR stays, with what is not the stack's: $left"
}

stack_logs() {
  follow='' services=''
  for argument in "$@"; do
    if [ "$argument" = -f ]; then follow=--follow; continue; fi
    part=$(printf %s "$argument" | tr _ -)
    among "$part" "$OBSERVE $REFERENCE" || usage "COMPONENT is \"$argument\"; valid: $OBSERVE $REFERENCE"
    services=$part
  done
  [ -f "$RUN_DIR/compose.env" ] || die 'no stack has been started here; start one with: make up'
  # shellcheck disable=SC2086
  become=exec compose logs --tail 50 $follow $services
}

# --- a command in a container ----------------------------------------------------------------------------------------

# take_words NAME=value...: exports the variables that the command accepts; fails on any other name.
take_words() {
  names="$(sed -n '/^x-lab:/,/^x-test:/s/^    \([A-Z0-9_]*\):$/\1/p' "$ROOT/docker-compose.yml") $GIVEN $FILES $SETTINGS STACK RUN_DIR RESULTS_DIR ${OWN_WORDS:-}"
  for word in "$@"; do
    name=${word%%=*}
    case $word in *=*) ;; *) name='' ;; esac
    # The value is not printed: it may be a secret given under a mistyped name.
    among "$name" "$names" || usage "got \"$(printf '%s' "${word%%=*}" | cut -c 1-80)\"; valid: NAME=value with one of these names: $(listed "$names")"
    export "${word?}"
  done
}

# loopback URL: checks that the URL is on this host's loopback interface.
loopback() { case $1 in http://127.*.*.*[:/]* | https://127.*.*.*[:/]* | http*://localhost[:/]* | http*://\[::1\]*) return 0 ;; *) return 1 ;; esac; }

# desktop: checks that Docker's engine runs in a virtual machine, where this host's loopback services are at
# host.docker.internal.
desktop() { [ "$(uname -s)" != Linux ] || case $(docker info --format '{{.OperatingSystem}}' 2>/dev/null) in *Desktop*) return 0 ;; *) return 1 ;; esac; }

# inside TEXT: replaces loopback addresses of this host with the name that containers use.
inside() { printf %s "$1" | sed -E 's#(^|,|//)(127\.[0-9.]+|localhost|\[::1\])(:|/|,|$)#\1host.docker.internal\3#g'; }

# loopback_addresses LIST: prints the loopback addresses in the list as host:port, separated by commas.
loopback_addresses() {
  host='(127\.[0-9.]+|localhost|\[::1\])'
  printf '%s' "$1" | tr ',' '\n' | sed -nE -e "s%^ *(https?://)?$host:([0-9]+)([/?#].*)?\$%\2:\3%p" \
    -e "s%^ *https://$host([/?#].*)?\$%\1:443%p" -e "s%^ *(http://)?$host([/?#].*)?\$%\2:80%p" | sort -u | tr '\n' ',' | sed 's/,$//'
}

# relay_metrics: makes TARGET_METRICS on this host's loopback interface reachable from Prometheus's container at the
# same address, until `down` or the next relay.
relay_metrics() {
  [ -n "$RELAY" ] || return 0
  lock
  (umask 077 && mkdir -p "$RUN_DIR/relay")
  write_compose_env "$(compose_value CONTAINERS)"
  services='metrics-relay-host metrics-relay'
  # shellcheck disable=SC2086
  compose --progress quiet up --detach --wait --wait-timeout 60 --no-deps --force-recreate $services >"$RUN_DIR/up.log" 2>&1 || up_failed
  unlock
}

# aim: resolves the addresses of the server under test. Sets `foreign` and RELAY (addresses for relay_metrics), and
# `service` if k6 must share this host's network.
aim() {
  foreign=''
  check_program
  if [ -z "${TARGET_URL:-}" ] || [ "$TARGET_URL" = "$(stack_value TARGET_URL)" ]; then
    unset TARGET_URL
  else
    foreign=yes
    if loopback "$TARGET_URL"; then
      if desktop; then TARGET_URL=$(inside "$TARGET_URL"); else service=lab-loopback; fi
    fi
  fi
  if [ -n "${TARGET_METRICS:-}" ]; then
    if desktop; then TARGET_METRICS=$(inside "$TARGET_METRICS"); else RELAY=$(loopback_addresses "$TARGET_METRICS"); fi
  fi
  if [ "$service" != lab-loopback ] && [ -n "${OAUTH_TOKEN_URL:-}" ]; then OAUTH_TOKEN_URL=$(inside "$OAUTH_TOKEN_URL"); fi
  export TARGET_METRICS OAUTH_TOKEN_URL
}

# in_container COMMAND ARGUMENT...: replaces this process with the command in a container of `service`, in the foreground,
# so that Ctrl-C reaches the command.
in_container() {
  set -- "$service" "$@"
  for name in $GIVEN by_make; do
    eval "value=\${$name:-}"
    if [ -n "$value" ]; then export "${name?}"; set -- --env "$name" "$@"; fi
  done
  for name in $FILES; do
    eval "value=\${$name:-}"
    [ -n "$value" ] || continue
    [ -f "$value" ] && [ -r "$value" ] || usage "$name is \"$value\", which can't be read; valid: the path of a file"
    path=$(absolute "$value")
    mountable "$name" "$path"
    # The image contains the project's workloads, with the files that they import.
    case $path in
    "$ROOT"/workloads/*) export "$name=/opt/mcp-load-lab${path#"$ROOT"}" ;;
    *) export "$name=$path"; set -- --volume "$path:$path:ro" "$@" ;;
    esac
    set -- --env "$name" "$@"
  done
  case ${SECRET_SOURCE:-} in file=*)
    path=$(absolute "${SECRET_SOURCE#file=}")
    [ -r "$path" ] || usage "SECRET_SOURCE is \"$SECRET_SOURCE\", which can't be read; valid: file=PATH of a file with NAME=value lines"
    mountable SECRET_SOURCE "$path"
    SECRET_SOURCE=file=$path
    set -- --volume "$path:$path:ro" "$@"
    ;;
  esac
  while [ -n "$MOUNTS" ]; do
    path=${MOUNTS%%
*} MOUNTS=${MOUNTS#*
}
    set -- --volume "$path:$path" "$@"
  done
  [ -t 0 ] && [ -t 1 ] || set -- --no-TTY "$@"
  # shellcheck disable=SC2086
  become=exec compose --progress quiet --profile '*' run --rm --no-deps $OPTIONS "$@"
}

# in_program COMMAND ARGUMENT...: like in_container, for commands that send no load. It also runs the container of
# TARGET_COMMAND and removes it afterwards.
in_program() {
  start_program
  trap 'compose rm --stop --force program >/dev/null 2>&1' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  code=0
  (in_container "$@") || code=$?
  exit "$code"
}

# tests: prints the names of all tests. container_tests: only those that do not stop or restart components of the stack.
tests() { (cd "$ROOT/scenarios" && for file in *; do echo "${file%.js}"; done); }
container_tests() { sed -n 's/^  \([a-z-]*\): { <<: \*test, .*/\1/p' "$ROOT/docker-compose.yml"; }

# shown TEXT: prints the beginning of the user's input, for a message.
shown() { printf %s "$1" | tr -cd ' -~' | cut -c 1-80; }

# among WORD LIST: checks that the list contains WORD. listed LIST: prints the list with commas.
among() { case " $(echo $2) " in *" ${1:-?} "*) return 0 ;; *) return 1 ;; esac; }
listed() { echo $1 | sed 's/ /, /g'; }

run_test() {
  service=${1:-}
  among "$service" "$(tests)" || usage "the test is \"$(shown "$service")\"; valid: $(listed "$(tests)")"
  shift
  take_words "$@"
  test=$service
  among "$test" "$(container_tests)" ||
    usage "the test $test starts and stops parts of the stack, which only the native stack supports; run STACK=native make $test, or one of $(listed "$(container_tests)")"
  prepare
  aim
  if [ -n "$foreign" ] && [ -n "${TARGET_CONTAINER:-}" ]; then find_watched; fi
  if [ "${DRY_RUN:-0}" = 1 ]; then
    build lab
    [ "$service" = lab-loopback ] || service=lab
    without_target
    if is_program; then in_program scripts/run "$test"; fi
    in_container scripts/run "$test"
  fi
  if [ -n "$foreign" ] && [ -z "${TARGET_CONTAINER:-}" ] && ! is_program; then
    say "the server's processes are not watched, because they are not visible from a container; set TARGET_CONTAINER for a server in a container, or STACK=native for a server on this host"
  fi
  if [ -z "$foreign" ]; then check_first "$test"; fi
  if [ -n "$foreign" ]; then stack_up observe; else stack_up; fi
  if is_program; then start_program; fi
  if [ -n "${WATCHED:-}" ]; then watch_container; fi
  relay_metrics
  in_container scripts/run "$test"
}

# without_target: clears the address of the reference target if it is not running.
without_target() { if [ -z "$(address target-namespace 8000)" ]; then OPTIONS="$OPTIONS --env REFERENCE_URL="; fi; }

# check_first TEST: reports invalid variables before anything is started.
check_first() {
  [ -z "$(stack_value STACK)" ] || return 0
  build lab
  (service=lab OPTIONS='--env CHECK_ONLY=1' in_container scripts/run "$1") || exit
}

# --- the other commands ----------------------------------------------------------------------------------------------

# mount_paths LIST: prints the comma-separated list with absolute paths, and mounts the items that are paths of this
# host.
mount_paths() {
  list=''
  rest=$1,
  while [ -n "$rest" ]; do
    item=${rest%%,*} rest=${rest#*,}
    if [ -e "$item" ]; then
      item=$(absolute "$item")
      mountable 'a path' "$item"
      MOUNTS="$MOUNTS$item
"
    fi
    list="$list${list:+,}$item"
  done
}

# in_lab WORD...: runs a command that takes its variables as NAME=value words or from the environment.
in_lab() {
  prepare
  build lab
  case $command in
  report)
    mount_paths "${1:-${RUN:-latest}}"
    in_container scripts/report "$list"
    ;;
  workload-init | list | signals)
    OWN_WORDS=FORMAT take_words "$@"
    if [ "${TARGET_URL:-}" = "$(stack_value TARGET_URL)" ]; then
      TARGET_URL=${TARGET_URL:+http://target:8000/mcp}
      TARGET_TOKEN=$(secret TARGET_TOKEN)
    else
      aim
    fi
    ;;
  esac
  case $command in
  signals)
    [ -n "$(stack_value STACK)" ] || stack_up observe
    without_target
    relay_metrics
    [ -z "$RELAY" ] || service=lab-loopback
    OPTIONS="$OPTIONS --env FORMAT"
    export FORMAT
    in_container scripts/signals
    ;;
  list)
    if is_program; then in_program scripts/list; fi
    in_container scripts/list
    ;;
  workload-init)
    folder=$ROOT/workloads file=${WORKLOAD:-}
    if [ -n "$file" ]; then file=$(absolute "$file") folder=$(dirname "$file"); fi
    [ -d "$folder" ] || usage "WORKLOAD is \"$WORKLOAD\"; valid: a path in an existing folder"
    mountable WORKLOAD "$folder"
    MOUNTS="$folder
" WORKLOAD=''
    OPTIONS="$OPTIONS --env WORKLOADS_DIR"
    WORKLOADS_DIR=$folder
    export WORKLOADS_DIR
    if is_program; then in_program scripts/workload-init ${file:+"WORKLOAD=$file"}; fi
    in_container scripts/workload-init ${file:+"WORKLOAD=$file"}
    ;;
  esac
  BASELINES_DIR=$(absolute "${BASELINES_DIR:-$ROOT/baselines}")
  mkdir -p "$BASELINES_DIR"
  mountable BASELINES_DIR "$BASELINES_DIR"
  MOUNTS="$BASELINES_DIR
"
  for name in BASELINES_DIR BASE HEAD METRICS NAME MIN_EFFECT OPERATIONS INCLUDE_FAILED ALLOW_SINGLE_RUN; do
    eval "value=\${$name:-}"
    [ -z "$value" ] || set -- "$name=$value" "$@"
  done
  for word in "$@"; do
    shift
    case $word in
    BASE=* | HEAD=*) mount_paths "${word#*=}"; set -- "$@" "${word%%=*}=$list" ;;
    RESULTS_DIR=* | STACK=* | RUN_DIR=*) ;;
    *) set -- "$@" "$word" ;;
    esac
  done
  in_container "scripts/$command" "$@"
}

# live_page WORD...: publishes the page on this host's loopback interface only. In the container it listens on all
# interfaces.
live_page() {
  prepare
  build lab
  OWN_WORDS='RUN PORT' take_words "$@"
  PORT=${PORT:-3001}
  case $PORT in *[!0-9]*) usage "PORT is \"$PORT\"; valid: a port, 1 to 65535" ;; esac
  mount_paths "${RUN:-}"
  OPTIONS="$OPTIONS --publish 127.0.0.1:$PORT:$PORT --env LIVE_LISTEN_HOST=0.0.0.0"
  in_container scripts/live "PORT=$PORT" ${list:+"RUN=$list"}
}

docker_main() {
  service=lab MOUNTS='' OPTIONS='' RELAY=''
  case $command in
  run) run_test "$@" ;;
  up)
    stack_up "$@"
    stack_status
    if [ -t 1 ]; then printf '\nGrafana: %s  user admin  password %s\n' "$(stack_value GRAFANA_URL)" "$(secret GRAFANA_ADMIN_PASSWORD)"; fi
    ;;
  down)
    stack_down
    say "the stack is down and its data is kept; make clean removes the data"
    ;;
  status) stack_status ;;
  logs) stack_logs "$@" ;;
  clean) stack_clean ;;
  compare-ab | gateway) usage "$command starts and stops parts of the stack, which only the native stack supports; set STACK=native" ;;
  dashboards)
    [ -n "$(stack_value STACK)" ] || stack_up observe
    prepare
    build lab
    page=$(in_container scripts/dashboards </dev/null) || exit
    say "$page  Grafana; to edit, log in as admin with the GRAFANA_ADMIN_PASSWORD in $RUN_DIR/secrets.env"
    ;;
  live) live_page "$@" ;;
  report | compare | baseline-save | signals | workload-init | list) in_lab "$@" ;;
  *) usage "the command is \"$command\"; valid: run, report, compare, baseline-save, signals, workload-init, list, up, down, status, logs, clean, dashboards, live, ci" ;;
  esac
}
