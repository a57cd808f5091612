# shellcheck shell=sh
# The stack in containers, by docker-compose.yml, and every command in one of them. POSIX sh. Sourced by scripts/lab.
#
# $RUN_DIR has
#   secrets.env    readable by its owner alone
#   compose.env    all that docker-compose.yml takes, as LAB_*: a variable of the caller's never gets in by its name. With secrets
#   stack.env      where the parts of the stack are, for who asks on this host; there while it is up
#   provisioning/  a copy that every container's user can read, whatever the caller's umask

SETTINGS='WORKERS POOL_SIZE CACHE_STRATEGY CACHE_TTL RATE_LIMIT_RPS SESSIONS SESSION_TIMEOUT COMPRESSION CONTENT RESOURCE_LIFETIME TARGET_FAULTS'
# Given to a container by name where they are set: addresses and secrets. All others are in docker-compose.yml.
GIVEN='TARGET_URL TARGET_COMMAND TARGET_TOKEN TARGET_HEADERS TARGET_KEY_PASSWORD OAUTH_CLIENT_SECRET SECRET_SOURCE'
# Files that a container gets to read, at the path that they have here.
FILES='WORKLOAD PAYLOAD TARGET_CERT TARGET_KEY TARGET_CA OAUTH_CLIENT_KEY'
# The usual ports on this host. A taken one makes it the next free one, and that is kept.
PORTS='POSTGRES_PORT=15432 REDIS_PORT=16379 PROMETHEUS_PORT=9090 GRAFANA_PORT=3000 TARGET_PORT=8000 TARGET_ADMIN_PORT=8002'
OBSERVE='prometheus node-exporter grafana'
REFERENCE='postgres redis upstream postgres-exporter redis-exporter target target-network target-namespace'

