# shellcheck shell=bash
# The stack in containers, by docker-compose.yml. Sourced by common.sh.

compose() {
  docker compose --project-directory "$ROOT" --file "$ROOT/docker-compose.yml" \
    --env-file "$RUN_DIR/secrets.env" --env-file "$RUN_DIR/stack.env" "$@"
}

# docker_prepare: what containers mount, and the two files that Compose reads.
docker_prepare() {
  make_secrets
  mkdir -p "$RUN_DIR/prometheus/targets"
  # A folder per RUN_DIR has containers and volumes of its own.
  COMPOSE_PROJECT_NAME=mcp-load-lab-$(printf %s "$RUN_DIR" | cksum | cut -d' ' -f1)
  RUNNER_USER=$(id -u):$(id -g)
  export COMPOSE_PROJECT_NAME RUNNER_USER
}

docker_running() { compose ps --services --status running | tr - _; }

# docker_up [observe]
docker_up() {
  local name part was knobs running wanted=() services=() started=()
  docker_prepare
  [ -f "$RUN_DIR/stack.env" ] || write_stack_env docker '' ''
  running=$(docker_running)
  for name in $(components); do
    part=${1:-}
    if [ -z "$part" ] || is_component "$name" "$part" || grep -qx "$name" <<<"$running"; then
      wanted+=("$name")
      services+=("${name//_/-}")
      grep -qx "$name" <<<"$running" || started+=("${name//_/-}")
    fi
  done
  if [ -z "${1:-}" ]; then services+=(target-network); fi
  was=''
  if grep -qx target <<<"$running"; then was=$(stack_value TARGET_KNOBS); fi
  knobs=$(merge_knobs "$was")
  write_stack_env docker "$knobs" "$running" "${wanted[@]}"
  for name in "$ROOT"/provisioning/prometheus/targets-docker/*.json; do
    cp "$name" "$RUN_DIR/prometheus/targets/"
  done
  # Compose starts again what differs from how it runs: after other knobs that is the target alone.
  # shellcheck disable=SC2086
  if ! (
    unset $TARGET_KNOB_NAMES
    if [ -n "$knobs" ]; then export $knobs; fi
    compose up --detach --build --wait --wait-timeout 180 "${services[@]}" >&2
  ); then
    for name in "${services[@]}"; do
      if [ "$(compose ps --all --format '{{.Health}}' "$name")" != healthy ]; then
        say "--- the end of the log of $name"
        compose logs --no-log-prefix --tail 10 "$name" >&2
        say "error: $name is not healthy"
      fi
    done
    if [ ${#started[@]} -gt 0 ]; then compose rm --stop --force "${started[@]}" >&2; fi
    if [ -z "$running" ]; then rm -f "$RUN_DIR/stack.env"; fi
    exit 1
  fi
  compose kill --signal HUP prometheus >/dev/null 2>&1 || true
  docker_status
}

docker_status() {
  local name down=0
  docker_prepare
  status_head
  for name in $(components); do
    [ -n "$(port_of "$name")" ] || continue
    if [ "$(compose ps --format '{{.Health}}' "${name//_/-}" 2>/dev/null)" = healthy ]; then
      status_line "$name" up
    else
      status_line "$name" down
      down=1
    fi
  done
  return $down
}

docker_down() {
  [ -f "$RUN_DIR/stack.env" ] || return 0
  docker_prepare
  # The target first: it writes what it still holds to PostgreSQL and Redis.
  compose stop --timeout 30 target
  compose --profile runner down --timeout 30 --remove-orphans
  rm -f "$RUN_DIR/stack.env"
}

# docker_clean: the volumes, also after a `down`, which took stack.env with it.
docker_clean() {
  docker_prepare
  touch "$RUN_DIR/stack.env"
  compose --profile runner down --volumes --remove-orphans
}

docker_logs() {
  local follow=() services=()
  docker_prepare
  if [ "${1:-}" = -f ]; then
    follow=(--follow)
    shift
  fi
  if [ $# -gt 0 ]; then services=("$(component_name "$1" | tr _ -)"); fi
  compose logs --tail 50 "${follow[@]}" "${services[@]}"
}

# docker_ctl ACTION NAME
docker_ctl() {
  docker_prepare
  compose "$1" "$(component_name "$2" | tr _ -)" >/dev/null
}

# docker_run COMMAND ARGS...: in the runner container, which sees the project at the same path and gets the whole
# environment, but for what belongs to this host alone.
docker_run() {
  docker_prepare
  [ -f "$RUN_DIR/stack.env" ] || touch "$RUN_DIR/stack.env"
  if [ ! "$ROOT/node_modules/.package-lock.json" -nt "$ROOT/package-lock.json" ]; then
    docker_in_runner npm install --no-save --no-audit --no-fund >&2
  fi
  docker_in_runner "$@"
}

docker_in_runner() (
  options=() arguments=()
  # The stack's own target and this host, as they are called in there: no other machine is loaded (lib/config.js).
  export STACK_HOSTS=target,host.docker.internal
  if [ ! -t 0 ] || [ ! -t 1 ]; then options+=(--no-TTY); fi
  # The container has less than the machine: three quarters of the runner's mem_limit in docker-compose.yml.
  if [[ ${GOMEMLIMIT:-} =~ ^([0-9]{1,9})MiB$ ]] && [ "${BASH_REMATCH[1]}" -gt 3072 ]; then export GOMEMLIMIT=3072MiB; fi
  for path in "${TARGET_CERT:-}" "${TARGET_KEY:-}" "${TARGET_CA:-}" "${OAUTH_CLIENT_KEY:-}" "${WORKLOAD:-}" "${PAYLOAD:-}"; do
    if [ -n "$path" ]; then options+=(--volume "$path:$path:ro"); fi
  done
  case ${SECRET_SOURCE:-} in file=*)
    path=$(realpath -- "${SECRET_SOURCE#file=}")
    options+=(--volume "$path:$path:ro")
    ;;
  esac
  if [ -n "${TARGET_CA:-}" ]; then options+=(--env SSL_CERT_FILE); fi
  for name in $(compgen -e); do
    case $name in
    TARGET_CERT) options+=(--env "$name") ;;
    PATH | HOME | USER | LOGNAME | SHELL | SHLVL | PWD | OLDPWD | TMPDIR | HOSTNAME | TERM | _) ;;
    LD_* | DOCKER_* | COMPOSE_* | SSH_* | XDG_* | MAKE* | MFLAGS | NODE_* | SSL_* | *_CERT | *_CERTS | *_CA_*) ;;
    *) options+=(--env "$name") ;;
    esac
  done
  for name in TARGET_URL TARGET_METRICS_URL UPSTREAM_URL OAUTH_TOKEN_URL PROMETHEUS_URL K6_PROMETHEUS_RW_SERVER_URL; do
    if [ -n "${!name:-}" ]; then export "$name=$(url_inside "${!name}")"; fi
  done
  for argument in "$@"; do arguments+=("$(url_inside "$argument")"); done
  compose run --rm --no-deps --use-aliases "${options[@]}" runner "${arguments[@]}"
)

# url_inside TEXT: a URL of this host as a container has to call it: the stack's parts by name, the host's own servers
# by the name that Docker gives the host. Any other text stays as it is.
url_inside() {
  local name port usual
  case $1 in http://127.0.0.1[:/]* | http://localhost[:/]*) ;; *)
    printf '%s\n' "$1"
    return
    ;;
  esac
  port=$(sed -n 's|^http://[^/:]*:\([0-9]*\).*|\1|p' <<<"$1")
  for name in target upstream prometheus; do
    if [ -n "$port" ] && [ "$port" = "$(port_of "$name")" ]; then
      # Its own port is its first.
      read -r _ _ usual < <(ports_of "$name")
      sed "s|^http://[^/]*|http://$name:$usual|" <<<"$1"
      return
    fi
  done
  sed -E 's#^http://(127\.0\.0\.1|localhost)#http://host.docker.internal#' <<<"$1"
}
