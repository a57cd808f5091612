package mcp

import (
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"
)

// Every answer has exactly one kind of failure, or none.
func TestOutcomes(t *testing.T) {
	stream := func(text string) func(http.ResponseWriter, received) {
		return func(w http.ResponseWriter, r received) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, strings.ReplaceAll(text, "ID", r.id()))
		}
	}
	text := func(text string) func(http.ResponseWriter, received) {
		return func(w http.ResponseWriter, r received) { writeJSON(w, strings.ReplaceAll(text, "ID", r.id())) }
	}
	status := func(status int) func(http.ResponseWriter, received) {
		return func(w http.ResponseWriter, _ received) { w.WriteHeader(status) }
	}
	typed := func(contentType, text string) func(http.ResponseWriter, received) {
		return func(w http.ResponseWriter, r received) {
			w.Header().Set("Content-Type", contentType)
			_, _ = io.WriteString(w, strings.ReplaceAll(text, "ID", r.id()))
		}
	}
	for name, test := range map[string]struct {
		answer   func(w http.ResponseWriter, r received)
		kind     string
		rejected bool
		timeout  string
	}{
		"a success":                           {answer: text(success)},
		"a parameter of the type":             {answer: typed("Application/JSON; charset=utf-8", success)},
		"a wrong parameter of the type":       {answer: typed("application/json;;", success)},
		"members in another order":            {answer: text(` { "result": {"a": "isError"}, "id": ID, "jsonrpc": "2.0" } `)},
		"the id as another number":            {answer: text(`{"jsonrpc":"2.0","id":ID.0e0,"result":{}}`)},
		"isError false":                       {answer: text(`{"jsonrpc":"2.0","id":ID,"result":{"isError":false,"resultType":"complete"}}`)},
		"isError deeper":                      {answer: text(`{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":{"isError":true}}}`)},
		"error null":                          {answer: text(`{"jsonrpc":"2.0","id":ID,"error":null,"result":{}}`)},
		"the last of two results":             {answer: text(`{"jsonrpc":"2.0","id":ID,"result":{"isError":true},"result":{}}`)},
		"a stream":                            {answer: stream("data: " + success + "\n\n")},
		"a stream without its end":            {answer: stream("data: " + success)},
		"notifications before the reply":      {answer: stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\ndata: " + success + "\n\n")},
		"a request with the same id before":   {answer: stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":ID}\n\ndata: " + success + "\n\n")},
		"other data before":                   {answer: stream("data: hello\n\ndata: " + success + "\n\n")},
		"a tool's error":                      {answer: text(`{"jsonrpc":"2.0","id":ID,"result":{"isError":true,"content":[{"type":"text","text":"no"}]}}`), kind: "tool"},
		"a tool's error as text":              {answer: text(`{"jsonrpc":"2.0","id":ID,"result":{"isError":"true"}}`), kind: "tool"},
		"an escaped isError":                  {answer: text(`{"jsonrpc":"2.0","id":ID,"result":{"is\u0045rror":true}}`), kind: "tool"},
		"the last of two isErrors":            {answer: text(`{"jsonrpc":"2.0","id":ID,"result":{"isError":false,"isError":true}}`), kind: "tool"},
		"an error":                            {answer: text(`{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"no"}}`), kind: "jsonrpc"},
		"an error on a stream":                {answer: stream(`data: {"jsonrpc":"2.0","id":ID,"error":{}}` + "\n\n"), kind: "jsonrpc"},
		"input required":                      {answer: text(`{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required"}}`), kind: "unexpected"},
		"another id":                          {answer: text(`{"jsonrpc":"2.0","id":99,"result":{}}`), kind: "protocol"},
		"the id as text":                      {answer: text(`{"jsonrpc":"2.0","id":"ID","result":{}}`), kind: "protocol"},
		"no id":                               {answer: text(`{"jsonrpc":"2.0","result":{}}`), kind: "protocol"},
		"another jsonrpc":                     {answer: text(`{"jsonrpc":"1.0","id":ID,"result":{}}`), kind: "protocol"},
		"a result that is a list":             {answer: text(`{"jsonrpc":"2.0","id":ID,"result":[]}`), kind: "protocol"},
		"neither result nor error":            {answer: text(`{"jsonrpc":"2.0","id":ID}`), kind: "protocol"},
		"a batch":                             {answer: text(`[` + success + `]`), kind: "protocol"},
		"no JSON":                             {answer: text(`{"jsonrpc":"2.0","id":ID,"result":{}`), kind: "protocol"},
		"something after the JSON":            {answer: text(success + "x"), kind: "protocol"},
		"bytes that are not UTF-8":            {answer: text("{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"a\":\"\xff\"}}"), kind: "protocol"},
		"nothing":                             {answer: text(""), kind: "protocol"},
		"HTML":                                {answer: typed("text/html", "<p>"), kind: "protocol"},
		"no type":                             {answer: typed("", success), kind: "protocol"},
		"a stream without a reply":            {answer: stream("data: {\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n\n"), kind: "protocol"},
		"202 where an answer was due":         {answer: status(http.StatusAccepted), kind: "protocol"},
		"a redirect":                          {answer: status(http.StatusTemporaryRedirect), kind: "protocol"},
		"400":                                 {answer: status(http.StatusBadRequest), kind: "http_4xx"},
		"429":                                 {answer: status(http.StatusTooManyRequests), kind: "rate_limited", rejected: true},
		"500":                                 {answer: status(http.StatusInternalServerError), kind: "http_5xx"},
		"503":                                 {answer: status(http.StatusServiceUnavailable), kind: "http_5xx", rejected: true},
		"a wrong encoding":                    {answer: encoded("gzip", "plain"), kind: "protocol"},
		"many encodings":                      {answer: encoded(strings.Repeat("br,", 80_000)+"br", "x"), kind: "protocol"},
		"an encoding that breaks off":         {answer: encoded("gzip", gzipped(success)[:20]), kind: "protocol"},
		"more events than the limit":          {answer: stream(strings.Repeat("data: {}\n\n", 101)), kind: "too_large"},
		"deeper than the limit":               {answer: text(`{"jsonrpc":"2.0","id":ID,"result":{"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}}`), kind: "too_large"},
		"many that are not deep":              {answer: text(`{"jsonrpc":"2.0","id":ID,"result":{"a":[` + strings.Repeat("[],", 600) + `"\"[["]}}`)},
		"a body that is larger":               {answer: text(success + strings.Repeat(" ", 1<<20)), kind: "too_large"},
		"a stream that is larger":             {answer: stream(strings.Repeat(": comment\n", 1<<17)), kind: "too_large"},
		"headers that are larger":             {answer: withHeader(strings.Repeat("h", 300<<10)), kind: "too_large"},
		"headers that Go does not read":       {answer: withHeader(strings.Repeat("h", 11<<20)), kind: "too_large"},
		"a connection closed before a status": {answer: hijacked(""), kind: "connect"},
		"a connection closed in the body":     {answer: hijacked("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"), kind: "connect"},
		"no answer in time":                   {answer: func(_ http.ResponseWriter, r received) { <-r.gone }, timeout: "300ms", kind: "timeout"},
		"a stream that stops":                 {answer: stalled, timeout: "1s", kind: "stalled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, modern(test.answer))
			if test.timeout == "" {
				test.timeout = "1m"
			}
			f.run(`const client = new StreamableHTTPClient({ base_url: url, maxBodySize: 1 << 20, maxEvents: 100 });
				client.connect();
				const call = client.prepare('tools/call', { name: 'a' }, { timeout: '` + test.timeout + `' })`)
			f.taken()
			// Twice: the first answer is parsed, the second one may be recognized.
			f.run(`const kinds = [call.send(), call.send()].map(({ ok, failure }) => (ok ? '' : failure.kind))`)
			f.expect(`kinds.join()`, `"`+test.kind+`,`+test.kind+`"`)
			samples := strings.Join(f.taken(), "\n")
			isFailure := test.kind != ""
			if strings.Contains(samples, "mcp_failures{kind="+test.kind+",") != isFailure || strings.Contains(samples, "mcp_rejected") != test.rejected {
				t.Errorf("got samples\n%s", samples)
			}
			if isFailure && len(f.log.AllEntries()) != 1 {
				t.Errorf("got %d lines in the log; expected 1 for two failures of a kind", len(f.log.AllEntries()))
			}
		})
	}
}

