#!/bin/sh
# A container's health check: probe.sh COMMAND, for sh. Docker asks every 2 seconds, which costs half a core if each time runs the
# command. So what is healthy is asked again 28 seconds later. (Docker's own start_interval needs an engine of version 25.)
[ ! -e /dev/shm/healthy ] || sleep 28
sh -c "$1" >/dev/null 2>&1 || { rm -f /dev/shm/healthy; exit 1; }
: >/dev/shm/healthy
