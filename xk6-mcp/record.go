package mcp

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.k6.io/k6/v2/metrics"
)

// Request is the samples of one request, and what they do not say.
type Request struct {
	metrics.Samples
	// When the call began, and when the request ended. The samples have the time at which they reached k6: Prometheus does not take older ones.
	Began, Ended time.Time
	// A call ended in it.
	IsCall bool
	// One of names.json, and the latency's parts, of a call.
	Outcome string
	Parts   Parts
	// The VU that made it.
	VU uint64
	// Of a call that was sent: operations that had a call in flight when it began. One that got no session was not.
	IsSent  bool
	Overlap Overlap
	// The server closes the connection after its answer.
	ClosesConnection bool
	// It began less than a second after the client's last answer.
	IsFollowUp bool
	// k6 interrupted it.
	IsInterrupted bool
}

// Parts are those of a call's latency, which they add up to. Waiting includes earlier requests of the call.
type Parts struct {
	Blocked, Connecting, TLS, Sending, Waiting, Receiving time.Duration
}

// parts divides the latency.
func (x *exchange) parts() Parts {
	p := Parts{Connecting: x.connecting, TLS: x.tlsHandshaking}
	switch {
	case x.connected == x.last && x.connecting == 0:
		// It did not get a connection.
		p.Connecting = x.connected
	case x.connected == x.last && x.tlsHandshaking == 0:
		p.TLS = x.connected - x.connecting
	default:
		p.Blocked = x.blocked()
		p.Sending = max(0, x.written-x.connected)
		p.Receiving = max(0, x.last-x.firstByte)
	}
	p.Waiting = max(0, x.latency()-p.Blocked-p.Connecting-p.TLS-p.Sending-p.Receiving)
	return p
}

// blocked is how long a request with a connection waited, before or between the handshakes.
func (x *exchange) blocked() time.Duration { return max(0, x.connected-x.connecting-x.tlsHandshaking) }

// outcome is one of names.json.
func (x *exchange) outcome() string {
	switch {
	case !x.complete:
		return outcomes.Unanswered
	case x.failure == nil:
		return outcomes.OK
	case x.failure.rejected:
		return outcomes.Rejected
	}
	return outcomes.Failed
}

// isMeasured tells whether requests enter the metrics: not those of setup and teardown, which k6 runs as VU 0.
func (c *Client) isMeasured() bool { return c.measured && c.instance.vu.State().VUID != 0 }

// push sends k6 what is added for a call.
func (c *Client) push(k *call, add func(b *batch)) {
	metrics.PushIfNotDone(c.instance.vu.Context(), c.instance.vu.State().Samples, k.batch(add))
}

// batch returns what is added for a call.
func (k *call) batch(add func(b *batch)) metrics.Samples {
	state := k.client.instance.vu.State()
	values := state.Tags.GetCurrentValues()
	k.enterTags(values.Tags)
	b := &batch{samples: make(metrics.Samples, 0, 6), time: time.Now(), tags: metrics.TagsAndMeta{Tags: k.tags, Metadata: values.Metadata}}
	add(b)
	return b.samples
}

// measure adds one sample of a call, where its client measures.
func (c *Client) measure(k *call, metric *metrics.Metric, value float64) {
	if c.isMeasured() {
		c.push(k, func(b *batch) { b.add(metric, value) })
	}
}

// record counts a request, and logs a failure of a kind that was not met before. isAdditional: no call ends in it (of a handshake, a session's end,
// a resumed stream, a round of input)
func (c *Client) record(k *call, x *exchange, isAdditional bool) {
	if x.failure != nil {
		c.logOnce(k, x)
	}
	c.logInvalid()
	c.count(k, x, isAdditional)
}

