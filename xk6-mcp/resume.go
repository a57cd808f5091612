package mcp

import (
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"
)

const (
	// Where a stream says nothing, as the official SDKs do.
	defaultRetry     = time.Second
	maxReconnections = 20
	// A stream that is held goes on as often as the server likes, and not faster.
	minHeldRetry = 100 * time.Millisecond
)

// resume asks for the rest of a stream that ended before its reply (versions before 2026-07-28): by GET, with the id of the last event,
// after the time that the stream said. The exchange becomes that of the whole call.
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
		// It becomes a header, as a session's id does.
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

// continueWith makes an exchange one with the stream that went on.
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
	// A stream that brought no id goes on from the same event.
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
