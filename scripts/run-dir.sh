# shellcheck shell=sh
# RUN_DIR, the folder with a stack's state: how it is recognized, and which entries belong to the stack. POSIX sh
# without GNU tools; sourced by common.sh and by the scripts that create or remove the folder. It changes no shell
# options.

# The command that creates the folder writes this file into it.
RUN_DIR_MARK=.mcp-load-lab-stack

# The stack's entries, as glob patterns. `postgres` is not among them: it may be a link, so native.sh removes it.
RUN_DIR_ENTRIES='stack.env stack.env.new secrets.env secrets.env.new gateway.env supervisord.conf supervisord.pid
log pids loaded redis prometheus grafana run.?????? signals.?????? workload.??????
compose.env compose.env.new provisioning database-ready lock up.log initdb.password relay open.html'

# run_dir_problem DIR: prints in one line why DIR cannot be used as RUN_DIR; nothing if it can.
run_dir_problem() {
  if [ -L "$1" ]; then
    printf '%s\n' "RUN_DIR is $1, a link; valid: the folder itself"
  elif run_dir_is_foreign "$1"; then
    printf '%s\n' "RUN_DIR is $1, which belongs to someone else; valid: a folder of your own"
  elif [ -e "$1" ] && [ ! -d "$1" ]; then
    printf '%s\n' "RUN_DIR is $1, which is no folder; valid: a new folder, an empty one, or one that a stack created"
  elif [ -d "$1" ] && ! run_dir_is_marked "$1" && [ -n "$(ls -A "$1" 2>/dev/null)" ] && ! run_dir_is_marked "$1"; then
    # Checked twice: another command may have marked it in the meantime.
    printf '%s\n' "RUN_DIR is $1, which has other content than a stack (it has no $RUN_DIR_MARK); valid: a new or empty folder, or the folder of a stack"
  fi
}

# shellcheck disable=SC3067
run_dir_is_foreign() { [ -d "$1" ] && [ ! -O "$1" ]; }

# check_run_dir_owner: runs before every command, which reads files in the folder and stops processes recorded there.
check_run_dir_owner() {
  # With a trailing slash, a link to a folder is not recognized as a link.
  while case $RUN_DIR in ?*/ | ?*/.) ;; *) false ;; esac do RUN_DIR=${RUN_DIR%/*}; done
  if [ -L "$RUN_DIR" ] || run_dir_is_foreign "$RUN_DIR"; then check_run_dir; fi
}

# check_run_dir: exits with 2 if RUN_DIR cannot be used. The sourcing script defines `die`.
check_run_dir() {
  problem=$(run_dir_problem "$RUN_DIR")
  [ -z "$problem" ] || DIE_CODE=2 die "$problem"
}

run_dir_is_marked() { [ -f "$1/$RUN_DIR_MARK" ] && [ ! -L "$1/$RUN_DIR_MARK" ]; }

# mark_run_dir DIR: creates DIR if it is missing, restricts it to its owner and marks it. Call run_dir_problem first.
mark_run_dir() {
  (umask 077 && mkdir -p "$1") || return
  # If root runs the stack, DIR may contain PostgreSQL's data, which belongs to another user.
  if [ "$(id -u)" -eq 0 ] && [ -d "$1/postgres" ] && [ ! -L "$1/postgres" ]; then chmod go-rw "$1"; else chmod go-rwx "$1"; fi
  run_dir_is_marked "$1" ||
    { echo 'State of an mcp-load-lab stack: data, logs, secrets. make clean removes it.' >"$1/$RUN_DIR_MARK"; } 2>/dev/null || true
}

# remove_run_dir DIR: removes the stack's own entries and then DIR. Links are not followed. If other entries are left,
# it prints their names in one line and keeps DIR with its mark.
remove_run_dir() (
  cd "$1" || exit
  # Not quoted, because the entries are patterns.
  for entry in $RUN_DIR_ENTRIES; do
    if [ -e "$entry" ] || [ -L "$entry" ]; then rm -rf "./$entry"; fi
  done
  left=$(ls -A | grep -Fvx "$RUN_DIR_MARK" | tr '\n' ' ')
  if [ -n "$left" ]; then
    printf '%s\n' "${left% }"
  else
    rm -f "./$RUN_DIR_MARK"
    cd / && rmdir "$1"
  fi
)

# The user name for Prometheus and its exporters. The passwords are PROMETHEUS_PASSWORD and EXPORTERS_PASSWORD.
PROMETHEUS_USER=lab

# make_secrets: creates the secrets once per RUN_DIR, readable by the owner only. Secrets that an older version did not
# create are added.
make_secrets() (
  umask 077
  secrets=$RUN_DIR/secrets.env missing=''
  for name in TARGET_TOKEN POSTGRES_PASSWORD TARGET_DATABASE_PASSWORD REDIS_PASSWORD GRAFANA_ADMIN_PASSWORD SUPERVISOR_PASSWORD PROMETHEUS_PASSWORD EXPORTERS_PASSWORD; do
    grep -qs "^$name=" "$secrets" || missing="$missing $name"
  done
  [ -n "$missing" ] || exit 0
  {
    if [ -f "$secrets" ]; then cat "$secrets"; fi
    for name in $missing; do printf '%s=%s\n' "$name" "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"; done
  } >"$secrets.new"
  mv "$secrets.new" "$secrets"
)

secret() { sed -n "s/^$1=//p" "$RUN_DIR/secrets.env"; }

# write_web_configs COMMAND...: writes the basic auth files of Prometheus and of its exporters to $RUN_DIR/prometheus:
# NAME.web.yml, which COMMAND prints for $PASSWORD, and NAME.password, which clients use. NAME is `prometheus` or
# `exporters`. Prints the names of those that changed.
write_web_configs() (
  umask 077
  for who in prometheus exporters; do
    file=$RUN_DIR/prometheus/$who password=$(secret "$(echo $who | tr a-z A-Z)_PASSWORD")
    if [ -s "$file.web.yml" ] && [ "$(cat "$file.password" 2>/dev/null)" = "$password" ]; then continue; fi
    PASSWORD=$password "$@" >"$file.web.yml.new" || die "who may ask $who could not be written"
    printf %s "$password" >"$file.password"
    mv "$file.web.yml.new" "$file.web.yml"
    echo $who
  done
)