// count does what record does, but for the log.
func (c *Client) count(k *call, x *exchange, isAdditional bool) {
	m := c.instance.metrics
	if !c.isMeasured() {
		// Such requests have no tags of a call.
		c.push(k, func(b *batch) { b.addTagged(m.WarmupRequests, k.vuTags, 1) })
		return
	}
	request := &Request{
		Began: x.callBegan, Ended: x.began.Add(x.last), IsCall: !isAdditional && !x.abandoned && !x.isHeld, ClosesConnection: x.closesConnection,
		IsFollowUp: x.isFollowUp, VU: c.instance.vu.State().VUID,
	}
	if c.instance.vu.Context().Err() != nil {
		if request.IsCall && !x.complete {
			request.IsCall, request.IsInterrupted = false, true
			request.Samples = k.batch(func(b *batch) { b.add(m.Interrupted, 1) })
			// k6 waits for its VUs.
			c.instance.vu.State().Samples <- request
		}
		return
	}
	request.Samples = k.batch(func(b *batch) {
		if x.traceID != "" {
			b.tags.SetMetadata("trace_id", x.traceID)
		}
		b.addOutcome(m, k, x)
		if isAdditional {
			b.add(m.AdditionalRequests, 1)
		}
		if request.IsCall {
			request.Outcome, request.Parts = x.outcome(), x.parts()
			request.IsSent, request.Overlap = x.isSent, x.overlap
			b.addLatency(m, k, x, request.Outcome)
			if p := c.process; p != nil && x.failure == nil && p.hasAnswered.CompareAndSwap(false, true) {
				b.add(m.ProcessFirstAnswer, milliseconds(request.Ended.Sub(p.began)))
			}
		}
		if x.isNewConnection {
			b.addConnection(m, x)
		}
		previous := x.callBegan.Sub(x.began)
		for index, one := range x.events {
			b.addEvent(m, index == 0, one.at-previous)
			previous = one.at
		}
		if c.options.observe {
			b.observe(m, x)
		}
		if count := c.invalid.count.Swap(0); count > 0 {
			b.add(m.InvalidMessages, float64(count))
		}
	})
	metrics.PushIfNotDone(c.instance.vu.Context(), c.instance.vu.State().Samples, request)
}

func (b *batch) addOutcome(m *instanceMetrics, k *call, x *exchange) {
	b.add(m.Requests, 1)
	f := x.failure
	if x.abandoned {
		b.add(m.Abandoned, 1)
	} else if f != nil || !x.isByServer {
		b.add(m.RequestFailed, toFloat(f != nil))
	}
	if f != nil {
		b.addTagged(m.Failures, k.tags.With(Names.Tags.Kind, f.kind), 1)
		if f.rejected {
			b.add(m.Rejected, 1)
		}
	}
}

// addLatency adds that of a call. One without an answer was not answered within any limit.
func (b *batch) addLatency(m *instanceMetrics, k *call, x *exchange, outcome string) {
	latency := milliseconds(x.latency())
	b.addTagged(m.RequestDuration, k.outcomeTags(outcome), latency)
	for index, limit := range k.options.limits {
		b.addTagged(m.Slow, k.slowTags[index], toFloat(!x.complete || latency >= limit))
	}
}

func (b *batch) addConnection(m *instanceMetrics, x *exchange) {
	b.add(m.Connections, 1)
	if x.isFollowUp {
		b.add(m.Reconnections, 1)
	}
	b.add(m.RequestBlocked, milliseconds(x.blocked()))
	b.add(m.RequestConnecting, milliseconds(x.connecting))
	if x.tlsHandshaking > 0 {
		b.add(m.RequestTLS, milliseconds(x.tlsHandshaking))
	}
}

// addEvent adds the time between an event and what was before it: the call's beginning, or another event.
func (b *batch) addEvent(m *instanceMetrics, isFirst bool, gap time.Duration) {
	if isFirst {
		b.add(m.TimeToFirstEvent, milliseconds(gap))
	} else {
		b.add(m.EventGap, milliseconds(gap))
	}
}

// observe adds what tests about the network want to know.
func (b *batch) observe(m *instanceMetrics, x *exchange) {
	if x.status == 0 {
		return
	}
	b.add(m.RequestBytes, float64(x.requestBytes))
	b.add(m.ResponseBytes, float64(x.responseBytes))
	if x.compressed {
		b.add(m.Compressed, 1)
	}
	if _, after, ok := strings.Cut(x.header.Get("Keep-Alive"), "timeout="); ok {
		digits, _, _ := strings.Cut(after, ",")
		if seconds, err := strconv.ParseUint(digits, 10, 32); err == nil {
			b.add(m.KeepAlive, float64(seconds))
		}
	}
}

func toFloat(value bool) float64 {
	if value {
		return 1
	}
	return 0
}

// logOnce logs one line for each kind of failure and client: enough to see what happened, never a flood.
func (c *Client) logOnce(k *call, x *exchange) {
	// What the end of the run cut off is no failure of the server's.
	if c.instance.vu.Context().Err() != nil {
		return
	}
	if _, isLogged := c.logged.LoadOrStore(x.failure.kind, true); isLogged {
		return
	}
	c.instance.vu.State().Logger.Errorf("failure %s of %s: %s", x.failure.kind, k.operation(), c.describe(x))
}

// logInvalid shows the first message that is none.
func (c *Client) logInvalid() {
	first := c.invalid.first.Load()
	if first == nil {
		return
	}
	if _, isLogged := c.logged.LoadOrStore(first, true); !isLogged {
		c.instance.vu.State().Logger.Warnf("the server wrote what is no JSON-RPC message: %s", oneLine(c.redact(*first), maxShown))
	}
}

func isSuccess(status int) bool {
	return status >= http.StatusOK && status < http.StatusMultipleChoices
}
