package mcp

import (
	"sync/atomic"
	"time"
)

// maxIdle is shorter than the time for which servers keep idle connections.
const maxIdle = time.Second

// usage tracks which requests of a client should find its last connection open.
type usage struct {
	open atomic.Int32
	// Unix time in nanoseconds; 0 before the first answer.
	lastAnswer atomic.Int64
}

// begin records a request. It reports whether the last connection should be open: no other request is in flight, and the last answer came less
// than maxIdle ago.
func (u *usage) begin(at time.Time) bool {
	last := u.lastAnswer.Load()
	return u.open.Add(1) == 1 && last > 0 && at.Sub(time.Unix(0, last)) < maxIdle
}

func (u *usage) end(isAnswered bool) {
	u.open.Add(-1)
	if isAnswered {
		u.lastAnswer.Store(time.Now().UnixNano())
	}
}
