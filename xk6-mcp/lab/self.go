package lab

import "time"

const (
	timerEvery = 50 * time.Millisecond
	// jump is how far the wall clock goes off at once if somebody set it: else it only drifts.
	jump     = time.Second
	maxJumps = 20
)

// self is what k6's own process tells of itself: what keeps it busy, or keeps it from the processors, is in every latency.
type self struct {
	began time.Time
	// When the timer is to come next. A ticker would not do: it keeps a tick that nobody took for the moment somebody does.
	due time.Time
	cpu time.Duration
	// Of the wall clock against the monotonic one.
	drift time.Duration
	jumps []clockJump
}

// clockJump is one of the wall clock.
type clockJump struct {
	// Unix time in milliseconds.
	At int64 `json:"at"`
	// In seconds; below zero, it was set back.
	By float64 `json:"by"`
}

func newSelf(now time.Time) *self {
	return &self{began: now, due: now.Add(timerEvery), cpu: cpuTime()}
}

// watch looks each time that its timer comes, until it is told to stop.
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

// look returns how late the timer came, and the CPU time since the last look.
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
