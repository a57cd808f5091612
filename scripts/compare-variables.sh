# shellcheck shell=bash
# What the scripts that compare runs share. Source it from a script in this folder, with the script's arguments:
#
#   . "$here/scripts/compare-variables.sh" "BASE HEAD" "$@"
#
# It exports the arguments, NAME=value with one of those names or of RESULTS_DIR, BASELINES_DIR, RUN_DIR and STACK, and sets
#   RESULTS    the folder of the runs' results
#   BASELINES  that of the baselines

# shellcheck source=scripts/variables.sh
. "$here/scripts/variables.sh"
names="$1 RESULTS_DIR BASELINES_DIR RUN_DIR STACK"
shift
for argument in "$@"; do
  name=${argument%%=*}
  [[ $argument == *=* ]] && is_one_of "$name" "$names" || usage "got \"$(shown "$name")\"; valid: NAME=value with a NAME of ${names// /, }"
  export "$name=${argument#*=}"
done
# shellcheck source=scripts/common.sh
. "$here/scripts/common.sh"
"$ROOT/scripts/setup" node
RESULTS=${RESULTS_DIR:-$ROOT/results}
# shellcheck disable=SC2034
BASELINES=${BASELINES_DIR:-$ROOT/baselines}

# comparison_folder: a new one's path, among the results.
comparison_folder() { echo "$RESULTS/compare-$(date -u +%Y%m%dT%H%M%SZ)-$(head -c 2 /dev/urandom | od -An -tx1 | tr -d ' \n')"; }
