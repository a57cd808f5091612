package mcp

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"go.k6.io/k6/v2/lib/netext/httpext"
)

const (
	// Of the buffer for streams, which stays with its VU.
	maxKeptBuffer = 16 << 10
	// Of an answer with an error status, which is text for a person.
	maxErrorBody   = 64 << 10
	drainTimeout   = 50 * time.Millisecond
	maxDrainBytes  = 64 << 10
	maxOpenStreams = 3
	// zstd: what a frame may make the decoder allocate.
	maxWindow = 8 << 20
	// A stream that is held without an end.
	noEnd = 365 * 24 * time.Hour
)

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
	connected time.Duration
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
	// A stream that was held.
	isHeld bool
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
	isFollowUp := c.usage.begin(began) && !state.Options.NoConnectionReuse.Bool && !state.Options.NoVUConnectionReuse.Bool
	x := &exchange{began: began, callBegan: began, isFollowUp: isFollowUp, requestBytes: int64(len(r.body)), sent: r.header, sentByCall: r.callHeaders}
	if r.holds() {
		timer := time.AfterFunc(r.timeout, cancel)
		defer timer.Stop()
		r.begun = timer.Stop
	}
	tracer := &httpext.Tracer{}
	response, err := state.Transport.RoundTrip(c.httpRequest(httptrace.WithClientTrace(ctx, tracer.Trace()), r))
	arrived := time.Now()
	if err != nil {
		x.failure = connectionFailure(err, kinds.Timeout)
	} else {
		x.status, x.header, x.closesConnection = response.StatusCode, response.Header, response.Close
		arrived = c.read(x, r, response, cancel)
	}
	if x.status == http.StatusUnauthorized && c.tokens != nil {
		c.tokens.refused(c.token)
	}
	trail := tracer.Done()
	x.time(trail, trail.EndTime.Sub(arrived))
	c.usage.end(x.status > 0)
	// What had failed before, or had no connection, is no less a failure.
	if r.givesUp() && x.ranOutOfTime() && trail.ConnRemoteAddr != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
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

func (c *Client) httpRequest(ctx context.Context, r request) *http.Request {
	request := &http.Request{
		Method: r.method, URL: r.url, Header: r.header, Host: r.url.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(r.body)),
	}
	if host := r.header.Get("Host"); host != "" {
		request.Host = host
	}
	if len(r.body) > 0 {
		request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.body)), nil }
		request.Body, _ = request.GetBody()
	}
	if jar := c.instance.vu.State().CookieJar; jar != nil {
		if cookies := jar.Cookies(r.url); len(cookies) > 0 {
			request.Header = r.header.Clone()
			value := c.cookies.valueFor(cookies)
			if own := r.header.Get("Cookie"); own != "" {
				value = own + "; " + value
			}
			request.Header.Set("Cookie", value)
		}
	}
	return request.WithContext(ctx)
}

// time takes over what k6's own tracer measured. late: for how long the answer had been there by then
func (x *exchange) time(trail *httpext.Trail, late time.Duration) {
	x.last = trail.EndTime.Sub(x.began) - late
	x.firstByte = x.last - (trail.Receiving - late)
	x.written = x.firstByte - trail.Waiting
	x.connected = x.last
	hasConnection := trail.ConnRemoteAddr != nil
	if hasConnection {
		x.connected = max(0, x.written-trail.Sending)
	}
	if trail.ConnReused {
		return
	}
	x.connecting, x.tlsHandshaking = trail.Connecting, trail.TLSHandshaking
	// The standard library calls a connection of HTTP/2 new that is not.
	x.isNewConnection = hasConnection && x.connecting > 0
}

// latency is how long the call took from the wish to make it: connecting, and earlier requests of the call, included. A call without an answer
// has waited that long.
func (x *exchange) latency() time.Duration { return x.began.Add(x.last).Sub(x.callBegan) }