# Compose prefers its environment to --env-file: the caller's COMPOSE_PROJECT_NAME would make `down` remove somebody else's containers.
for name in $(env | sed -n -e 's/^\(COMPOSE_[A-Z_]*\)=.*/\1/p' -e 's/^\(LAB_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done

# become=exec compose ...: this becomes it.
compose() { ${become:-} docker compose --project-directory "$ROOT" --file "$ROOT/docker-compose.yml" --env-file "$RUN_DIR/compose.env" "$@"; }

# compose_value NAME: of compose.env.
compose_value() { sed -n "s/^LAB_$1=//p" "$RUN_DIR/compose.env" 2>/dev/null | sed "s/^'\(.*\)'\$/\1/"; }

compose_project() { sed -n 's/^COMPOSE_PROJECT_NAME=//p' "$RUN_DIR/compose.env"; }

# --- what containers are started with ----------------------------------------------------------------------------------

# mountable NAME PATH: Compose divides a mount at its colons.
mountable() { case $2 in *[\'\"\\:\$]* | *"
"*) usage "$1 is \"$2\"; valid: a path without quotes, backslashes, colons, dollar signs and line breaks" ;; esac; }

# own_run_dir: it is there, marked, and closed to everybody else.
own_run_dir() {
  check_run_dir
  mark_run_dir "$RUN_DIR"
}

# prepare: all that Compose needs, once. Not while another command brings this stack up or down.
prepare() {
  [ -z "${PROJECT:-}" ] || return 0
  lock
  RESULTS=$(absolute "${RESULTS_DIR:-$ROOT/results}")
  mountable RUN_DIR "$RUN_DIR"
  mountable RESULTS_DIR "$RESULTS"
  mountable 'the folder of this project' "$ROOT"
  own_run_dir
  # Not by the engine, which would make them root's.
  mkdir -p "$RUN_DIR/prometheus/targets" "$RUN_DIR/loaded" "$RESULTS"
  make_secrets
  # A folder per RUN_DIR has containers, volumes and images of its own.
  number=$(printf %s "$RUN_DIR" | cksum | cut -d' ' -f1)
  [ -n "$number" ] || die 'cksum is missing, a utility of POSIX'
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

# setting NAME: the caller's, else what the running target has; `default` takes it back.
setting() {
  eval "value=\${$1:-}"
  if [ -z "$value" ] && [ -f "$RUN_DIR/stack.env" ]; then value=$(compose_value "$1"); fi
  [ "$value" = default ] || printf '%s' "$value"
}

# check_settings: they are words, and one is JSON.
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

# write_compose_env CONTAINERS
write_compose_env() {
  check_settings
  commit='' dirty=''
  if commit=$(git -C "$ROOT" rev-parse HEAD 2>/dev/null); then
    if [ -n "$(git -C "$ROOT" status --porcelain 2>/dev/null)" ]; then dirty=yes; fi
  fi
  (
    umask 077
    {
      echo '# Written by scripts/docker.sh: what docker-compose.yml takes. With secrets.'
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

# build SERVICE...: of this checkout as it is now, so that an image of before is never used. Quick where nothing changed.
build() {
  for image in "$@"; do
    docker image inspect "localhost/mcp-load-lab/$image:$PROJECT" >/dev/null 2>&1 && continue
    say 'building the images (once) ...'
    compose --profile lab build "$@" >&2 || die 'an image could not be built; what Docker said is above'
    return
  done
  log=$(compose --profile lab build --quiet "$@" 2>&1) || die "an image could not be built:
$log"
  remove_replaced_images
}

# remove_replaced_images: a build takes the name from the image before, which stays without one: 600 MB.
remove_replaced_images() { docker image prune --force --filter "label=com.docker.compose.project=$PROJECT" >/dev/null 2>&1 || true; }

# --- up and down -------------------------------------------------------------------------------------------------------

# process PID: the process that has this number now, and no later one: with when it started. Nothing where there is none.
process() {
  since=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20)
  [ -n "$since" ] || since=$(ps -o lstart= -p "$1" 2>/dev/null | tr -s ' ' _)
  [ -z "$since" ] || echo "$1 $since"
}

# lock: one `up` or `down` of a stack at a time, known by its process.
lock() {
  own_run_dir
  waited=0
  until ln -s "$(process $$)" "$RUN_DIR/lock" 2>/dev/null; do
    holder=$(readlink "$RUN_DIR/lock" 2>/dev/null || true)
    if [ -n "$holder" ] && [ "$(process "${holder%% *}")" != "$holder" ]; then rm -f "$RUN_DIR/lock"; continue; fi
    [ $waited -gt 0 ] || say "waiting for another up or down to end (process ${holder%% *}, $RUN_DIR/lock) ..."
    [ $waited -lt 900 ] || die "another up or down has not ended in 15 minutes: process ${holder%% *}, $RUN_DIR/lock"
    waited=$((waited + 1))
    sleep 1
  done
  trap unlock EXIT
}
unlock() {
  if [ "$(readlink "$RUN_DIR/lock" 2>/dev/null)" = "$(process $$)" ]; then rm -f "$RUN_DIR/lock"; fi
  trap - EXIT
}

# running: the services that run.
running() { compose ps --services --status running; }

# password_files: those that containers read, each as a user of its own. Anybody may, in folders that keep everybody out.
password_files() {
  mkdir -p "$RUN_DIR/redis"
  chmod 700 "$RUN_DIR/redis" "$RUN_DIR/prometheus"
  printf '{"redis://redis:6379":"%s"}' "$(secret REDIS_PASSWORD)" >"$RUN_DIR/redis/passwords.json"
  # By the image: a host has nothing that makes such a hash.
  write_web_configs docker run --rm --pull never --network none --read-only --cap-drop ALL --env PASSWORD \
    "localhost/mcp-load-lab/lab:$PROJECT" node scripts/web-config.ts >/dev/null
  chmod a+r "$RUN_DIR/redis/passwords.json" "$RUN_DIR"/prometheus/*.web.yml "$RUN_DIR"/prometheus/*.password
}

# address SERVICE PORT: where it is published on this host.
address() { compose port "$1" "$2" 2>/dev/null | sed -n 1p; }

# write_stack_env: after an up.
write_stack_env() {
  target=$(address target-namespace 8000) admin=$(address target-namespace 8002) prometheus=$(address prometheus 9090) grafana=$(address grafana 3000)
  {
    echo '# Written by scripts/docker.sh: where the parts of the stack are. No secrets.'
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

# stack_up [observe]
stack_up() {
  case ${1:-} in '' | observe) ;; *) usage "SERVICES is \"$1\"; valid: observe" ;; esac
  was=$(stack_value STACK)
  [ "${was:-docker}" = docker ] || die "a $was stack is up; stop it first with: make down STACK=$was"
  prepare
  lock
  before=$(running)
  images=lab services=$OBSERVE
  if [ -z "${1:-}" ]; then images='lab target' services="$OBSERVE $REFERENCE"; fi
  # What an up started goes with it where it does not end well; what ran before stays.
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
    # An up that was cut off left a database that is half made.
    compose rm --stop --force postgres >/dev/null 2>&1 || true
    docker volume rm "${PROJECT}_postgres" >/dev/null 2>&1 || true
  fi
  # shellcheck disable=SC2086
  if ! docker image inspect $(compose config --images $services) >/dev/null 2>&1; then
    say 'pulling the images (once) ...'
    compose pull --policy missing $services >&2 || die 'an image could not be pulled; what Docker said is above'
  fi
  say 'starting the stack ...'
  until compose_up; do
    # There is no command on every host that tells which ports are taken. The engine does.
    taken=$(compose ps --all --quiet | xargs docker inspect --format '{{.State.Error}}' 2>/dev/null |
      sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*already .*/\1/p' | sed -n 1p)
    variable=$(sed -n "s/^\(LAB_[A-Z_]*_PORT\)=${taken:-none}\$/\1/p" "$RUN_DIR/compose.env")
    [ -n "$variable" ] || up_failed
    next=$((taken + 1))
    # Not one of this stack's own.
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

# is_program: does the server have a command, and no URL?
is_program() { [ -n "${TARGET_COMMAND:-}${TARGET_IMAGE:-}" ]; }

# check_program: sets `foreign`.
check_program() {
  is_program || return 0
  for name in TARGET_URL TARGET_CONTAINER; do
    eval "value=\${$name:-}"
    [ -z "$value" ] || usage "$name is set, and TARGET_COMMAND or TARGET_IMAGE, too; valid: one of them"
  done
  case ${TARGET_IMAGE:-} in *[!A-Za-z0-9_.:/@-]* | [!A-Za-z0-9]*) usage "TARGET_IMAGE is \"$(shown "$TARGET_IMAGE")\"; valid: the name of an image" ;; esac
  for name in $(printf %s "${TARGET_ENV:-}" | tr , ' '); do
    case $name in *[!A-Za-z0-9_]* | [0-9]*) usage "TARGET_ENV is \"$(shown "$TARGET_ENV")\"; valid: names of variables that are set, separated by commas" ;; esac
    GIVEN="$GIVEN $name"
  done
  foreign=yes
}

# start_program: the container that TARGET_COMMAND is started in, until `down` or the next one. Without a command it is the image's own.
start_program() {
  lock
  # With a tag no name is that of a stage of the Dockerfile.
  IMAGE=${TARGET_IMAGE:-}
  case ${IMAGE##*/} in '' | *[:@]*) ;; *) IMAGE=$IMAGE:latest ;; esac
  [ -z "$IMAGE" ] || docker image inspect "$IMAGE" >/dev/null 2>&1 || docker pull "$IMAGE" >&2 ||
    usage "TARGET_IMAGE is \"$TARGET_IMAGE\", which is not here and can't be pulled; valid: the name of an image"
  leave_watched
  WATCHED='' WATCHED_NAME=target
  write_compose_env "$(compose_value CONTAINERS)"
  build program
  if [ -z "${TARGET_COMMAND:-}" ]; then
    words='{{range .Config.Entrypoint}}{{printf "%q " .}}{{end}}{{range .Config.Cmd}}{{printf "%q " .}}{{end}}'
    TARGET_COMMAND=$(docker image inspect --format "$words" "localhost/mcp-load-lab/program:$PROJECT" |
      sed -e 's/"\([A-Za-z0-9_.,:=@%+/-]*\)"/\1/g' -e 's/ $//')
    [ -n "$TARGET_COMMAND" ] || usage "TARGET_IMAGE is \"$TARGET_IMAGE\", which has no command of its own; valid: with a TARGET_COMMAND"
  fi
  services=program
  compose --progress quiet up --detach --wait --wait-timeout 60 --no-deps --force-recreate program >"$RUN_DIR/up.log" 2>&1 || up_failed
  WATCHED=$(compose ps --quiet program) WATCHED_PROCESSES=-generator=1
  OPTIONS="$OPTIONS --env STDIO_RUNNER=/programs/socket --volume ${PROJECT}_programs:/programs"
  set_watched_user
  write_compose_env "$(compose_value CONTAINERS)program=$WATCHED"
  unlock
}

# set_watched_user: by number, as the engine's machine has it: an image's user may be a name that only its own files know.
set_watched_user() { WATCHED_USER=$(docker top "$WATCHED" -eo pid,uid,gid | awk 'NR == 2 { print $2 ":" $3 }'); }

# find_watched: the container that TARGET_CONTAINER names. The one before is left.
find_watched() {
  WATCHED=''
  case $TARGET_CONTAINER in
  *[!A-Za-z0-9_.-]* | -*) ;;
  *) WATCHED=$(docker container inspect --format '{{if .State.Running}}{{.Id}}{{end}}' "$TARGET_CONTAINER" 2>/dev/null || true) ;;
  esac
  [ -n "$WATCHED" ] || usage "TARGET_CONTAINER is \"$(shown "$TARGET_CONTAINER")\"; valid: the name of a container that runs"
  WATCHED_NAME=$TARGET_CONTAINER WATCHED_PROCESSES=-pid=1
  set_watched_user
  lock
  leave_watched
  write_compose_env "$(compose_value CONTAINERS)"
  unlock
}

# watch_container: the exporter, in its namespaces, until `down` or the next one.
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

# leave_watched: the container that was watched is on its own networks alone.
leave_watched() {
  was=$(compose_value WATCHED)
  [ -z "$was" ] || docker network disconnect "$(compose_project)_watched" "$was" >/dev/null 2>&1 || true
}

# compose_up: with its progress where there is a terminal, else with what it says in a file.
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
    say "--- the end of the log of $part"
    compose logs --no-log-prefix --tail 10 "$part" >&2 || true
    say "error: $part is ${state:-not there}"
  done
  leave 1
}

# undo_up: idempotent, for a signal and the end of the script both come here.
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
    # An observing stack has no more than its own parts.
    *) if among "$part" "$OBSERVE"; then printf '%-18s %-5s %s\n' "$part" down "$at"; down=1; fi ;;
    esac
  done
  return $down
}

