package mcp

import (
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"
)

const (
	// defaultRetry is the delay before a stream is resumed if the stream set no delay, as in the official SDKs.
	defaultRetry     = time.Second
	maxReconnections = 20
	// minHeldRetry is the minimum delay before a held stream is resumed. The number of times is not limited.
	minHeldRetry = 100 * time.Millisecond
)

// resume requests the rest of a stream that ended before its reply (versions before 2026-07-28). It sends a GET with the ID of the last event,
// after the delay that the stream set. x becomes the exchange of the whole call.
func (c *Client) resume(k *call, r request, x *exchange) {
	for count := 0; (count < maxReconnections || r.holds()) && !c.isModern() && x.lastEventID != ""; count++ {
		pause := x.retry
		if pause < 0 {
			pause = defaultRetry
		}
		if r.holds() {
			pause = max(pause, minHeldRetry)
		}
		gone := time.Since(x.began) + pause
		switch {
		case gone >= r.life():
			x.failure, x.complete = failed(kinds.Timeout, "no reply on the resumed stream in time"), false
			if r.holds() {
				x.failure, x.abandoned = nil, true
			}
			return
		// The ID is sent as a header.
		case len(x.lastEventID) > maxSessionID || !httpguts.ValidHeaderFieldValue(x.lastEventID):
			x.failure = failed(kinds.Protocol, "the id of the last event cannot be a header")
			return
		}
		select {
		case <-time.After(pause):
		case <-c.instance.vu.Context().Done():
			return
		}
		rest := k.bareRequest(http.MethodGet)
		rest.header.Set("Last-Event-ID", x.lastEventID)
		rest.id, rest.watcher, rest.earlierBytes, rest.earlierEvents = r.id, r.watcher, x.streamBytes, len(x.events)
		rest.abandonAfter = max(0, r.abandonAfter-gone)
		if !r.holds() {
			rest.timeout -= gone
		}
		next := c.do(rest)
		c.record(k, &exchange{status: next.status, isByServer: true}, true)
		x.continueWith(next)
	}
}

// continueWith appends the stream that resumed the exchange.
func (x *exchange) continueWith(next *exchange) {
	offset := next.began.Sub(x.began)
	for _, one := range next.events {
		one.at += offset
		x.events = append(x.events, one)
	}
	x.failure, x.status, x.header, x.text, x.reply, x.complete = next.failure, next.status, next.header, next.text, next.reply, next.complete
	x.abandoned, x.streamBytes = next.abandoned, next.streamBytes
	x.last = next.last + offset
	x.responseBytes += next.responseBytes
	x.isResumed, x.heard = true, next.heard
	// A stream without a new ID is resumed from the same event again.
	isOver := next.failure == nil || !next.complete && next.failure.kind != kinds.Connect || next.status != http.StatusOK
	if isOver {
		x.lastEventID = ""
	} else if next.lastEventID != "" {
		x.lastEventID = next.lastEventID
	}
	if next.retry >= 0 {
		x.retry = next.retry
	}
}
