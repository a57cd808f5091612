// Package child is about processes that this one has started.
package child

import "golang.org/x/sys/unix"

// AwaitExit waits until a process has ended, and leaves it to be waited for: until then its number is no other one's.
func AwaitExit(pid int) {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return
		}
	}
}
