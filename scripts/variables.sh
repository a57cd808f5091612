# shellcheck shell=bash
# The variables of a test, as NAME=value on a script's command line. Source it before common.sh: RUN_DIR and STACK are
# among them.

usage() {
  printf 'error: %s\n' "$*" >&2
  exit 2
}

# is_one_of WORD WORDS: is it? Not two of them with a space between.
is_one_of() { [[ $1 =~ ^[A-Za-z0-9_-]+$ && " $2 " == *" $1 "* ]]; }

# shown TEXT: the beginning of what somebody typed, or pasted, as part of one line.
shown() {
  local LC_ALL=C text=${1:0:200}
  printf '%s' "${text//[^ -~]/?}"
}

# take_variables NAME=value...: exports them, with the paths among them made absolute: k6 would look beside its script.
take_variables() {
  local here names argument name
  here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
  # The names that the two tables declare, the stack's own, and the target's knobs.
  names="$(sed -n 's/^  \([A-Z_]*\): variable({$/\1/p' "$here/lib/config.js" "$here/experiments/variables.js" | paste -sd' ' -)"
  names="$names TARGET_METRICS TARGET_PID TESTID MEMORY_CHECK GENERATOR_MEMORY STACK RUN_DIR RESULTS_DIR $(sed -n "s/^TARGET_KNOB_NAMES='\(.*\)'$/\1/p" "$here/scripts/components.sh")"
  for argument in "$@"; do
    name=${argument%%=*}
    # Without the value: it may be a secret under a mistyped name.
    [[ $argument == *=* ]] && is_one_of "$name" "$names" || usage "got \"$(shown "$name")\"; valid: NAME=value with a NAME of ${names// /, }"
    export "$name=${argument#*=}"
  done
  for name in TARGET_CERT TARGET_KEY TARGET_CA OAUTH_CLIENT_KEY; do existing_file "$name" 'the path of a PEM file'; done
  [[ ${TARGET_PID:-1} =~ ^[1-9][0-9]{0,9}$ ]] || usage "TARGET_PID is \"$(shown "$TARGET_PID")\"; valid: the number of a process"
  if [[ ${SECRET_SOURCE:-} == file=* ]] && [ ! -r "${SECRET_SOURCE#file=}" ]; then
    usage "SECRET_SOURCE is \"$(shown "$SECRET_SOURCE")\", which can't be read; valid: file= and the path of a file with NAME=value lines"
  fi
}

# take_own NAMES NAME=value...: exports those with one of NAMES, which are a script's own; OTHERS has the rest.
take_own() {
  local argument names=$1
  shift
  OTHERS=()
  for argument in "$@"; do
    if [[ $argument == *=* ]] && is_one_of "${argument%%=*}" "$names"; then
      export "${argument%%=*}=${argument#*=}"
    else
      OTHERS+=("$argument")
    fi
  done
}

# existing_file NAME VALID
existing_file() {
  [ -n "${!1:-}" ] || return 0
  [ -f "${!1}" ] && [ -r "${!1}" ] || usage "$1 is \"$(shown "${!1}")\", which can't be read; valid: $2"
  export "$1=$(realpath -- "${!1}")"
}