// read reads an answer, to its end or to the reply on a stream, and returns when that had arrived.
func (c *Client) read(x *exchange, r request, response *http.Response, cancel context.CancelFunc) time.Time {
	defer response.Body.Close()
	body := &meter{source: response.Body}
	if stall := c.options.stallTimeout; stall > 0 {
		body.watchdog = time.AfterFunc(stall, cancel)
		body.stall = stall
		defer body.watchdog.Stop()
	}
	defer func() { x.responseBytes = body.count }()
	if headerSize(response.Header) > c.options.maxHeaderSize {
		x.failure = failed(kinds.TooLarge, "the answer's headers have more than %d bytes", c.options.maxHeaderSize)
		return time.Now()
	}
	if !c.instance.cookies.keep(c.instance.vu.State().CookieJar, r.url, response) {
		x.failure = failed(kinds.TooLarge, "the server's cookies: more than %d, or more than %d bytes", maxCookies, maxCookieBytes)
		return time.Now()
	}
	encoding := response.Header.Get("Content-Encoding")
	x.compressed = encoding != ""
	decoded, err := decode(encoding, body)
	if x.status >= http.StatusMultipleChoices {
		if err == nil {
			text, _ := io.ReadAll(io.LimitReader(decoded, maxErrorBody))
			x.text = string(text)
		}
		x.complete, x.failure = true, statusFailure(x)
		return time.Now()
	}
	if err != nil {
		x.failure = c.options.readFailure(err, x)
		return time.Now()
	}
	if r.id != 0 && mediaType(x.header) == "text/event-stream" {
		return c.readStream(x, r, decoded, body, cancel)
	}
	return c.readBody(x, r, decoded)
}

// readBody reads an answer that is no stream.
func (c *Client) readBody(x *exchange, r request, source io.Reader) time.Time {
	pool := c.instance.vu.State().BufferPool
	buffer := pool.Get()
	defer pool.Put(buffer)
	_, err := buffer.ReadFrom(io.LimitReader(source, c.options.maxBodySize+1))
	arrived := time.Now()
	if int64(buffer.Len()) > c.options.maxBodySize {
		err = errTooLarge
	}
	if err != nil {
		x.failure = c.options.readFailure(err, x)
		return arrived
	}
	x.complete = true
	if r.id == 0 {
		x.text = buffer.String()
		return arrived
	}
	if mediaType(x.header) == "application/json" && r.memo.recall(x, buffer.Bytes(), r.id) {
		return arrived
	}
	x.text = buffer.String()
	if x.failure = c.readReply(x, r.id); x.failure == nil {
		r.memo.remember(x.text, x.reply)
	}
	return arrived
}

// readReply looks for the reply in a body.
func (c *Client) readReply(x *exchange, id int64) *failure {
	isMCP := c.options.protocol == dialectMCP
	if isMCP && mediaType(x.header) != "application/json" {
		return failed(kinds.Protocol, "neither application/json nor text/event-stream: %s", x.describe())
	}
	if err := validate(x.text, c.options.maxNesting); err != nil {
		return invalidText(err, x)
	}
	reply := readMessage(x.text)
	if id == noReply || !reply.answers(id) {
		return failed(kinds.Protocol, "no JSON-RPC reply to the request: %s", x.describe())
	}
	x.reply = reply
	if isMCP || isTruthy(reply.err) || !reply.result.Exists() {
		return reply.failure()
	}
	return resultFailure(reply.result)
}

