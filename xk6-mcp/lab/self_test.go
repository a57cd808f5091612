package lab

import (
	"testing"
	"time"
)

func TestTimerStaysOnItsGrid(t *testing.T) {
	began := time.Now()
	s := newSelf(began)
	for _, one := range []struct{ at, late time.Duration }{
		{50 * time.Millisecond, 0},
		{101 * time.Millisecond, time.Millisecond},
		// The process did not run for two seconds: 40 ticks were skipped.
		{2152 * time.Millisecond, 2002 * time.Millisecond},
		{2203 * time.Millisecond, 3 * time.Millisecond},
		{2250 * time.Millisecond, 0},
	} {
		if late, _ := s.look(began.Add(one.at)); late != one.late {
			t.Errorf("at %v: %v late, want %v", one.at, late, one.late)
		}
	}
}

func TestTimerIsNotLateByItself(t *testing.T) {
	s := newSelf(time.Now().Add(-20 * time.Millisecond))
	stop := make(chan struct{})
	late := 0
	ticks := 0
	s.watch(stop, func(by, _ time.Duration) {
		// This machine may not be idle: only most of the ticks have to be on time.
		if by > 10*time.Millisecond {
			late++
		}
		if ticks++; ticks == 3 {
			time.Sleep(120 * time.Millisecond)
		}
		if ticks == 10 {
			close(stop)
		}
	})
	if ticks != 10 || late > 5 {
		t.Errorf("%d of %d ticks came late", late, ticks)
	}
}

func TestCPUTime(t *testing.T) {
	s := newSelf(time.Now())
	for busy := time.Now(); time.Since(busy) < 50*time.Millisecond; {
	}
	if _, used := s.look(time.Now()); used <= 0 || used > time.Minute {
		t.Errorf("used %v", used)
	}
	if _, used := s.look(time.Now()); used > 10*time.Second {
		t.Errorf("counted twice: %v", used)
	}
}

func TestClockJumps(t *testing.T) {
	began := time.Now()
	s := newSelf(began)
	s.look(began.Add(time.Second))
	if len(s.jumps) != 0 {
		t.Errorf("it only went on: %v", s.jumps)
	}
	// As if the clock had been one hour behind until now.
	s.drift = -time.Hour
	s.look(began.Add(2 * time.Second))
	if len(s.jumps) != 1 || s.jumps[0].By != 3600 || s.jumps[0].At != began.Add(2*time.Second).UnixMilli() {
		t.Errorf("an hour ahead: %v", s.jumps)
	}
	s.look(began.Add(3 * time.Second))
	if len(s.jumps) != 1 {
		t.Errorf("it was said again: %v", s.jumps)
	}
}