stack_down() {
  [ -f "$RUN_DIR/compose.env" ] || { say 'no stack is up'; return 0; }
  lock
  leave_watched
  # The target first: it writes what it still holds to PostgreSQL and Redis.
  compose --progress quiet stop --timeout 30 target || true
  compose --progress quiet --profile '*' down --timeout 30 --remove-orphans "$@" || die 'the stack did not stop; what Docker said is above'
  rm -f "$RUN_DIR/stack.env"
  unlock
}

stack_clean() {
  check_run_dir
  run_dir_is_marked "$RUN_DIR" || return 0
  if [ -f "$RUN_DIR/compose.env" ]; then
    docker_answers || die "Docker does not answer, which has the data of the stack in $RUN_DIR; start it, or remove $RUN_DIR/compose.env to give that up"
    stack_down --volumes
    PROJECT=$(compose_project)
    for image in target lab exporter program; do docker image rm "localhost/mcp-load-lab/$image:$PROJECT" >/dev/null 2>&1 || true; done
    remove_replaced_images
    rm -f "$RUN_DIR/compose.env"
  fi
  # Of a native stack that was here before, or since.
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
  [ -f "$RUN_DIR/compose.env" ] || die 'no stack was ever up here; start one with: make up'
  # shellcheck disable=SC2086
  become=exec compose logs --tail 50 $follow $services
}

