package lab

import (
	"time"

	"go.k6.io/k6/v2/metrics"

	mcp "mcp-load-lab/xk6-mcp"
)

// maxGroups bounds the groups that a script's tags can create. Samples of further groups are counted in one group without a name.
const maxGroups = 1000

// group is the set of tag values that samples are counted by.
type group struct {
	Phase     string `json:"phase"`
	Operation string `json:"operation"`
	Class     string `json:"class,omitempty"`
}

// share is a number of samples out of a total.
type share struct {
	Trues int64 `json:"trues"`
	Total int64 `json:"total"`
}

// counts holds the measurements of a group, for one second or for the whole run. Durations are in milliseconds.
type counts struct {
	Requests int64            `json:"requests,omitempty"`
	Failed   int64            `json:"failed,omitempty"`
	Failures map[string]int64 `json:"failures,omitempty"`
	// By kind: when the first and the last failed request began, as Unix time in milliseconds.
	FailedAt map[string][2]int64 `json:"failedAt,omitempty"`
	// In seconds.jsonl: when the successful calls of the second began, in milliseconds from its start, rounded to tenths of a second.
	WellOffsets histogram `json:"wellOffsets,omitempty"`
	Rejected    int64     `json:"rejected,omitempty"`
	Additional  int64     `json:"additional,omitempty"`
	// Successful requests that do not count for the failure rate.
	Protocol  int64 `json:"protocol,omitempty"`
	Abandoned int64 `json:"abandoned,omitempty"`
	// Calls that k6 interrupted, and when the first and the last of them began, as Unix time in milliseconds.
	Interrupted   int64    `json:"interrupted,omitempty"`
	InterruptedAt [2]int64 `json:"interruptedAt,omitzero"`
	// By limit: calls that were not answered within it, out of all calls.
	Slow map[string]share `json:"slow,omitempty"`
	// By outcome: the latencies of calls.
	Durations  map[string]histogram `json:"durations,omitempty"`
	FirstEvent histogram            `json:"firstEvent,omitempty"`
	// By outcome: calls that were answered in this second, regardless of when they began.
	Answered map[string]int64 `json:"answered,omitempty"`
	// Only for the whole run: the sums of the parts of the latencies, and the times until calls had a connection.
	Parts          *parts    `json:"parts,omitempty"`
	UntilConnected histogram `json:"untilConnected,omitempty"`
	// Only for the whole run, by operation: calls that began while a call of that operation was in flight. The name is empty for calls that
	// began while no other call was.
	Overlaps overlaps `json:"overlaps,omitzero"`
	// Connections opened.
	Connections int64 `json:"connections,omitempty"`
	// Requests that began less than a second after their client's last answer, and how many of them opened a connection.
	FollowUps     int64 `json:"followUps,omitempty"`
	Reconnections int64 `json:"reconnections,omitempty"`
	// Connections that the server closed after its answer.
	ClosedConnections int64 `json:"closedConnections,omitempty"`

	// Only for phases: iterations that made a call, iterations that were completed, iterations that were completed after the phase had ended,
	// and iterations that k6 dropped.
	Started    int64 `json:"started,omitempty"`
	Iterations int64 `json:"iterations,omitempty"`
	Late       int64 `json:"late,omitempty"`
	Dropped    int64 `json:"dropped,omitempty"`

	BytesSent     int64 `json:"bytesSent,omitempty"`
	BytesReceived int64 `json:"bytesReceived,omitempty"`
	// By name: metrics of the script, and metrics of the client that have no field here.
	Metrics map[string]*other `json:"metrics,omitempty"`
}

// parts holds the sums of the fields of mcp.Parts, in milliseconds.
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
	c.Protocol += other.Protocol
	c.Abandoned += other.Abandoned
	for kind, count := range other.Failures {
		c.Failures[kind] += count
	}
	for kind, at := range other.FailedAt {
		c.failedAt(kind, at)
	}
	for limit, slow := range other.Slow {
		c.Slow[limit] = share{c.Slow[limit].Trues + slow.Trues, c.Slow[limit].Total + slow.Total}
	}
	c.Interrupted += other.Interrupted
	c.interruptedAt(other.InterruptedAt)
	for outcome, durations := range other.Durations {
		c.durations(outcome).add(durations)
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
	for name, values := range other.Metrics {
		c.other(name).add(values)
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

// wentWell counts a successful call by when it began.
func (c *counts) wentWell(began time.Time) {
	const tenth = 100
	c.WellOffsets.count(float64(began.UnixMilli()%1000/tenth*tenth + tenth/2))
}

func (c *counts) durations(outcome string) histogram {
	durations := c.Durations[outcome]
	if durations == nil {
		durations = histogram{}
		c.Durations[outcome] = durations
	}
	return durations
}

func (c *counts) addParts(latency mcp.Parts) {
	if c.Parts == nil {
		c.Parts = &parts{}
	}
	c.Parts.Blocked += metrics.D(latency.Blocked)
	c.Parts.Connecting += metrics.D(latency.Connecting)
	c.Parts.TLS += metrics.D(latency.TLS)
	c.Parts.Sending += metrics.D(latency.Sending)
	c.Parts.Waiting += metrics.D(latency.Waiting)
	c.Parts.Receiving += metrics.D(latency.Receiving)
	c.UntilConnected.count(metrics.D(latency.Blocked + latency.Connecting + latency.TLS))
}

// counters returns, for each metric, the function that adds a sample to the counts of its group.
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

// groupOf returns the group of a sample. If a script does not tag its phases, k6's scenarios are the phases.
func groupOf(tags *metrics.TagSet, scenarios map[string]*scenario) group {
	phase, ok := tags.Get(mcp.Names.Tags.Phase)
	if !ok {
		phase, _ = tags.Get("scenario")
		// k6 emits dropped iterations without the tags of their scenario.
		if s := scenarios[phase]; s != nil {
			phase = s.phase.Phase
		}
	}
	operation, _ := tags.Get(mcp.Names.Tags.Operation)
	class, _ := tags.Get(mcp.Names.Tags.Class)
	return group{phase, operation, class}
}
