package mcp

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"mime"
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
	maxErrorBody = 64 << 10
	// For the end of a stream whose reply has arrived, so that the connection can be used again.
	drainTimeout  = 50 * time.Millisecond
	maxDrainBytes = 64 << 10
	// zstd: what a frame may make the decoder allocate.
	maxWindow = 8 << 20
)

// request is one HTTP request of a client.
type request struct {
	method  string
	url     *url.URL
	header  http.Header
	body    []byte
	timeout time.Duration
	// JSON-RPC id of the reply; 0: none is expected
	id int64
	// What the call remembers of its answers, where it does.
	memo *memo
}

// exchange is one HTTP request and what came of it.
type exchange struct {
	failure *failure
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
	began                 time.Time
	sent, firstByte, last time.Duration
	// As k6's http_req_duration: without the time to get a connection.
	duration time.Duration
	// The answer was read to its end, or to its reply.
	complete                    bool
	connecting, tlsHandshaking  time.Duration
	requestBytes, responseBytes int64
	compressed                  bool
	resumption                  resumption
}

// resumption is where a stream that ended before its reply goes on.
type resumption struct {
	lastEventID string
	retry       time.Duration
}

// do sends one request and reads its answer.
func (c *Client) do(r request) *exchange {
	ctx, cancel := context.WithTimeout(c.instance.vu.Context(), r.timeout)
	defer cancel()
	x := &exchange{began: time.Now(), requestBytes: int64(len(r.body))}
	state := c.instance.vu.State()
	if state.RPSLimit != nil {
		if err := state.RPSLimit.Wait(ctx); err != nil {
			x.failure = failed(kinds.Timeout, "the option rps: %v", err)
			return x
		}
		x.began = time.Now()
	}
	tracer := &httpext.Tracer{}
	response, err := state.Transport.RoundTrip(c.httpRequest(httptrace.WithClientTrace(ctx, tracer.Trace()), r))
	if err != nil {
		x.failure = connectionFailure(err, kinds.Timeout)
		x.time(tracer.Done(), 0)
		return x
	}
	if state.CookieJar != nil {
		state.CookieJar.SetCookies(r.url, response.Cookies())
	}
	x.status, x.header = response.StatusCode, response.Header
	arrived := c.read(x, r, response, cancel)
	trail := tracer.Done()
	x.time(trail, trail.EndTime.Sub(arrived))
	return x
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
	jar := c.instance.vu.State().CookieJar
	if jar != nil {
		if cookies := jar.Cookies(r.url); len(cookies) > 0 {
			request.Header = r.header.Clone()
			for _, cookie := range cookies {
				request.AddCookie(cookie)
			}
		}
	}
	return request.WithContext(ctx)
}

// time takes over what k6's own tracer measured. late: for how long the answer had been there by then
func (x *exchange) time(trail *httpext.Trail, late time.Duration) {
	x.last = trail.EndTime.Sub(x.began) - late
	x.duration = trail.Duration - late
	x.firstByte = x.last - (trail.Receiving - late)
	x.sent = x.firstByte - trail.Waiting
	if !trail.ConnReused {
		x.connecting, x.tlsHandshaking = trail.Connecting, trail.TLSHandshaking
	}
}

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
	if x.status >= http.StatusMultipleChoices {
		text, _ := io.ReadAll(io.LimitReader(body, maxErrorBody))
		x.text, x.complete = string(text), true
		x.failure = statusFailure(x)
		return time.Now()
	}
	decoded, err := decode(response.Header.Get("Content-Encoding"), body)
	x.compressed = decoded != io.Reader(body)
	if err != nil {
		x.failure = failed(kinds.Protocol, "%v", err)
		return time.Now()
	}
	if r.id > 0 && mediaType(x.header) == "text/event-stream" {
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
		return arrived
	}
	if mediaType(x.header) == "application/json" && recall(r.memo, x, buffer.Bytes(), r.id) {
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
	if mediaType(x.header) != "application/json" {
		return failed(kinds.Protocol, "neither application/json nor text/event-stream: %s", x.describe())
	}
	if err := validate(x.text, c.options.maxNesting); err != nil {
		return invalidText(err, x)
	}
	reply, ok := readMessage(x.text)
	if !ok || !reply.answers(id) {
		return failed(kinds.Protocol, "no JSON-RPC reply to request %d: %s", id, x.describe())
	}
	x.reply = reply
	return reply.failure()
}

