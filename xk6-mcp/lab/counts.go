package lab

import (
	"time"

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
	// By kind: when the first and the last of these requests began, Unix times in milliseconds.
	FailedAt map[string][2]int64 `json:"failedAt,omitempty"`
	// Of a second: when calls began that went well, milliseconds into it, to a tenth of a second. A failure may come much later.
	WellOffsets histogram `json:"wellOffsets,omitempty"`
	Rejected    int64     `json:"rejected,omitempty"`
	Additional  int64     `json:"additional,omitempty"`
	Abandoned   int64     `json:"abandoned,omitempty"`
	// Calls that k6 interrupted, and when the first and the last of them began, Unix times in milliseconds.
	Interrupted   int64    `json:"interrupted,omitempty"`
	InterruptedAt [2]int64 `json:"interruptedAt,omitzero"`
	// By limit: the share of calls that were not answered within it.
	Slow map[string]share `json:"slow,omitempty"`
	// Latencies of calls, by outcome.
	Durations  map[string]histogram `json:"durations,omitempty"`
	FirstEvent histogram            `json:"firstEvent,omitempty"`
	// By outcome: calls that were answered in this second, whenever they began.
	Answered map[string]int64 `json:"answered,omitempty"`
	// Of all seconds together alone: the parts of the latencies, added up, and until when calls had a connection.
	Parts          *parts    `json:"parts,omitempty"`
	UntilConnected histogram `json:"untilConnected,omitempty"`
	// Likewise, by operation: calls that began while one of its calls was in flight, and, without a name, those that began alone.
	Overlaps overlaps `json:"overlaps,omitzero"`
	// Opened, and closed by the server after its answer.
	Connections int64 `json:"connections,omitempty"`
	// Requests less than a second after their client's last answer, and those of them that opened a connection.
	FollowUps         int64 `json:"followUps,omitempty"`
	Reconnections     int64 `json:"reconnections,omitempty"`
	ClosedConnections int64 `json:"closedConnections,omitempty"`

	// Of a phase: iterations that made a call, that were finished (late: after the phase had ended), and that k6 dropped.
	Started    int64 `json:"started,omitempty"`
	Iterations int64 `json:"iterations,omitempty"`
	Late       int64 `json:"late,omitempty"`
	Dropped    int64 `json:"dropped,omitempty"`

	BytesSent     int64 `json:"bytesSent,omitempty"`
	BytesReceived int64 `json:"bytesReceived,omitempty"`
	// By name: what a script, or the client, measures besides.
	Metrics map[string]*other `json:"metrics,omitempty"`
}

// parts are sums of those of mcp.Parts.
type parts struct {
	Blocked    float64 `json:"blocked"`
	Connecting float64 `json:"connecting"`
	TLS        float64 `json:"tls"`
	Sending    float64 `json:"sending"`
	Waiting    float64 `json:"waiting"`
	Receiving  float64 `json:"receiving"`
}

func newCounts() *counts {
	return &counts{
		Failures: map[string]int64{}, FailedAt: map[string][2]int64{}, Slow: map[string]share{}, Durations: map[string]histogram{},
		FirstEvent: histogram{}, Answered: map[string]int64{}, UntilConnected: histogram{}, WellOffsets: histogram{},
	}
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
	c.Interrupted += other.Interrupted
	c.interruptedAt(other.InterruptedAt)
	for outcome, of := range other.Durations {
		c.durations(outcome).add(of)
	}
	for outcome, count := range other.Answered {
		c.Answered[outcome] += count
	}
	c.Connections += other.Connections
	c.FollowUps += other.FollowUps
	c.Reconnections += other.Reconnections
	c.ClosedConnections += other.ClosedConnections
	c.FirstEvent.add(other.FirstEvent)
	c.Started += other.Started
	c.Iterations += other.Iterations
	c.Late += other.Late
	c.Dropped += other.Dropped
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

func (c *counts) interruptedAt(at [2]int64) {
	switch {
	case c.InterruptedAt[0] == 0:
		c.InterruptedAt = at
	case at[0] > 0:
		c.InterruptedAt = [2]int64{min(at[0], c.InterruptedAt[0]), max(at[1], c.InterruptedAt[1])}
	}
}

// wentWell counts a call by when it began.
func (c *counts) wentWell(began time.Time) {
	const tenth = 100
	c.WellOffsets.count(float64(began.UnixMilli()%1000/tenth*tenth + tenth/2))
}

func (c *counts) durations(outcome string) histogram {
	of := c.Durations[outcome]
	if of == nil {
		of = histogram{}
		c.Durations[outcome] = of
	}
	return of
}

// addParts adds those of a call.
func (c *counts) addParts(of mcp.Parts) {
	if c.Parts == nil {
		c.Parts = &parts{}
	}
	c.Parts.Blocked += metrics.D(of.Blocked)
	c.Parts.Connecting += metrics.D(of.Connecting)
	c.Parts.TLS += metrics.D(of.TLS)
	c.Parts.Sending += metrics.D(of.Sending)
	c.Parts.Waiting += metrics.D(of.Waiting)
	c.Parts.Receiving += metrics.D(of.Receiving)
	c.UntilConnected.count(metrics.D(of.Blocked + of.Connecting + of.TLS))
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
		"interrupted":        func(c *counts, s *metrics.Sample) { c.Interrupted += int64(s.Value) },
		"connections":        func(c *counts, s *metrics.Sample) { c.Connections += int64(s.Value) },
		"reconnections":      func(c *counts, s *metrics.Sample) { c.Reconnections += int64(s.Value) },
		"requestDuration": func(c *counts, s *metrics.Sample) {
			outcome, ok := s.Tags.Get(mcp.Names.Tags.Outcome)
			if !ok {
				outcome = mcp.Names.Outcomes.OK
			}
			c.durations(outcome).count(s.Value)
		},
		"timeToFirstEvent": func(c *counts, s *metrics.Sample) { c.FirstEvent.count(s.Value) },
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
