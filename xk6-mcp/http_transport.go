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
	// maxKeptBuffer is the maximum size of the stream buffer that a client keeps between requests, in bytes.
	maxKeptBuffer = 16 << 10
	// maxErrorBody is how much is read of an answer with an error status, in bytes. Such an answer is meant for people.
	maxErrorBody   = 64 << 10
	drainTimeout   = 50 * time.Millisecond
	maxDrainBytes  = 64 << 10
	maxOpenStreams = 3
	// maxWindow is the maximum memory that a zstd frame may make the decoder allocate, in bytes.
	maxWindow = 8 << 20
)

// httpTransport carries requests over Streamable HTTP, and JSON-RPC or REST over plain HTTP.
type httpTransport struct{ url *url.URL }

func (t *httpTransport) name() string { return withoutQuery(t.url.String()) }

func (t *httpTransport) key() string { return t.url.String() }

func (t *httpTransport) prepare(c *Client) (bool, *failure) {
	if c.options.oauth != nil {
		return false, c.authorize()
	}
	return false, nil
}

func (t *httpTransport) opened(*Client, bool) {}

// leave ends the client's session on the server, unless all VUs share it.
func (t *httpTransport) leave(c *Client) {
	if c.session == "" || c.options.sessions == sessionShared {
		return
	}
	k := c.protocolCall(http.MethodDelete)
	x := c.do(k.bareRequest(http.MethodDelete))
	// The specification allows servers to refuse this with 405.
	if x.status == http.StatusMethodNotAllowed {
		x.failure = nil
	}
	c.record(k, x, true)
	c.forget()
}

func (t *httpTransport) roundTrip(ctx context.Context, cancel context.CancelFunc, c *Client, r request, x *exchange) {
	state := c.instance.vu.State()
	x.isFollowUp = c.usage.begin(x.began) && !state.Options.NoConnectionReuse.Bool && !state.Options.NoVUConnectionReuse.Bool
	if trace := c.watchConnection(r, x); trace != nil {
		ctx = httptrace.WithClientTrace(ctx, trace)
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

// time adopts the timings of k6's own tracer. late is the time from the answer's arrival to the stop of the tracer.
func (x *exchange) time(trail *httpext.Trail, late time.Duration) {
	x.last = trail.EndTime.Sub(x.began) - late
	x.firstByte = x.last - (trail.Receiving - late)
	x.written = x.firstByte - trail.Waiting
	x.connected = x.last
	x.isConnected = trail.ConnRemoteAddr != nil
	if x.isConnected {
		x.connected = max(0, x.written-trail.Sending)
	}
	if trail.ConnReused {
		return
	}
	x.connecting, x.tlsHandshaking = trail.Connecting, trail.TLSHandshaking
	// net/http reports some reused HTTP/2 connections as new.
	x.isNewConnection = x.isConnected && x.connecting > 0
}

// read reads an answer to its end, or a stream up to its reply, and returns when that had arrived.
func (c *Client) read(x *exchange, r request, response *http.Response, cancel context.CancelFunc) time.Time {
	defer response.Body.Close()
	body := &meter{source: response.Body, isTimed: r.holds()}
	if stall := c.options.stallTimeout; stall > 0 {
		body.watchdog = time.AfterFunc(stall, cancel)
		body.stall = stall
		defer body.watchdog.Stop()
	}
	defer func() { x.responseBytes, x.heard = body.count, body.read }()
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

// readBody reads an answer that is not a stream.
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

// readReply finds the reply in a body.
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
	if r.holds() {
		reader.eventLimit = c.options.maxBodySize
		if !c.isModern() {
			r.open()
		}
	}
	for {
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
		body.pause()
		isOver := r.memo.recall(x, read.data, r.id) || c.hear(x, &r, receive(string(read.data), c.options.maxNesting))
		body.goOn()
		if isOver {
			c.drain(body, cancel)
			return arrived
		}
	}
}

// drain reads the rest of a stream after its reply, so that the connection can be reused. It gives up on servers that leave several streams in a
// row open.
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

// meter counts the bytes read, and resets the stall timer on each read.
type meter struct {
	source   io.Reader
	count    int64
	watchdog *time.Timer
	stall    time.Duration
	// When the last bytes arrived, if isTimed is set.
	isTimed bool
	read    time.Time
}

func (m *meter) Read(buffer []byte) (int, error) {
	count, err := m.source.Read(buffer)
	m.count += int64(count)
	if m.isTimed && count > 0 {
		m.read = time.Now()
	}
	if m.watchdog != nil {
		m.watchdog.Reset(m.stall)
	}
	return count, err
}

// pause stops the stall timer while the stream waits for the script.
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

// decode decompresses a body, with the content encodings that k6/http supports. It accepts a single encoding: each decoder allocates its own
// buffers, and a header may name thousands.
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
