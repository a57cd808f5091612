#!/bin/sh
# A container's health check: probe.sh COMMAND, for sh. Docker asks every 2 seconds, which costs half a core if each time runs the
# command. So what is healthy is asked again 28 seconds later. (Docker's own start_interval needs an engine of version 25.)

# web PORT PATH [FILE]: the answer of what asks for the password in FILE. By builtins and standard input: it is in no list of processes.
web() {
  login=$(printf 'lab:%s' "$(cat "${3:-/exporters.password}")" | base64)
  printf 'GET %s HTTP/1.0\r\nAuthorization: Basic %s\r\n\r\n' "$2" "$login" | nc 127.0.0.1 "$1"
}

[ ! -e /dev/shm/healthy ] || sleep 28
(eval "$1") >/dev/null 2>&1 || { rm -f /dev/shm/healthy; exit 1; }
: >/dev/shm/healthy
