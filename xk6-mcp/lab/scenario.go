package lab

import (
	"time"

	"go.k6.io/k6/v2/lib"

	mcp "mcp-load-lab/xk6-mcp"
)

// scenario is the part of a k6 scenario that counting needs.
type scenario struct {
	phase group
	// When k6 began to run the scenario; zero until its first iteration.
	began time.Time
	// How long the scenario starts iterations.
	length time.Duration
}

// scenariosOf returns the scenarios of a test by name.
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
		all[name] = s
	}
	return all
}

// isOver reports whether the scenario starts no more iterations.
func (s *scenario) isOver(at time.Time) bool {
	return s.length > 0 && !s.began.IsZero() && at.After(s.began.Add(s.length))
}