# --- a command in a container ------------------------------------------------------------------------------------------

# take_words NAME=value...: exports them; the others' names are wrong.
take_words() {
  names="$(sed -n '/^x-lab:/,/^x-test:/s/^    \([A-Z0-9_]*\):$/\1/p' "$ROOT/docker-compose.yml") $GIVEN $FILES $SETTINGS STACK RUN_DIR RESULTS_DIR ${OWN_WORDS:-}"
  for word in "$@"; do
    name=${word%%=*}
    case $word in *=*) ;; *) name='' ;; esac
    # Without the value: it may be a secret under a mistyped name.
    among "$name" "$names" || usage "got \"$(printf '%s' "${word%%=*}" | cut -c 1-80)\"; valid: NAME=value with a NAME of $(listed "$names")"
    export "${word?}"
  done
}

# loopback URL: is it on this host's loopback address?
loopback() { case $1 in http://127.*.*.*[:/]* | https://127.*.*.*[:/]* | http*://localhost[:/]* | http*://\[::1\]*) return 0 ;; *) return 1 ;; esac; }

# desktop: Docker's engine is in a virtual machine, which gets this host's loopback services as host.docker.internal.
desktop() { [ "$(uname -s)" != Linux ] || case $(docker info --format '{{.OperatingSystem}}' 2>/dev/null) in *Desktop*) return 0 ;; *) return 1 ;; esac; }

