package mcp

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.k6.io/k6/v2/metrics"
)

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
	c.count(k, x, isAdditional)
}

// count does what record does, but for the log.
func (c *Client) count(k *call, x *exchange, isAdditional bool) {
	f, m := x.failure, c.instance.metrics
	c.push(k, func(b *batch) {
		if !c.isMeasured() {
			// Such requests have no tags of a call.
			b.addTagged(m.WarmupRequests, k.vuTags, 1)
			return
		}
		if x.traceID != "" {
			b.tags.SetMetadata("trace_id", x.traceID)
		}
		b.add(m.Requests, 1)
		if x.abandoned {
			b.add(m.Abandoned, 1)
		} else if f != nil || !x.isByServer {
			b.add(m.RequestFailed, toFloat(f != nil))
		}
		if isAdditional {
			b.add(m.AdditionalRequests, 1)
		}
		if f != nil {
			b.addTagged(m.Failures, k.tags.With(Names.Tags.Kind, f.kind), 1)
			if f.rejected {
				b.add(m.Rejected, 1)
			}
		}
		// What was not answered has no duration: a dial that failed at once would pull every percentile down.
		if !isAdditional && x.complete && !x.isHandshake {
			b.add(m.RequestDuration, milliseconds(x.duration))
			for index, limit := range k.options.limits {
				b.addTagged(m.Slow, k.slowTags[index], toFloat(milliseconds(x.duration) >= limit))
			}
		}
		previous := x.requestBegan()
		for index, one := range x.events {
			b.addEvent(m, index == 0, one.at-previous)
			previous = one.at
		}
		if c.options.observe {
			b.observe(m, x)
		}
	})
}

// addEvent adds the time between an event and what was before it: the request, or another event.
func (b *batch) addEvent(m *instanceMetrics, isFirst bool, gap time.Duration) {
	if isFirst {
		b.add(m.TimeToFirstEvent, milliseconds(gap))
	} else {
		b.add(m.EventGap, milliseconds(gap))
	}
}

// requestBegan is when there was a connection to send the request on, as in k6's http_req_duration.
func (x *exchange) requestBegan() time.Duration { return x.last - x.duration }

// observe adds what tests about the network want to know.
func (b *batch) observe(m *instanceMetrics, x *exchange) {
	if x.connecting > 0 {
		b.add(m.Connections, 1)
		b.add(m.ConnectDuration, milliseconds(x.connecting))
		if x.tlsHandshaking > 0 {
			b.add(m.TLSDuration, milliseconds(x.tlsHandshaking))
		}
	}
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
	operation := k.method
	if name := k.options.tags[Names.Tags.Operation]; name != "" {
		operation = name
	}
	c.instance.vu.State().Logger.Errorf("failure %s of %s: %s", x.failure.kind, operation, c.describe(x))
}

func isSuccess(status int) bool {
	return status >= http.StatusOK && status < http.StatusMultipleChoices
}
