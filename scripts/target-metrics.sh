# shellcheck shell=bash
# What Prometheus scrapes of a server that is not the reference target: its own metrics (TARGET_METRICS), and what exporter/ reads of its
# processes. Source it after common.sh.

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

# start_exporter NAME: what Linux knows of a foreign server's processes is scraped, too, until stop_scraping: of one on this host, and in
# Docker of TARGET_CONTAINER's, whose exporter scripts/docker.sh has started. The kind of the stack is known.
EXPORTER='' EXPORTED=''
start_exporter() {
  local address host port server
  [[ ${PROMETHEUS_TARGETS_DIR:-} && ${TARGET_URL:-} =~ ^https?://(\[[^]]+\]|[^/:]+)(:([0-9]+))?(/|$) ]] || return 0
  host=${BASH_REMATCH[1]} port=${BASH_REMATCH[3]} server=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
  if [ -n "${TARGET_CONTAINER:-}" ]; then
    address=watched:9102
  elif [[ $kind = native && $host =~ ^(127\.[0-9.]+|localhost|\[::1\])$ ]]; then
    # An image has no Go, nor this.
    if [ ! -d "$ROOT/exporter" ] || { [ ! -x "$(tool_path exporter)" ] && ! command -v go >/dev/null; }; then
      say "the server's processes are not watched: the exporter has to be built, which takes Go (https://go.dev/dl)"
      return
    fi
    "$ROOT/scripts/setup" exporter
    if [ -z "$port" ]; then case $TARGET_URL in https:*) port=443 ;; *) port=80 ;; esac; fi
    address=$(hidden_host):$(free_port $((7700 + RANDOM % 1000)))
    "${TIED[@]}" "$(tool_path exporter)" -listen "$address" -target "$host:$port" ${TARGET_PID:+-pid "$TARGET_PID"} </dev/null >/dev/null 2>&1 9<&- &
    EXPORTER=$!
  else
    return 0
  fi
  EXPORTED=$PROMETHEUS_TARGETS_DIR/process-$1.json
  WATCHED_SERVER=${WATCHED_SERVER:-$server}
  export WATCHED_SERVER
  printf '[{"targets":["%s"],"labels":{"server":"%s"}}]\n' "$address" "$WATCHED_SERVER" >"$EXPORTED.new"
  mv "$EXPORTED.new" "$EXPORTED"
}

stop_scraping() {
  rm -f ${SCRAPED:+"$SCRAPED"} ${EXPORTED:+"$EXPORTED"}
  [ -z "$EXPORTER" ] || kill "$EXPORTER" 2>/dev/null || true
}
