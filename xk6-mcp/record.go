package mcp

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.k6.io/k6/v2/metrics"
)

// Request holds the samples of one request, and what the samples do not tell.
type Request struct {
	metrics.Samples
	// When the call began, and when the request ended. The samples carry the time at which they reach k6, because Prometheus rejects samples
	// with an older time.
	Began, Ended time.Time
	// The request is the one in which a call ended.
	IsCall bool
	// The request succeeded and no call ended in it: a handshake, for example. It does not count for the failure rate.
	IsProtocol bool
	// The outcome of the call, as named in names.json, and the parts of its latency.
	Outcome string
	Parts   Parts
	// The ID of the VU that made the request.
	VU uint64
	// Whether the call was sent, and the operations that had a call in flight when it began. A call that got no session was not sent.
	IsSent  bool
	Overlap Overlap
	// The server closes the connection after its answer.
	ClosesConnection bool
	// The request began less than a second after the client's last answer.
	IsFollowUp    bool
	IsInterrupted bool
}

// Parts are the parts of a call's latency. They add up to it. Waiting includes the earlier requests of the call.
type Parts struct {
	Blocked, Connecting, TLS, Sending, Waiting, Receiving time.Duration
}

func (x *exchange) parts() Parts {
	p := Parts{Connecting: x.connecting, TLS: x.tlsHandshaking}
	switch {
	case x.connected == x.last && x.connecting == 0:
		// The TCP connection was not established.
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

// blocked returns how long a request waited for a connection, apart from the TCP and TLS handshakes.
func (x *exchange) blocked() time.Duration { return max(0, x.connected-x.connecting-x.tlsHandshaking) }

// outcome returns the outcome of the exchange, as named in names.json.
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

// isMeasured reports whether requests are measured. Those of setup and teardown, which k6 runs as VU 0, are not.
func (c *Client) isMeasured() bool { return c.measured && c.instance.vu.State().VUID != 0 }

// push sends k6 the samples that add adds for a call.
func (c *Client) push(k *call, add func(b *batch)) {
	metrics.PushIfNotDone(c.instance.vu.Context(), c.instance.vu.State().Samples, k.batch(add))
}

// batch returns the samples that add adds for a call.
func (k *call) batch(add func(b *batch)) metrics.Samples {
	state := k.client.instance.vu.State()
	values := state.Tags.GetCurrentValues()
	k.enterTags(values.Tags)
	b := &batch{samples: make(metrics.Samples, 0, 6), time: time.Now(), tags: metrics.TagsAndMeta{Tags: k.tags, Metadata: values.Metadata}}
	add(b)
	return b.samples
}

// measure adds one sample for a call if the client is measured.
func (c *Client) measure(k *call, metric *metrics.Metric, value float64) {
	if c.isMeasured() {
		c.push(k, func(b *batch) { b.add(metric, value) })
	}
}

// record counts a request, and logs its failure if it is the client's first one of that kind. isAdditional is set if no call ends in the
// request: a handshake, the end of a session, a resumed stream, a round of input.
func (c *Client) record(k *call, x *exchange, isAdditional bool) {
	if x.failure != nil {
		c.logOnce(k, x)
	}
	c.logInvalid()
	c.count(k, x, isAdditional)
}

// count counts a request without logging it.
func (c *Client) count(k *call, x *exchange, isAdditional bool) {
	m := c.instance.metrics
	if !c.isMeasured() {
		// Unmeasured requests carry the tags of their VU only.
		c.push(k, func(b *batch) { b.addTagged(m.WarmupRequests, k.vuTags, 1) })
		return
	}
	request := &Request{
		Began: x.callBegan, Ended: x.began.Add(x.last), IsCall: !isAdditional && !x.abandoned && !x.isHeld, ClosesConnection: x.closesConnection,
		IsProtocol: isAdditional && x.failure == nil, IsFollowUp: x.isFollowUp, VU: c.instance.vu.State().VUID,
	}
	if c.instance.vu.Context().Err() != nil {
		if request.IsCall && !x.complete {
			request.IsCall, request.IsInterrupted = false, true
			request.Samples = k.batch(func(b *batch) { b.add(m.Interrupted, 1) })
			// k6 waits for its VUs to end, so the output still receives this sample.
			c.instance.vu.State().Samples <- request
		}
		return
	}
	request.Samples = k.batch(func(b *batch) {
		if x.traceID != "" {
			b.tags.SetMetadata("trace_id", x.traceID)
		}
		b.addOutcome(m, k, x, request.IsProtocol)
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

func (b *batch) addOutcome(m *instanceMetrics, k *call, x *exchange, isProtocol bool) {
	b.add(m.Requests, 1)
	f := x.failure
	if x.abandoned {
		b.add(m.Abandoned, 1)
	} else if f != nil || !x.isByServer && !isProtocol {
		b.add(m.RequestFailed, toFloat(f != nil))
	}
	if f != nil {
		b.addTagged(m.Failures, k.tags.With(Names.Tags.Kind, f.kind), 1)
		if f.rejected {
			b.add(m.Rejected, 1)
		}
	}
}

// addLatency adds the latency of a call. A call without an answer exceeds every limit.
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

// addEvent adds the time since the previous event, or since the call began if it is the first event.
func (b *batch) addEvent(m *instanceMetrics, isFirst bool, gap time.Duration) {
	if isFirst {
		b.add(m.TimeToFirstEvent, milliseconds(gap))
	} else {
		b.add(m.EventGap, milliseconds(gap))
	}
}

// observe adds the samples of the option observe.
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

// logOnce logs the first failure of each kind per client: enough to see what happened, without flooding the log.
func (c *Client) logOnce(k *call, x *exchange) {
	// A request that is cut off by the end of the run is not a failure of the server.
	if c.instance.vu.Context().Err() != nil {
		return
	}
	if _, isLogged := c.logged.LoadOrStore(x.failure.kind, true); isLogged {
		return
	}
	c.instance.vu.State().Logger.Errorf("failure %s of %s: %s", x.failure.kind, k.operation(), c.describe(x))
}

// logInvalid logs the first line that is not a JSON-RPC message.
func (c *Client) logInvalid() {
	first := c.invalid.first.Load()
	if first == nil {
		return
	}
	if _, isLogged := c.logged.LoadOrStore(first, true); !isLogged {
		c.instance.vu.State().Logger.Warnf("the server wrote a line that is not a JSON-RPC message: %s", oneLine(c.redact(*first), maxShown))
	}
}

func isSuccess(status int) bool {
	return status >= http.StatusOK && status < http.StatusMultipleChoices
}
