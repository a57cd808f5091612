package lab

import "time"

const (
	timerEvery = 50 * time.Millisecond
	// jump is the step of the wall clock from which it counts as having been set. Smaller steps are drift.
	jump     = time.Second
	maxJumps = 20
)

// self observes k6's own process: while it is busy or is not scheduled, all latencies are too high.
type self struct {
	began time.Time
	// When the timer is due. A time.Ticker would not do: it buffers a tick until somebody receives it.
	due time.Time
	cpu time.Duration
	// Difference between the wall clock and the monotonic clock since began.
	drift time.Duration
	jumps []clockJump
}

// clockJump is a step of the wall clock.
type clockJump struct {
	// Unix time in milliseconds.
	At int64 `json:"at"`
	// Seconds; negative if the clock was set back.
	By float64 `json:"by"`
}

func newSelf(now time.Time) *self {
	return &self{began: now, due: now.Add(timerEvery), cpu: cpuTime()}
}

// watch calls tell each time the timer fires, until stop is closed.
func (s *self) watch(stop <-chan struct{}, tell func(late, used time.Duration)) {
	timer := time.NewTimer(time.Until(s.due))
	defer timer.Stop()
	for {
		select {
		case <-stop:
			return
		case <-timer.C:
			tell(s.look(time.Now()))
			timer.Reset(time.Until(s.due))
		}
	}
}

// look returns how late the timer fired, and the CPU time since the last call.
func (s *self) look(now time.Time) (late, used time.Duration) {
	late = max(0, now.Sub(s.due))
	s.due = s.due.Add((late/timerEvery + 1) * timerEvery)
	total := cpuTime()
	used, s.cpu = total-s.cpu, total
	s.lookAtClock(now)
	return late, used
}

func (s *self) lookAtClock(now time.Time) {
	// Round strips the monotonic clock.
	drift := now.Round(0).Sub(s.began.Round(0)) - now.Sub(s.began)
	by := drift - s.drift
	s.drift = drift
	if by.Abs() > jump && len(s.jumps) < maxJumps {
		s.jumps = append(s.jumps, clockJump{At: now.UnixMilli(), By: by.Seconds()})
	}
}
