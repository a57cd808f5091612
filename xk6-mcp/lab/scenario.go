package lab

import (
	"time"

	"go.k6.io/k6/v2/lib"

	mcp "mcp-load-lab/xk6-mcp"
)

// scenario is what counting needs of a k6 scenario.
type scenario struct {
	phase group
	// When k6 began to run it, zero before its first start.
	began time.Time
	// For which it starts iterations.
	length time.Duration
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
		all[name] = s
	}
	return all
}

// isOver tells whether no iteration is started any more.
func (s *scenario) isOver(at time.Time) bool {
	return s.length > 0 && !s.began.IsZero() && at.After(s.began.Add(s.length))
}
