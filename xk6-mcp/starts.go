package mcp

import (
	"sync"
	"sync/atomic"
	"time"

	"go.k6.io/k6/v2/lib"
)

// Start is the first use of a client in an iteration.
type Start struct {
	Scenario      string
	Time          time.Time
	ScenarioStart time.Time
}

// Starts collects the starts of iterations for an output.
type Starts struct {
	guard  sync.Mutex
	starts []Start
}

// listener collects the starts. It is nil without an output that needs them.
var listener atomic.Pointer[Starts]

// CollectStarts begins to collect starts.
func CollectStarts() *Starts {
	s := &Starts{}
	listener.Store(s)
	return s
}

// Close stops collecting.
func (s *Starts) Close() { listener.CompareAndSwap(s, nil) }

// Drain returns the starts since the last call.
func (s *Starts) Drain() []Start {
	s.guard.Lock()
	defer s.guard.Unlock()
	drained := s.starts
	s.starts = nil
	return drained
}

// noteStart records that the VU has begun an iteration. setup and teardown have none: k6 runs them outside of scenarios.
func (m *ModuleInstance) noteStart(state *lib.State) {
	m.noted = state.Iteration
	s := listener.Load()
	if s == nil {
		return
	}
	ctx := m.vu.Context()
	scenario := lib.GetScenarioState(ctx)
	// The end of a run cuts sleeps short. A call after such a sleep is not made.
	if scenario == nil || ctx.Err() != nil {
		return
	}
	start := Start{scenario.Name, time.Now(), scenario.StartTime}
	s.guard.Lock()
	defer s.guard.Unlock()
	s.starts = append(s.starts, start)
}