// readStream reads events until the reply arrives.
func (c *Client) readStream(x *exchange, r request, source io.Reader, body *meter, cancel context.CancelFunc) time.Time {
	reader := newEventReader(source, c.options.maxBodySize, c.streamBuffer)
	defer func() {
		if c.streamBuffer = reader.buffer; len(c.streamBuffer) > maxKeptBuffer {
			c.streamBuffer = nil
		}
	}()
	for asked := 0; ; {
		read, err := reader.next()
		arrived := time.Now()
		if err == nil && int64(len(x.events)) >= c.options.maxEvents {
			err = errTooManyEvents
		}
		if err != nil {
			x.resumption = resumption{reader.lastEventID, reader.retry}
			if !errors.Is(err, io.EOF) {
				x.failure = c.options.readFailure(err, x)
				return arrived
			}
			x.complete = true
			x.failure = failed(kinds.Protocol, "the stream of %d events ended without a reply to request %d", len(x.events), r.id)
			return arrived
		}
		read.at = arrived.Sub(x.began)
		x.events = append(x.events, read)
		if recall(r.memo, x, read.data, r.id) {
			c.drain(body, cancel)
			return arrived
		}
		if err := validate(read.data, c.options.maxNesting); err != nil {
			if errors.Is(err, errNested) {
				x.failure = invalidText(err, x)
				return arrived
			}
			continue
		}
		reply, ok := readMessage(read.data)
		if ok && reply.method.Exists() && reply.id.Exists() && asked < maxRounds {
			asked++
			c.answerServer(reply)
		}
		if ok && reply.answers(r.id) {
			x.text, x.reply, x.complete = read.data, reply, true
			if x.failure = reply.failure(); x.failure == nil {
				r.memo.remember(x.text, reply)
			}
			c.drain(body, cancel)
			return arrived
		}
	}
}

// drain reads the end of a stream, for a moment. A server that leaves its streams open gets no second one.
func (c *Client) drain(body *meter, cancel context.CancelFunc) {
	if c.streamsStayOpen {
		return
	}
	timer := time.AfterFunc(drainTimeout, cancel)
	defer timer.Stop()
	_, err := io.CopyN(io.Discard, body.source, maxDrainBytes)
	c.streamsStayOpen = !errors.Is(err, io.EOF)
}

// meter counts bytes, and starts the time of a stall anew with each read.
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

// decode undoes a content encoding, as k6's http module does.
func decode(encodings string, source io.Reader) (io.Reader, error) {
	if encodings == "" {
		return source, nil
	}
	list := strings.Split(encodings, ",")
	for i := len(list) - 1; i >= 0; i-- {
		var err error
		switch strings.TrimSpace(list[i]) {
		case "gzip":
			source, err = gzip.NewReader(source)
		case "deflate":
			source, err = zlib.NewReader(source)
		case "br":
			source = brotli.NewReader(source)
		case "zstd":
			var decoder *zstd.Decoder
			decoder, err = zstd.NewReader(source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
			source = decoder
		}
		if err != nil {
			return nil, errors.New("the answer's content encoding is not what its bytes are")
		}
	}
	return source, nil
}

func mediaType(header http.Header) string {
	value := header.Get("Content-Type")
	if value == "application/json" || value == "text/event-stream" {
		return value
	}
	// What follows a semicolon may be wrong.
	value, _, _ = strings.Cut(value, ";")
	parsed, _, _ := mime.ParseMediaType(strings.TrimSpace(value))
	return parsed
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
