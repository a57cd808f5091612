# shellcheck shell=bash
# What a server offers, as a workload document. Sourced after common.sh.

# code_of LOG, why LOG: the exit code and the reason with which a script inside k6 ended its test. Where it did not,
# the code is 1, and the reason what k6 said last, as one harmless line each.
code_of() {
  sed -n 's/.*test aborted: exit \([23]\): .*/\1/p' "$1" | grep -m 1 . || echo 1
}

why() {
  sed -n 's/.*test aborted: exit [23]: \(.*\)/\1/p' "$1" | sed 's/ at abort (file:[^ ]*)$//' | grep -m 1 . || tail -n 3 "$1" | cut -c 1-1000 | LC_ALL=C tr -d '\000-\010\013-\037\177'
}

give_up() { DIE_CODE=$(code_of "$1") die "$(why "$1")"; }

# discover FILE LOG: asks the server at TARGET_URL and writes FILE. Progress goes to stderr, what k6 says to LOG.
discover() {
  local line
  say "asking ${TARGET_URL%%\?*} what it offers ..."
  # WORKLOAD names what to load, not what to find out.
  WORKLOAD='' WORKLOAD_FILE=$1 run_k6 run --quiet --address '' --log-format raw "$ROOT/lib/discover.js" 2>&1 >/dev/null </dev/null |
    while IFS= read -r line; do
      # `end_of_k6` says so (common.sh): before any load only the target can have done that.
      if [[ $line == 'k6 got no more memory'* ]]; then line="test aborted: exit 3: $line"; fi
      printf '%s\n' "$line" >>"$2"
      if [[ $line == 'discovery: '* ]]; then say "${line#discovery: }"; fi
    done || true
  [ -s "$1" ]
}
