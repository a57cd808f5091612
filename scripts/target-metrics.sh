# shellcheck shell=bash
# The scrape of TARGET_METRICS: what Prometheus reads of a server that is not the reference target. Source it after common.sh.

# ask_metrics FILE: what is to be scraped goes to FILE; exits with 2 and one line where that can't be. Without
# TARGET_METRICS there is nothing to do.
ask_metrics() {
  local address addresses urls=()
  [ -n "${TARGET_METRICS:-}" ] || return 0
  IFS=, read -r -a addresses <<<"$TARGET_METRICS"
  for address in "${addresses[@]}"; do
    address=${address//[[:space:]]/}
    case $address in *://*) ;; *) address=http://$address ;; esac
    urls+=("$address")
  done
  node "$ROOT/scripts/target-metrics.ts" "${urls[@]}" >"$1" || exit
}

# start_scraping FILE NAME: from here on the signals are those of the server that FILE says, until stop_scraping. The stack's
# variables are loaded.
SCRAPED=''
start_scraping() {
  [ -s "$1" ] || return 0
  SCRAPED=$PROMETHEUS_TARGETS_DIR/custom-$2.json
  cp "$1" "$SCRAPED.new"
  mv "$SCRAPED.new" "$SCRAPED"
  WATCHED_SERVER=$(sed -n 's/^ *"server": "\(.*\)",$/\1/p' "$1" | head -n 1)
  export WATCHED_SERVER
}

stop_scraping() { rm -f ${SCRAPED:+"$SCRAPED"}; }