func encoded(encoding, body string) func(http.ResponseWriter, received) {
	return func(w http.ResponseWriter, _ received) {
		w.Header().Set("Content-Encoding", encoding)
		writeJSON(w, body)
	}
}

func gzipped(text string) string {
	var packed strings.Builder
	writer := gzip.NewWriter(&packed)
	_, _ = io.WriteString(writer, text)
	_ = writer.Close()
	return packed.String()
}

func withHeader(value string) func(http.ResponseWriter, received) {
	return func(w http.ResponseWriter, r received) {
		w.Header().Set("X-Large", value)
		succeed(w, r)
	}
}

// hijacked writes bytes to the connection and closes it.
func hijacked(bytes string) func(http.ResponseWriter, received) {
	return func(w http.ResponseWriter, _ received) {
		conn, _, _ := w.(http.Hijacker).Hijack()
		_, _ = io.WriteString(conn, bytes)
		_ = conn.Close()
	}
}

func stalled(w http.ResponseWriter, r received) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "data: {}\n\n")
	w.(http.Flusher).Flush()
	<-r.gone
}

// If the server is unreachable, the call fails, whichever of its requests finds out.
func TestRefusedConnection(t *testing.T) {
	for _, version := range append([]string{"auto"}, versions...) {
		testRefusedConnection(t, version)
	}
}

