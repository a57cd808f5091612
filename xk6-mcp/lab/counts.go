package lab

import (
	"go.k6.io/k6/v2/metrics"

	mcp "mcp-load-lab/xk6-mcp"
)

// maxGroups bounds what a script's tags can make; what comes later is counted in one group without a name.
const maxGroups = 1000

// group is what samples are counted by.
type group struct {
	Phase     string `json:"phase"`
	Operation string `json:"operation"`
	Class     string `json:"class,omitempty"`
}

// share is how many of how many.
type share struct {
	Trues int64 `json:"trues"`
	Total int64 `json:"total"`
}

// counts is what was measured of a group, in a second or in all. Durations are milliseconds.
type counts struct {
	Requests int64            `json:"requests,omitempty"`
	Failed   int64            `json:"failed,omitempty"`
	Failures map[string]int64 `json:"failures,omitempty"`
	// By kind: the first and the last, Unix times in milliseconds.
	FailedAt   map[string][2]int64 `json:"failedAt,omitempty"`
	Rejected   int64               `json:"rejected,omitempty"`
	Additional int64               `json:"additional,omitempty"`
	Abandoned  int64               `json:"abandoned,omitempty"`
	// By limit: the share of calls that took it or longer.
	Slow       map[string]share `json:"slow,omitempty"`
	Duration   histogram        `json:"duration,omitempty"`
	FirstEvent histogram        `json:"firstEvent,omitempty"`

	// Of a phase: iterations that made a call, that were finished, and that k6 dropped.
	Started    int64 `json:"started,omitempty"`
	Iterations int64 `json:"iterations,omitempty"`
	Dropped    int64 `json:"dropped,omitempty"`
	// From the planned time of an iteration to its first call.
	Lateness histogram `json:"lateness,omitempty"`

	BytesSent     int64 `json:"bytesSent,omitempty"`
	BytesReceived int64 `json:"bytesReceived,omitempty"`
	// By name: what a script, or the client, measures besides.
	Metrics map[string]*other `json:"metrics,omitempty"`
}

func newCounts() *counts {
	return &counts{Failures: map[string]int64{}, FailedAt: map[string][2]int64{}, Slow: map[string]share{}, Duration: histogram{}, FirstEvent: histogram{}, Lateness: histogram{}}
}

func (c *counts) add(other *counts) {
	c.Requests += other.Requests
	c.Failed += other.Failed
	c.Rejected += other.Rejected
	c.Additional += other.Additional
	c.Abandoned += other.Abandoned
	for kind, count := range other.Failures {
		c.Failures[kind] += count
	}
	for kind, at := range other.FailedAt {
		c.failedAt(kind, at)
	}
	for limit, of := range other.Slow {
		c.Slow[limit] = share{c.Slow[limit].Trues + of.Trues, c.Slow[limit].Total + of.Total}
	}
	c.Duration.add(other.Duration)
	c.FirstEvent.add(other.FirstEvent)
	c.Started += other.Started
	c.Iterations += other.Iterations
	c.Dropped += other.Dropped
	c.Lateness.add(other.Lateness)
	c.BytesSent += other.BytesSent
	c.BytesReceived += other.BytesReceived
	for name, of := range other.Metrics {
		c.other(name).add(of)
	}
}

func (c *counts) failedAt(kind string, at [2]int64) {
	if known, ok := c.FailedAt[kind]; ok {
		at = [2]int64{min(at[0], known[0]), max(at[1], known[1])}
	}
	c.FailedAt[kind] = at
}

// counters says what a sample of a metric adds to the counts of its group.
func counters(registry *metrics.Registry) map[*metrics.Metric]func(c *counts, s *metrics.Sample) {
	all := make(map[*metrics.Metric]func(c *counts, s *metrics.Sample))
	for key, add := range map[string]func(c *counts, s *metrics.Sample){
		"requests":           func(c *counts, s *metrics.Sample) { c.Requests += int64(s.Value) },
		"requestFailed":      func(c *counts, s *metrics.Sample) { c.Failed += int64(s.Value) },
		"rejected":           func(c *counts, s *metrics.Sample) { c.Rejected += int64(s.Value) },
		"additionalRequests": func(c *counts, s *metrics.Sample) { c.Additional += int64(s.Value) },
		"abandoned":          func(c *counts, s *metrics.Sample) { c.Abandoned += int64(s.Value) },
		"requestDuration":    func(c *counts, s *metrics.Sample) { c.Duration.count(s.Value) },
		"timeToFirstEvent":   func(c *counts, s *metrics.Sample) { c.FirstEvent.count(s.Value) },
		"failures": func(c *counts, s *metrics.Sample) {
			kind, _ := s.Tags.Get(mcp.Names.Tags.Kind)
			c.Failures[kind] += int64(s.Value)
			c.failedAt(kind, [2]int64{s.Time.UnixMilli(), s.Time.UnixMilli()})
		},
		"slow": func(c *counts, s *metrics.Sample) {
			limit, _ := s.Tags.Get(mcp.Names.Tags.Limit)
			c.Slow[limit] = share{c.Slow[limit].Trues + int64(s.Value), c.Slow[limit].Total + 1}
		},
	} {
		all[registry.Get(mcp.Names.Metrics[key].Name)] = add
	}
	return all
}

// groupOf returns what a sample is counted by. A script that does not name its phases has k6's scenarios for them.
func groupOf(tags *metrics.TagSet, scenarios map[string]*scenario) group {
	phase, ok := tags.Get(mcp.Names.Tags.Phase)
	if !ok {
		phase, _ = tags.Get("scenario")
		// k6 does not give its dropped iterations the tags of their scenario.
		if s := scenarios[phase]; s != nil {
			phase = s.phase.Phase
		}
	}
	operation, _ := tags.Get(mcp.Names.Tags.Operation)
	class, _ := tags.Get(mcp.Names.Tags.Class)
	return group{phase, operation, class}
}
