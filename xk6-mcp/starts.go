package mcp

import (
	"sync"
	"sync/atomic"
	"time"

	"go.k6.io/k6/v2/lib"
)

// Start is the first use of a client in an iteration.
type Start struct {
	Scenario string
	Time     time.Time
	// When k6 began to run the scenario.
	ScenarioStart time.Time
}

// Starts collects starts for an output.
type Starts struct {
	guard  sync.Mutex
	starts []Start
}

// listener is where starts are collected, nil without an output that takes them.
var listener atomic.Pointer[Starts]

// CollectStarts returns where starts are collected from now on.
func CollectStarts() *Starts {
	s := &Starts{}
	listener.Store(s)
	return s
}

// Close ends the collection.
func (s *Starts) Close() { listener.CompareAndSwap(s, nil) }

// Drain returns what was collected since the last time.
func (s *Starts) Drain() []Start {
	s.guard.Lock()
	defer s.guard.Unlock()
	drained := s.starts
	s.starts = nil
	return drained
}

// noteStart notes that the iteration of a VU has begun. k6 runs setup and teardown outside of scenarios.
func (m *ModuleInstance) noteStart(state *lib.State) {
	m.noted = state.Iteration
	s := listener.Load()
	if s == nil {
		return
	}
	ctx := m.vu.Context()
	scenario := lib.GetScenarioState(ctx)
	// The end of a run cuts a sleep short; the call after it is not made.
	if scenario == nil || ctx.Err() != nil {
		return
	}
	start := Start{scenario.Name, time.Now(), scenario.StartTime}
	s.guard.Lock()
	defer s.guard.Unlock()
	s.starts = append(s.starts, start)
}