# inside TEXT: addresses of this host as a container calls them.
inside() { printf %s "$1" | sed -E 's#(^|,|//)(127\.[0-9.]+|localhost|\[::1\])(:|/|,|$)#\1host.docker.internal\3#g'; }

# loopback_addresses LIST: host:port of those of the list's addresses that are on this host's loopback, with commas between.
loopback_addresses() {
  host='(127\.[0-9.]+|localhost|\[::1\])'
  printf '%s' "$1" | tr ',' '\n' | sed -nE -e "s%^ *(https?://)?$host:([0-9]+)([/?#].*)?\$%\2:\3%p" \
    -e "s%^ *https://$host([/?#].*)?\$%\1:443%p" -e "s%^ *(http://)?$host([/?#].*)?\$%\2:80%p" | sort -u | tr '\n' ',' | sed 's/,$//'
}

# relay_metrics: Prometheus in its container reaches TARGET_METRICS on this host's loopback by the same address, until `down` or the next one.
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

# aim: where the load goes. Sets `foreign`, RELAY (addresses for relay_metrics) and, where k6 has to share this host's network, `service`.
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

# in_container COMMAND ARGUMENT...: this becomes it, in `service`, in the foreground: Ctrl-C in a terminal is the container's.
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
    # What the image has is there with all that it imports.
    case $path in
    "$ROOT"/workloads/*) export "$name=/opt/mcp-load-lab${path#"$ROOT"}" ;;
    *) export "$name=$path"; set -- --volume "$path:$path:ro" "$@" ;;
    esac
    set -- --env "$name" "$@"
  done
  case ${SECRET_SOURCE:-} in file=*)
    path=$(absolute "${SECRET_SOURCE#file=}")
    [ -r "$path" ] || usage "SECRET_SOURCE is \"$SECRET_SOURCE\", which can't be read; valid: file= and the path of a file with NAME=value lines"
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

# in_program COMMAND ARGUMENT...: in_container, for one that loads nothing: with the container of TARGET_COMMAND, which is removed at its end.
in_program() {
  start_program
  trap 'compose rm --stop --force program >/dev/null 2>&1' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  code=0
  (in_container "$@") || code=$?
  exit "$code"
}

# tests: the names of all of them. container_tests: of those that change nothing of the stack's parts.
tests() { (cd "$ROOT/scenarios" && for file in *; do echo "${file%.js}"; done); }
container_tests() { sed -n 's/^  \([a-z-]*\): { <<: \*test, .*/\1/p' "$ROOT/docker-compose.yml"; }

