package mcp

import (
	"net/http"
	"time"
)

const (
	// Where a stream says nothing, as the official SDKs do.
	defaultRetry     = time.Second
	maxReconnections = 20
)

// resume asks for the rest of a stream that ended before its reply (versions before 2026-07-28): by GET, with the id of the last event,
// after the time that the stream said. The exchange becomes that of the whole call.
func (c *Client) resume(k *call, r request, x *exchange) {
	deadline := x.began.Add(r.timeout)
	for range maxReconnections {
		point := x.resumption
		if c.isModern() || c.options.protocol != dialectMCP || point.lastEventID == "" {
			return
		}
		pause := point.retry
		if pause < 0 {
			pause = defaultRetry
		}
		left := time.Until(deadline) - pause
		if left <= 0 {
			x.failure = failed(kinds.Timeout, "no reply on the resumed stream in time")
			x.complete = false
			return
		}
		if !c.sleep(pause) {
			return
		}
		header := c.requestHeaders("", "")
		header.Set("Last-Event-ID", point.lastEventID)
		next := c.do(request{method: http.MethodGet, url: r.url, header: header, timeout: left, id: r.id})
		c.recordAdditional(k, &exchange{status: next.status}, nil)
		c.continueWith(x, next, point)
	}
}

// sleep returns false where the VU was ended meanwhile.
func (c *Client) sleep(pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.instance.vu.Context().Done():
		return false
	}
}

// continueWith makes an exchange one with the stream that went on.
func (c *Client) continueWith(x, next *exchange, point resumption) {
	offset := next.began.Sub(x.began)
	began := x.requestBegan()
	for _, one := range next.events {
		one.at += offset
		x.events = append(x.events, one)
	}
	x.failure, x.status, x.header, x.text, x.reply, x.complete = next.failure, next.status, next.header, next.text, next.reply, next.complete
	x.last = next.last + offset
	x.duration = x.last - began
	x.resumption = next.resumption
	if x.resumption.lastEventID == "" && next.complete && next.failure != nil && next.status == http.StatusOK {
		x.resumption.lastEventID = point.lastEventID
	}
	if x.resumption.retry < 0 {
		x.resumption.retry = point.retry
	}
}
