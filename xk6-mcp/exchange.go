package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// noEnd stands for an unlimited time, such as the life of a held stream.
const noEnd = 365 * 24 * time.Hour

type request struct {
	method string
	url    *url.URL
	header http.Header
	// The headers that were set by the call, not by its client.
	callHeaders http.Header
	body        []byte
	timeout     time.Duration
	// JSON-RPC ID of the reply. 0 means that no reply is expected, noReply that the stream has none.
	id int64
	// How long the client waits before it gives up; 0 means until the timeout.
	abandonAfter time.Duration
	// Receives the events of the stream; nil if nothing does.
	watcher *watcher
	// Stops the timer that ends a held stream that does not begin in time.
	begun func() bool
	// The call's last successful answer; nil if the call does not keep it.
	memo *memo
	// The call's operation; empty for protocol requests.
	operation string
	// Number of the server's own requests that were answered.
	asked int
	// Bytes and events of the streams that this one continues.
	earlierBytes  int64
	earlierEvents int
}

// noReply is an ID that no request has.
const noReply = -1

// watcher follows a stream while it is read.
type watcher struct {
	// The stream is held: its timeout applies only until it begins, its events are not kept, and the size limit of an answer applies to each
	// event.
	holds  bool
	opened func()
	// said is the message in the event, or empty.
	heard func(x *exchange, said message)
}

// exchange is one request and its outcome.
type exchange struct {
	failure *failure
	// The reason why server/discover failed, if initialize was sent for that reason.
	refusal string
	// The headers that were sent, which the server may repeat in its answer.
	sent, sentByCall http.Header
	// HTTP status; 0 if there was no answer.
	status int
	header http.Header
	// The message that contains the reply, or the whole body if it contains no reply.
	text  string
	reply message
	// Set instead of text if the answer equals the call's last one, except for its ID.
	known  memo
	id     int64
	events []event
	// When the request began. The durations are relative to it.
	began                    time.Time
	written, firstByte, last time.Duration
	// When the call began. It differs from began if the call took more than one request.
	callBegan time.Time
	// Time until there was a connection. Without a connection, it is the time until the client stopped waiting.
	connected   time.Duration
	isConnected bool
	// The answer was read to its end or up to its reply.
	complete bool
	// The client gave up waiting (abandonAfter).
	abandoned                  bool
	connecting, tlsHandshaking time.Duration
	isNewConnection            bool
	// The client's last answer came less than maxIdle ago, so the server should not have closed the connection for being idle.
	isFollowUp bool
	// The server closes the connection after its answer.
	closesConnection            bool
	requestBytes, responseBytes int64
	// Decompressed size of the stream and of the streams that it continues.
	streamBytes int64
	compressed  bool
	traceID     string
	// The call was repeated with the input that the server asked for.
	hadInput bool
	// The exchange is a held stream (listen).
	isHeld bool
	// When the stream was last requested, as Unix time in nanoseconds; 0 if it never was.
	sentAt atomic.Int64
	// When the last byte of the stream arrived.
	heard time.Time
	// The server caused the request (a resumed stream, an answer to the server's request). Its success says nothing about calls.
	isByServer bool
	// The exchange belongs to the call itself and not to a handshake before it.
	isSent bool
	// Operations that had a call in flight when the call began.
	overlap Overlap
	// For a stream that ended before its reply: the ID of its last event, the delay that it asked for before it is resumed (negative if none),
	// and whether it was resumed.
	lastEventID string
	retry       time.Duration
	isResumed   bool
}

// transport carries the requests of clients to a server.
type transport interface {
	// prepare starts a server if the client's next call needs one. isNew reports whether the server was just started, so
	// that nothing has been negotiated with it yet.
	prepare(c *Client) (isNew bool, f *failure)
	// roundTrip sends a request and reads its answer until the context ends.
	roundTrip(ctx context.Context, cancel context.CancelFunc, c *Client, r request, x *exchange)
	// leave ends the client's session or process, unless others share it.
	leave(c *Client)
	// name returns the server's name for people, without secrets.
	name() string
	// key returns the same key for all clients of the same server.
	key() string
	// opened completes prepare after a client has tried to open a session with a new server.
	opened(c *Client, isOpen bool)
}

// do sends one request and reads its answer.
func (c *Client) do(r request) *exchange {
	state := c.instance.vu.State()
	if state.RPSLimit != nil {
		// Wait only fails if the VU's context ends. The request fails then, too.
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
	// Any other failure, or a timeout without a connection, remains a failure.
	if r.givesUp() && x.ranOutOfTime() && x.isConnected && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		x.failure, x.abandoned = nil, true
	}
	return x
}

func (r *request) holds() bool { return r.watcher != nil && r.watcher.holds }

// givesUp reports whether the request ends because the client gives up (abandonAfter), and not because of its timeout.
func (r *request) givesUp() bool {
	return r.abandonAfter > 0 && (r.holds() || r.abandonAfter < r.timeout)
}

func (x *exchange) ranOutOfTime() bool {
	return x.failure != nil && (x.failure.kind == kinds.Timeout || x.failure.kind == kinds.Stalled)
}

// life returns the maximum duration of the request.
func (r *request) life() time.Duration {
	switch {
	case r.givesUp():
		return r.abandonAfter
	case r.holds():
		return noEnd
	}
	return r.timeout
}

// open notes that a held stream has begun.
func (r *request) open() {
	r.begun()
	r.watcher.opened()
}

// hear handles one message that the server sent for a request. It reports whether the message was the last one: the reply, or a message that is
// nested too deeply.
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
	// Servers on stdio write log lines to their standard output by mistake.
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

// latency returns how long the call took, including connecting and earlier requests of the call. Without an answer it is the time that the call
// waited.
func (x *exchange) latency() time.Duration { return x.began.Add(x.last).Sub(x.callBegan) }
