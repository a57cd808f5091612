package lab

import (
	"math"
	"slices"
	"sort"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/metrics"

	mcp "mcp-load-lab/xk6-mcp"
)

const (
	// settledAfter is how long starts wait for the drops before them: samples reach an output a little late.
	settledAfter = time.Second
	maxSlots     = 1 << 40
)

// maxDrops bounds what is kept about dropped iterations.
var maxDrops = 100_000

// scenario pairs the iterations of a k6 scenario with the slots of its plan. k6 starts or drops an iteration at each slot, in order. The time of
// a drop gives its slot, because k6 drops at once; the starts have the other slots, in the order of their numbers. The time of a start does not
// give its slot: a script may do any work before its first call.
type scenario struct {
	phase group
	plan  plan
	// When k6 began to run it, zero before its first start.
	began time.Time
	// For which it starts iterations.
	length time.Duration
	// From then to the time that slots are planned from, in nanoseconds. ramping-arrival-rate activates its VUs first: only an upper bound is
	// known, which iterations lower.
	zero      float64
	isRamping bool

	starts []mcp.Start
	// Times of drops whose slots are not decided yet.
	drops     []time.Time
	firstDrop time.Time
	// For each drop, in order: how many iterations had been started.
	startedBefore []int64
	// How many of the oldest are not kept any more.
	forgotten int
}

// scenariosOf returns a test's by their names.
func scenariosOf(options lib.Options) map[string]*scenario {
	all := make(map[string]*scenario)
	tuple, err := lib.NewExecutionTuple(options.ExecutionSegment, options.ExecutionSegmentSequence)
	for name, config := range options.Scenarios {
		s := &scenario{phase: group{Phase: name}}
		if phase, ok := config.GetTags()[mcp.Names.Tags.Phase]; ok {
			s.phase.Phase = phase
		}
		if err == nil {
			end, _ := lib.GetEndOffset(config.GetExecutionRequirements(tuple))
			s.length = end - config.GetGracefulStop()
		}
		// Without the tag nobody knows whose drops they are.
		if err == nil && (options.SystemTags == nil || options.SystemTags.Has(metrics.TagScenario)) {
			s.plan = planOf(config, tuple)
		}
		if _, s.isRamping = config.(*executor.RampingArrivalRateConfig); s.isRamping {
			s.zero = math.Inf(1)
		}
		all[name] = s
	}
	return all
}

func (s *scenario) addStart(start mcp.Start) {
	s.began = start.ScenarioStart
	if s.plan != nil {
		s.starts = append(s.starts, start)
	}
}

// isOver tells whether no iteration is started any more.
func (s *scenario) isOver(at time.Time) bool {
	return s.length > 0 && !s.began.IsZero() && at.After(s.began.Add(s.length))
}

func (s *scenario) addDrop(at time.Time) {
	if s.plan == nil {
		return
	}
	if s.firstDrop.IsZero() {
		s.firstDrop = at
	}
	if s.drops = append(s.drops, at); len(s.drops) > maxDrops {
		// None of them can be decided without a start.
		s.plan, s.drops, s.starts = nil, nil, nil
	}
}

// addEnd takes the sample of an iteration's duration, which says when it began.
func (s *scenario) addEnd(sample *metrics.Sample) {
	if s.isRamping && s.plan != nil && !s.began.IsZero() {
		s.boundZero(sample.Time.Add(-time.Duration(sample.Value*float64(time.Millisecond))), 0)
	}
}

// boundZero lowers the zero to what an iteration allows that k6 started or dropped at a time, for this slot or a later one.
func (s *scenario) boundZero(at time.Time, slot int64) {
	if planned := s.plan(slot); s.isRamping && !math.IsInf(planned, 1) {
		s.zero = max(0, min(s.zero, float64(at.Sub(s.began))-planned))
	}
}

// elapsed returns how long after the time that slots are planned from a time is.
func (s *scenario) elapsed(at time.Time) float64 { return float64(at.Sub(s.began)) - s.zero }

// settle counts how late the starts before a time came.
func (s *scenario) settle(before time.Time, count func(at time.Time, late time.Duration)) {
	if s.plan == nil || s.began.IsZero() {
		return
	}
	if len(s.drops) > 0 {
		s.boundZero(s.firstDrop, 0)
	}
	for _, start := range s.starts {
		// Nothing was dropped before: its number is its slot.
		if start.Time.Before(before) && (s.firstDrop.IsZero() || start.Time.Before(s.firstDrop)) {
			s.boundZero(start.Time, start.Number)
		}
	}
	s.settleDrops(before)
	s.starts = slices.DeleteFunc(s.starts, func(start mcp.Start) bool {
		if !start.Time.Before(before) {
			return false
		}
		if s.forgotten == 0 || start.Number >= s.startedBefore[0] {
			dropped := sort.Search(len(s.startedBefore), func(drop int) bool { return s.startedBefore[drop] > start.Number })
			late := s.elapsed(start.Time) - s.plan(start.Number+int64(s.forgotten+dropped))
			count(start.Time, time.Duration(max(0, late)))
		}
		return true
	})
}

// settleDrops decides the slots of the drops before a time.
func (s *scenario) settleDrops(before time.Time) {
	slots := make([]int64, len(s.drops))
	next := int64(maxSlots)
	// After a stall k6 catches up: it starts iterations while VUs are free, then drops the rest. Drops have the last slots of such a burst.
	for index, at := range slices.Backward(s.drops) {
		next = min(next-1, s.lastSlot(s.elapsed(at)))
		slots[index] = next
	}
	settled := 0
	for ; settled < len(slots) && s.drops[settled].Before(before); settled++ {
		started := slots[settled] - int64(s.forgotten+len(s.startedBefore))
		if known := len(s.startedBefore); known > 0 {
			started = max(started, s.startedBefore[known-1])
		}
		s.startedBefore = append(s.startedBefore, max(0, started))
	}
	s.drops = slices.Delete(s.drops, 0, settled)
	if excess := len(s.startedBefore) - maxDrops; excess > maxDrops {
		s.startedBefore = slices.Delete(s.startedBefore, 0, excess)
		s.forgotten += excess
	}
}

// lastSlot returns the last that is planned by a time.
func (s *scenario) lastSlot(elapsed float64) int64 {
	return int64(sort.Search(maxSlots, func(slot int) bool {
		planned := s.plan(int64(slot))
		if s.isRamping && slot > 0 && !math.IsInf(planned, 1) {
			// The zero may be a little too high.
			planned -= (planned - s.plan(int64(slot-1))) / 4
		}
		return planned > elapsed
	})) - 1
}
