// Package child waits for child processes of this process.
package child

import "golang.org/x/sys/unix"

// AwaitExit waits until a child process has ended. It does not reap the process, so its PID is not reused yet.
func AwaitExit(pid int) {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return
		}
	}
}