// readStream reads events until the reply arrives.
func (c *Client) readStream(x *exchange, r request, source io.Reader, body *meter, cancel context.CancelFunc) time.Time {
	reader := newEventReader(source, c.options.maxBodySize-r.earlierBytes, c.streamBuffer)
	defer func() {
		x.streamBytes = c.options.maxBodySize - reader.left
		if c.streamBuffer = reader.buffer; len(c.streamBuffer) > maxKeptBuffer {
			c.streamBuffer = nil
		}
	}()
	open := func() {
		r.begun()
		r.watcher.opened()
	}
	if r.holds() {
		reader.eventLimit = c.options.maxBodySize
		if !c.isModern() {
			open()
		}
	}
	for asked := 0; ; {
		read, err := reader.next()
		arrived := time.Now()
		if err == nil && int64(r.earlierEvents+len(x.events)) >= c.options.maxEvents {
			err = errTooManyEvents
		}
		if err != nil {
			if x.complete = errors.Is(err, io.EOF); x.complete {
				x.failure = failed(kinds.Protocol, "the server ended the stream without a reply")
			} else {
				x.failure = c.options.readFailure(err, x)
			}
			if x.complete || x.failure.kind == kinds.Connect {
				x.lastEventID, x.retry = reader.lastEventID, reader.retry
			}
			return arrived
		}
		read.at = arrived.Sub(x.began)
		x.events = append(x.events, read)
		if r.memo.recall(x, read.data, r.id) {
			c.drain(body, cancel)
			return arrived
		}
		text := string(read.data)
		var said message
		if err := validate(text, c.options.maxNesting); errors.Is(err, errNested) {
			x.failure = invalidText(err, x)
			return arrived
		} else if err == nil {
			said = readMessage(text)
		}
		if said.answers(r.id) {
			x.text, x.reply, x.complete = text, said, true
			if x.failure = said.failure(); x.failure == nil {
				r.memo.remember(x.text, said)
			}
			c.drain(body, cancel)
			return arrived
		}
		if !c.isModern() && said.method.Exists() && said.id.Exists() && (asked < maxRounds || r.holds()) {
			asked++
			c.answerServer(said, r, x)
		}
		if r.holds() && said.method.Str == acknowledged {
			open()
		}
		if r.watcher != nil {
			body.pause()
			r.watcher.heard(x, said)
			body.goOn()
		}
	}
}

// drain reads the end of a stream whose reply has arrived, so that its connection can be used again. A server that leaves its streams open is
// waited for a few times only.
func (c *Client) drain(body *meter, cancel context.CancelFunc) {
	if c.openStreams >= maxOpenStreams {
		return
	}
	timer := time.AfterFunc(drainTimeout, cancel)
	defer timer.Stop()
	if _, err := io.CopyN(io.Discard, body.source, maxDrainBytes); errors.Is(err, io.EOF) {
		c.openStreams = 0
	} else {
		c.openStreams++
	}
}

// meter counts bytes, and resets the stall timer on each read.
type meter struct {
	source   io.Reader
	count    int64
	watchdog *time.Timer
	stall    time.Duration
}

func (m *meter) Read(buffer []byte) (int, error) {
	count, err := m.source.Read(buffer)
	m.count += int64(count)
	if m.watchdog != nil {
		m.watchdog.Reset(m.stall)
	}
	return count, err
}

// pause stops the stall timer while nothing is read because the script is behind.
func (m *meter) pause() {
	if m.watchdog != nil {
		m.watchdog.Stop()
	}
}

func (m *meter) goOn() {
	if m.watchdog != nil {
		m.watchdog.Reset(m.stall)
	}
}

// decode undoes a content encoding, of those that k6's http module knows. It takes one: each decoder has buffers of its own, and a header may
// name thousands.
func decode(encoding string, source io.Reader) (io.Reader, error) {
	var decoded io.Reader
	var err error
	switch encoding {
	case "", "identity":
		return source, nil
	case "gzip":
		decoded, err = gzip.NewReader(source)
	case "deflate":
		decoded, err = zlib.NewReader(source)
	case "br":
		decoded = brotli.NewReader(source)
	case "zstd":
		decoded, err = zstd.NewReader(source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	default:
		err = errors.New("it is none of gzip, deflate, br, zstd")
	}
	if err != nil {
		return nil, fmt.Errorf("content encoding %s: %w", encoding, err)
	}
	return decoded, nil
}

func mediaType(header http.Header) string {
	value, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(value))
}

func headerSize(header http.Header) int64 {
	var size int64
	for name, values := range header {
		for _, value := range values {
			size += int64(len(name) + len(value))
		}
	}
	return size
}
