#!/bin/sh
# A container's health check: probe.sh COMMAND, for sh. Docker runs it every 2 seconds. Running the command each time would use half a
# core, so a healthy container is checked again after 28 seconds. (Docker's start_interval requires engine 25.)

# web PORT PATH [FILE]: sends a request with the password in FILE and prints the response. It uses builtins and standard input, so that the
# password does not appear in process lists.
web() {
  login=$(printf 'lab:%s' "$(cat "${3:-/exporters.password}")" | base64)
  printf 'GET %s HTTP/1.0\r\nAuthorization: Basic %s\r\n\r\n' "$2" "$login" | nc 127.0.0.1 "$1"
}

[ ! -e /dev/shm/healthy ] || sleep 28
(eval "$1") >/dev/null 2>&1 || { rm -f /dev/shm/healthy; exit 1; }
: >/dev/shm/healthy
