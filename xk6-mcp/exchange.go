package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// noEnd is the life of a stream that is held without an end.
const noEnd = 365 * 24 * time.Hour

// request is one HTTP request of a client.
type request struct {
	method string
	url    *url.URL
	header http.Header
	// Those of the header that the call has, and not its client.
	callHeaders http.Header
	body        []byte
	timeout     time.Duration
	// JSON-RPC id of the reply; 0: none is expected; noReply: a stream that has none
	id int64
	// When the client gives up waiting; 0: it does not.
	abandonAfter time.Duration
	// Who follows the stream, if anybody does.
	watcher *watcher
	// Ends the time in which a stream that is held has to begin.
	begun func() bool
	// What the call remembers of its answers, where it does.
	memo *memo
	// The call's; empty for requests of the protocol.
	operation string
	// Requests of the server's own that were answered.
	asked int
	// Of the streams that this one goes on from.
	earlierBytes  int64
	earlierEvents int
}

// noReply is the id of no request.
const noReply = -1

// watcher follows a stream while it is read.
type watcher struct {
	// The stream is there to be held: its timeout is for its begin, its events are not kept, and each of them may have the size that an answer may.
	holds  bool
	opened func()
	// said: the event's message, if it has one
	heard func(x *exchange, said message)
}

// exchange is one HTTP request and what came of it.
type exchange struct {
	failure *failure
	// What the server answered to server/discover, if initialize was sent because of it.
	refusal string
	// What was sent, of which a server may make its answer.
	sent, sentByCall http.Header
	// 0: no answer
	status int
	header http.Header
	// The message with the reply, or a body that has none.
	text  string
	reply message
	// In place of the text, where the answer was known.
	known  memo
	id     int64
	events []event
	// When the request began; the other times are relative to it.
	began                    time.Time
	written, firstByte, last time.Duration
	// When the call began: earlier than its last request if that is not its first.
	callBegan time.Time
	// When there was a connection. Without one it is when the client stopped waiting.
	connected   time.Duration
	isConnected bool
	// The answer was read to its end, or to its reply.
	complete bool
	// The client gave up waiting.
	abandoned                  bool
	connecting, tlsHandshaking time.Duration
	isNewConnection            bool
	// A server that keeps connections has kept the client's last one: it can't have been idle for too long.
	isFollowUp bool
	// The server closes the connection after its answer.
	closesConnection            bool
	requestBytes, responseBytes int64
	// Of a stream and those that it went on from, decompressed.
	streamBytes int64
	compressed  bool
	traceID     string
	// It was repeated with the input that the server asked for.
	hadInput bool
	// A stream that was held; when it was asked for, the last time, as a Unix time in nanoseconds; when its last byte came. Zero: never.
	isHeld bool
	sentAt atomic.Int64
	heard  time.Time
	// The server had it made: that it went well says nothing of the calls.
	isByServer bool
	// The call's own, and not a handshake before it: operations that had a call in flight when it began.
	isSent  bool
	overlap Overlap
	// Where a stream that ended before its reply goes on, and whether it did.
	lastEventID string
	retry       time.Duration
	isResumed   bool
}

// transport carries the requests of clients to a server.
type transport interface {
	// prepare makes sure that there is something to send requests to, for a client that is about to make a call. It tells whether that is new, so
	// that nothing was negotiated with it.
	prepare(c *Client) (isNew bool, f *failure)
	// roundTrip sends a request, and reads what comes of it until the context ends.
	roundTrip(ctx context.Context, cancel context.CancelFunc, c *Client, r request, x *exchange)
	// leave ends what the client has on the server, if that is its own.
	leave(c *Client)
	// name is the server's, without what may be a secret.
	name() string
	// key is the same for clients that use the same server.
	key() string
	// opened ends what prepare began for a client to which the server is new.
	opened(c *Client, isOpen bool)
}

// do sends one request and reads its answer.
func (c *Client) do(r request) *exchange {
	state := c.instance.vu.State()
	if state.RPSLimit != nil {
		// It fails where the VU ends, as the request then does.
		_ = state.RPSLimit.Wait(c.instance.vu.Context())
	}
	ctx, cancel := context.WithTimeout(c.instance.vu.Context(), r.life())
	defer cancel()
	began := time.Now()
	x := &exchange{began: began, callBegan: began, requestBytes: int64(len(r.body)), sent: r.header, sentByCall: r.callHeaders}
	if r.holds() {
		timer := time.AfterFunc(r.timeout, cancel)
		defer timer.Stop()
		r.begun = timer.Stop
	}
	c.transport.roundTrip(ctx, cancel, c, r, x)
	// What had failed before, or had no connection, is no less a failure.
	if r.givesUp() && x.ranOutOfTime() && x.isConnected && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		x.failure, x.abandoned = nil, true
	}
	return x
}

func (r *request) holds() bool { return r.watcher != nil && r.watcher.holds }

// givesUp tells whether the end of a request's time is the client's own wish.
func (r *request) givesUp() bool {
	return r.abandonAfter > 0 && (r.holds() || r.abandonAfter < r.timeout)
}

func (x *exchange) ranOutOfTime() bool {
	return x.failure != nil && (x.failure.kind == kinds.Timeout || x.failure.kind == kinds.Stalled)
}

// life is the longest time that a request may take.
func (r *request) life() time.Duration {
	switch {
	case r.givesUp():
		return r.abandonAfter
	case r.holds():
		return noEnd
	}
	return r.timeout
}

// open notes that a stream that is held has begun.
func (r *request) open() {
	r.begun()
	r.watcher.opened()
}

// hear takes one message that a server sent for a request, and tells whether it was the last: the reply, or one that cannot be read.
func (c *Client) hear(x *exchange, r *request, said incoming) bool {
	if errors.Is(said.err, errNested) {
		x.failure = invalidText(said.err, x)
		return true
	}
	if said.answers(r.id) {
		x.text, x.reply, x.complete = said.text, said.message, true
		if x.failure = said.failure(); x.failure == nil {
			r.memo.remember(x.text, x.reply)
		}
		return true
	}
	// A program logs to its standard output by mistake.
	if c.process != nil && !said.isMessage() {
		c.invalid.add(said.text)
	}
	if !c.isModern() && said.method.Exists() && said.id.Exists() && (r.asked < maxRounds || r.holds()) {
		r.asked++
		c.answerServer(said.message, *r, x)
	}
	if r.holds() && said.method.Str == acknowledged {
		r.open()
	}
	if r.watcher != nil {
		r.watcher.heard(x, said.message)
	}
	return false
}

// latency is how long the call took from the wish to make it: connecting, and earlier requests of the call, included. A call without an answer
// has waited that long.
func (x *exchange) latency() time.Duration { return x.began.Add(x.last).Sub(x.callBegan) }