func testRefusedConnection(t *testing.T, version string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	_ = listener.Close()
	f := newFixture(t, modern(succeed))
	f.expect(`const answer = new StreamableHTTPClient({ base_url: `+quote(url)+`, protocolVersion: '`+version+`' }).ping({ tags: { operation: 'a' } });
		[answer.ok, answer.failure.kind]`,
		`[false,"connect"]`)
	f.expectSamples("mcp_failures{kind=connect,method=ping,operation=a} 1", "mcp_rejected{method=ping,operation=a} 1",
		"mcp_request_duration{method=ping,operation=a,outcome=unanswered}",
		"mcp_request_failed{method=ping,operation=a} 1", "mcp_requests{method=ping,operation=a} 1")
}

// An exception in expect is an outcome of the call and does not end the iteration. The answer has all the members that expect reads.
func TestExpect(t *testing.T) {
	f := newFixture(t, modern(succeed))
	f.run(`const client = new StreamableHTTPClient({ base_url: url });
		const kind = (expect) => client.request('tools/call', { name: 'a' }, { expect }).failure?.kind ?? ''`)
	f.expect(`[(a) => a.result.content[0].text === 'x', (a) => a.result.none.text, () => undefined, () => { throw 7 }, async () => true].map(kind).join()`,
		`",unexpected,unexpected,unexpected,unexpected"`)
}

