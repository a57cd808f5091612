"""Runs a command in a terminal of its own, as a person does, and copies what it shows to standard output.

    terminal.py [--interrupt-when FILE] COMMAND [ARGUMENT ...]

With --interrupt-when, Ctrl-C is typed 10 seconds after the file exists. The last line of standard error is JSON: the exit code, and the
seconds of CPU time that the command and all that it waited for used.
"""

import json
import os
import pty
import select
import sys
import time

AFTER_S = 10

arguments = sys.argv[1:]
awaited = None
if arguments[0] == "--interrupt-when":
    awaited, arguments = arguments[1], arguments[2:]

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(arguments[0], arguments)

typed_at = None
while True:
    readable, _, _ = select.select([terminal], [], [], 0.2)
    if readable:
        try:
            output = os.read(terminal, 65536)
        except OSError:  # Linux: the other end is closed
            output = b""
        if not output:
            break
        sys.stdout.buffer.write(output)
        sys.stdout.buffer.flush()
    if awaited and os.path.exists(awaited):
        typed_at, awaited = time.monotonic() + AFTER_S, None
    if typed_at and time.monotonic() >= typed_at:
        os.write(terminal, b"\x03")
        typed_at = None

_, status, usage = os.wait4(pid, 0)
code = os.waitstatus_to_exitcode(status)
print(json.dumps({"code": code, "cpu_s": usage.ru_utime + usage.ru_stime}), file=sys.stderr)
