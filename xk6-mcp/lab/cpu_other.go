//go:build !unix

package lab

import "time"

// cpuTime returns 0: the CPU time is not available on this platform.
func cpuTime() time.Duration { return 0 }
