package mcp

import (
	"sync/atomic"
	"time"
)

// maxIdle is shorter than servers keep an idle connection.
const maxIdle = time.Second

// usage tells which requests of a client should find its last connection open.
type usage struct {
	open atomic.Int32
	// Unix time in nanoseconds; 0: there was no answer yet.
	lastAnswer atomic.Int64
}

// begin notes a request, and tells whether it should: no other one is under way, and the last answer came less than maxIdle ago.
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