# shown TEXT: the beginning of what somebody typed, for a message.
shown() { printf %s "$1" | tr -cd ' -~' | cut -c 1-80; }

# among WORD LIST: is it one of the words? listed LIST: with commas between.
among() { case " $(echo $2) " in *" ${1:-?} "*) return 0 ;; *) return 1 ;; esac; }
listed() { echo $1 | sed 's/ /, /g'; }

run_test() {
  service=${1:-}
  among "$service" "$(tests)" || usage "the test is \"$(shown "$service")\"; valid: $(listed "$(tests)")"
  shift
  take_words "$@"
  test=$service
  among "$test" "$(container_tests)" ||
    usage "the test $test starts and stops parts of the stack, which it can do natively alone; valid: STACK=native make $test, or here $(listed "$(container_tests)")"
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
    say "the server's processes are not watched: they are not visible from a container (TARGET_CONTAINER names the server's; STACK=native sees those of this host)"
  fi
  if [ -z "$foreign" ]; then check_first "$test"; fi
  if [ -n "$foreign" ]; then stack_up observe; else stack_up; fi
  if is_program; then start_program; fi
  if [ -n "${WATCHED:-}" ]; then watch_container; fi
  relay_metrics
  in_container scripts/run "$test"
}

# without_target: where no target runs there is none to ask.
without_target() { if [ -z "$(address target-namespace 8000)" ]; then OPTIONS="$OPTIONS --env REFERENCE_URL="; fi; }

# check_first TEST: what is wrong with the variables is said before anything is started.
check_first() {
  [ -z "$(stack_value STACK)" ] || return 0
  build lab
  (service=lab OPTIONS='--env CHECK_ONLY=1' in_container scripts/run "$1") || exit
}

# --- the other commands ------------------------------------------------------------------------------------------------

# mount_paths LIST: the list, its items divided by commas; what is a path of this host is absolute in it, and mounted.
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

# in_lab WORD...: a command that takes NAME=value words, from the environment, too.
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
    [ -d "$folder" ] || usage "WORKLOAD is \"$WORKLOAD\"; valid: a path in a folder that exists"
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

# live_page WORD...: the page is on this host's loopback, and in the container on all of its addresses.
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
    say "the stack is down; its data stays (make clean removes it)"
    ;;
  status) stack_status ;;
  logs) stack_logs "$@" ;;
  clean) stack_clean ;;
  compare-ab | gateway) usage "$command starts and stops parts of the stack, which it can do natively alone; valid: STACK=native" ;;
  dashboards)
    [ -n "$(stack_value STACK)" ] || stack_up observe
    prepare
    build lab
    page=$(in_container scripts/dashboards </dev/null) || exit
    say "$page  Grafana; to change something: user admin, the password is GRAFANA_ADMIN_PASSWORD in $RUN_DIR/secrets.env"
    ;;
  live) live_page "$@" ;;
  report | compare | baseline-save | signals | workload-init | list) in_lab "$@" ;;
  *) usage "the command is \"$command\"; valid: run, report, compare, baseline-save, signals, workload-init, list, up, down, status, logs, clean, dashboards, live, ci" ;;
  esac
}