// A stream that exceeds a limit is not resumed.
func TestLimitsOfResumableStreams(t *testing.T) {
	events := strings.Repeat("id: 1\ndata: {}\n\n", 101)
	for kind, answer := range map[string]func(w http.ResponseWriter, r received){
		"too_large": func(w http.ResponseWriter, _ received) { _, _ = io.WriteString(w, events) },
		"stalled": func(w http.ResponseWriter, r received) {
			_, _ = io.WriteString(w, "id: 1\nretry: 1\ndata: {}\n\n")
			w.(http.Flusher).Flush()
			<-r.gone
		},
	} {
		server := legacy(func(w http.ResponseWriter, r received) {
			w.Header().Set("Content-Type", "text/event-stream")
			answer(w, r)
		})
		f := newFixture(t, server)
		f.expect(`const client = new StreamableHTTPClient({ base_url: url, protocolVersion: '2025-11-25', maxEvents: 100, stallTimeout: 200 }); client.ping().failure.kind`,
			quote(kind))
		if got := len(server.requests()); got != 3 {
			t.Errorf("%s: got %d requests; expected 3", kind, got)
		}
	}
}

// A limit applies to all streams of a call together.
func TestLimitsOfResumedStreams(t *testing.T) {
	server := legacy(func(w http.ResponseWriter, _ received) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, strings.Repeat("id: 1\nretry: 1\ndata: {}\n\n", 40))
	})
	f := newFixture(t, server)
	f.expect(`const client = new StreamableHTTPClient({ base_url: url, protocolVersion: '2025-11-25', maxEvents: 100 });
		const answer = client.ping(); [answer.failure.kind, answer.events.length]`, `["too_large",100]`)
}

func TestStallTimeout(t *testing.T) {
	f := newFixture(t, modern(stalled))
	f.expect(`const answer = new StreamableHTTPClient({ base_url: url, stallTimeout: 100 }).ping(); answer.failure.kind`, `"stalled"`)
}

// Memory is bounded whatever a server sends: 6 MB of "[", 2 GB compressed to 2 MB, a stream and a body without an end.
func TestHostileAnswers(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<20)
	for name, answer := range map[string]func(w http.ResponseWriter, r received){
		"nested": func(w http.ResponseWriter, _ received) { writeJSON(w, strings.Repeat("[", 6<<20)) },
		"gzip bomb": func(w http.ResponseWriter, _ received) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			writer := gzip.NewWriter(w)
			for range 2048 {
				if _, err := io.WriteString(writer, zeros); err != nil {
					return
				}
			}
		},
		"endless stream": func(w http.ResponseWriter, _ received) {
			w.Header().Set("Content-Type", "text/event-stream")
			for {
				if _, err := io.WriteString(w, "data: "+zeros); err != nil {
					return
				}
			}
		},
		"endless events": func(w http.ResponseWriter, _ received) {
			w.Header().Set("Content-Type", "text/event-stream")
			for {
				if _, err := io.WriteString(w, "data: {}\n\n"); err != nil {
					return
				}
			}
		},
		"2 GB": func(w http.ResponseWriter, _ received) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "2147483648")
			for {
				if _, err := io.WriteString(w, zeros); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, modern(answer))
			f.run(`const client = new StreamableHTTPClient({ base_url: url }); client.connect()`)
			goroutines := runtime.NumGoroutine()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			runtime.GC()
			peak := watchHeap()
			f.expect(`client.ping().failure.kind`, `"too_large"`)
			t.Logf("too_large, with %d MiB on the heap at most", peak()>>20)
			runtime.ReadMemStats(&after)
			// Everything that was allocated meanwhile, including by the server.
			if allocated := (after.TotalAlloc - before.TotalAlloc) >> 20; allocated > 200 {
				t.Errorf("%d MiB were allocated; expected at most 200", allocated)
			}
			f.server.CloseClientConnections()
			for range 100 {
				if runtime.NumGoroutine() <= goroutines {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
			t.Errorf("got %d goroutines; expected %d, as before", runtime.NumGoroutine(), goroutines)
		})
	}
}

// watchHeap returns a function that stops watching the heap, and returns the maximum size of the objects on it, in bytes.
func watchHeap() func() uint64 {
	end, result := make(chan struct{}), make(chan uint64)
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		var peak uint64
		for {
			metrics.Read(sample)
			peak = max(peak, sample[0].Value.Uint64())
			select {
			case <-end:
				result <- peak
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(end)
		return <-result
	}
}
