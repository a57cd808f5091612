package mcp

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// stream writes events and flushes after each of them.
func stream(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, data := range events {
		_, _ = io.WriteString(w, "data: "+data+"\n\n")
		w.(http.Flusher).Flush()
	}
}

const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d}}`

// failThenWait answers with an error status and a body that does not end.
func failThenWait(w http.ResponseWriter, r received) {
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, "boom")
	w.(http.Flusher).Flush()
	<-r.gone
}

func TestProgress(t *testing.T) {
	server := modern(func(w http.ResponseWriter, r received) {
		if r.rpcMethod() == "ping" {
			writeJSON(w, reply(r.id(), `{}`))
			return
		}
		stream(w, fmt.Sprintf(progress, 1), fmt.Sprintf(progress, 2), reply(r.id(), `{}`))
	})
	f := newFixture(t, server)
	f.init(`const client = new StreamableHTTPClient({ base_url: url }); const seen = []`)
	f.await(`const made = client.requestAsync('tools/call', { name: 'a' }, { onNotification: (method, { progress }) => seen.push(method, progress) });
		client.ping();
		made.then((answer) => seen.push(answer.ok, answer.events.length))`)
	f.expect(`seen`, `["notifications/progress",1,"notifications/progress",2,true,3]`)
	for _, got := range server.requests()[1:] {
		if got.rpcMethod() == "tools/call" && !strings.HasSuffix(got.body, `"progressToken":`+got.id()+`}},"id":`+got.id()+`}`) {
			t.Errorf("got %s", got.body)
		}
	}
	f.expectSamples("mcp_event_gap{method=tools/call,operation=tools/call}", "mcp_event_gap{method=tools/call,operation=tools/call}",
		"mcp_request_duration{method=ping,operation=ping,outcome=ok}", "mcp_request_duration{method=tools/call,operation=tools/call,outcome=ok}",
		"mcp_request_failed{method=ping,operation=ping} 0", "mcp_request_failed{method=tools/call,operation=tools/call} 0",
		"mcp_requests{method=ping,operation=ping} 1", "mcp_requests{method=tools/call,operation=tools/call} 1",
		"mcp_time_to_first_event{method=tools/call,operation=tools/call}")
}

func TestProgressOfBlockingCalls(t *testing.T) {
	server := modern(func(w http.ResponseWriter, r received) {
		stream(w, fmt.Sprintf(progress, 1), reply(r.id(), `{}`))
	})
	f := newFixture(t, server)
	f.run(`const client = new StreamableHTTPClient({ base_url: url });
		const call = client.prepare('tools/call', { name: 'a' }, { progress: true });
		const events = [call.send(), call.send()].map((answer) => answer.events.length)`)
	f.expect(`events`, `[2,2]`)
	for _, got := range server.requests()[1:] {
		if token := gjson.Get(got.body, "params._meta.progressToken").Raw; token != got.id() {
			t.Errorf("the progress token is %q; expected the id: %s", token, got.body)
		}
	}
}

func TestAnExceptionEndsTheIteration(t *testing.T) {
	f := newFixture(t, modern(func(w http.ResponseWriter, r received) {
		stream(w, fmt.Sprintf(progress, 1), fmt.Sprintf(progress, 2), reply(r.id(), `{}`))
	}))
	f.init(`const client = new StreamableHTTPClient({ base_url: url }); let calls = 0`)
	f.MoveToVUContext(f.state)
	_, err := f.RunOnEventLoop(`client.requestAsync('tools/call', {}, { onNotification: () => { calls += 1; throw new Error('mine') } })`)
	if err == nil || !strings.Contains(err.Error(), "mine") {
		t.Errorf("got %v", err)
	}
	if f.run("calls") == int64(0) {
		t.Error("it was not called")
	}
}

func TestAbandonedCalls(t *testing.T) {
	wait := func(w http.ResponseWriter, r received) {
		stream(w, fmt.Sprintf(progress, 1))
		<-r.gone
	}
	for name, test := range map[string]struct {
		server   *recorder
		call     string
		expected string
	}{
		"2026-07-28":         {modern(wait), `client.callTool({ name: 'a' }, { abandonAfter: 200 })`, "tools/call"},
		"without blocking":   {modern(wait), `client.requestAsync('tools/call', { name: 'a' }, { abandonAfter: 200 })`, "tools/call"},
		"before":             {legacy(wait), `client.callTool({ name: 'a' }, { abandonAfter: 200 })`, `tools/call notifications/cancelled {"requestId":3}`},
		"before, also":       {legacy(wait), `client.requestAsync('tools/call', {}, { abandonAfter: 200 })`, `tools/call notifications/cancelled {"requestId":3}`},
		"with a later limit": {modern(succeed), `client.callTool({ name: 'a' }, { abandonAfter: 60_000 })`, "tools/call"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, test.server)
			f.init(`const client = new StreamableHTTPClient({ base_url: url }); const got = []`)
			f.run(`client.connect()`)
			before := len(test.server.requests())
			f.taken()
			f.await(`Promise.resolve(` + test.call + `).then(({ ok, abandoned, failure }) => got.push(ok, abandoned, failure))`)
			isAbandoned := name != "with a later limit"
			f.expect(`got`, fmt.Sprintf("[%v,%v,null]", !isAbandoned, isAbandoned))
			steps := ""
			for _, got := range test.server.requests()[before:] {
				steps += " " + got.rpcMethod()
				if _, params, ok := strings.Cut(got.body, `"params":{"requestId"`); ok {
					steps += ` {"requestId"` + params[:strings.Index(params, "}")+1]
				}
			}
			if strings.TrimSpace(steps) != test.expected {
				t.Errorf("got %s; expected %s", steps, test.expected)
			}
			samples := strings.Join(f.taken(), "\n")
			const call = "{method=tools/call,operation=tools/call}"
			if strings.Contains(samples, "mcp_abandoned"+call+" 1") != isAbandoned || strings.Contains(samples, "mcp_request_failed"+call) == isAbandoned ||
				strings.Contains(samples, "mcp_request_duration") == isAbandoned || !strings.Contains(samples, "mcp_requests"+call+" 1") {
				t.Errorf("got\n%s", samples)
			}
		})
	}
}

// A held stream has exactly one outcome, whatever the server does.
func TestListen(t *testing.T) {
	const change = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	const ack = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"}`
	hold := func(events ...string) func(w http.ResponseWriter, r received) {
		return func(w http.ResponseWriter, r received) {
			stream(w, events...)
			<-r.gone
		}
	}
	end := func(w http.ResponseWriter, _ received) { stream(w, ack) }
	for name, test := range map[string]struct {
		server  *recorder
		options string
		// ok, the kind of the failure, and the number of notifications.
		expected string
		opened   bool
	}{
		"held":                       {modern(hold(ack, change)), `abandonAfter: 300`, `[true,null,2]`, true},
		"held longer than a timeout": {modern(hold(ack)), `abandonAfter: 500, timeout: 200`, `[true,null,1]`, true},
		"held by GET":                {legacy(hold(change)), `abandonAfter: 300`, `[true,null,1]`, true},
		"ended with a reply": {modern(func(w http.ResponseWriter, r received) { stream(w, ack, reply(r.id(), `{}`)) }), `abandonAfter: 60_000`,
			`[true,null,1]`, true},
		"ended":        {modern(end), `abandonAfter: 60_000`, `[false,"protocol",1]`, true},
		"ended by GET": {legacy(end), ``, `[false,"protocol",1]`, true},
		"not offered":  {legacy(func(w http.ResponseWriter, _ received) { w.WriteHeader(http.StatusMethodNotAllowed) }), ``, `[false,"http_4xx",0]`, false},
		"no stream":    {legacy(func(w http.ResponseWriter, _ received) { writeJSON(w, reply("-1", "{}")) }), ``, `[false,"protocol",0]`, false},
		"no method": {modern(func(w http.ResponseWriter, r received) {
			writeJSON(w, `{"jsonrpc":"2.0","id":`+r.id()+`,"error":{"code":-32601}}`)
		}),
			``, `[false,"jsonrpc",0]`, false},
		"no answer":                         {modern(func(_ http.ResponseWriter, r received) { <-r.gone }), `abandonAfter: 60_000, timeout: 200`, `[false,"timeout",0]`, false},
		"no answer while it was to be held": {modern(func(_ http.ResponseWriter, r received) { <-r.gone }), `abandonAfter: 200`, `[false,"timeout",0]`, false},
		"only comments":                     {modern(hold(ack + strings.Repeat("\n\n: a comment of forty characters in all.", 50_000))), `abandonAfter: 500`, `[true,null,1]`, true},
		"not acknowledged":                  {modern(hold(change)), `abandonAfter: 500`, `[false,"timeout",1]`, false},
		"not acknowledged in time":          {modern(hold(change)), `timeout: 200`, `[false,"stalled",1]`, false},
		"JSON at once":                      {modern(func(w http.ResponseWriter, r received) { writeJSON(w, reply(r.id(), "{}")) }), `abandonAfter: 60_000`, `[false,"protocol",0]`, false},
		"an error before it is given up":    {modern(failThenWait), `abandonAfter: 300`, `[false,"http_5xx",0]`, false},
		"an error with an endless text":     {modern(failThenWait), `timeout: 300`, `[false,"http_5xx",0]`, false},
		"JSON without an end": {legacy(func(w http.ResponseWriter, r received) {
			writeJSON(w, "{")
			w.(http.Flusher).Flush()
			<-r.gone
		}), `timeout: 300`, `[false,"stalled",0]`, false},
		"no answer at all":     {modern(func(_ http.ResponseWriter, r received) { <-r.gone }), `abandonAfter: 200`, `[false,"timeout",0]`, false},
		"a large event":        {modern(hold(ack, strings.Repeat("x", 3<<20))), ``, `[false,"too_large",1]`, true},
		"no messages":          {modern(hold(ack, "x", "{}", "[]")), `abandonAfter: 300`, `[true,null,1]`, true},
		"a request with an id": {legacy(hold(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)), `abandonAfter: 300`, `[true,null,0]`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, test.server)
			f.init(`const client = new StreamableHTTPClient({ base_url: url, maxBodySize: 1 << 20 }); let got; let notifications = 0`)
			f.run(`client.connect()`)
			f.taken()
			f.await(`client.listen({ notifications: { toolsListChanged: true } }, { onNotification: () => { notifications += 1 }, ` + test.options + ` })
				.then(({ ok, failure }) => { got = [ok, failure?.kind ?? null, notifications] })`)
			f.expect(`got`, test.expected)
			samples := strings.Join(f.taken(), "\n")
			if strings.Contains(samples, "mcp_request_duration") || !strings.Contains(samples, "mcp_requests{method=subscriptions/listen") ||
				strings.Contains(samples, "mcp_streams_opened") != test.opened || strings.Contains(samples, "mcp_streams_closed") != test.opened {
				t.Errorf("got\n%s", samples)
			}
		})
	}
}

// The size limit of an answer applies to each event of a held stream, not to the stream.
func TestHeldStreamsAreNotKept(t *testing.T) {
	const events = 2000
	f := newFixture(t, modern(func(w http.ResponseWriter, r received) {
		stream(w, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"}`)
		for range events {
			stream(w, `{"jsonrpc":"2.0","method":"n","params":{"a":"`+strings.Repeat("x", 10_000)+`"}}`)
		}
		stream(w, reply(r.id(), "{}"))
	}))
	f.init(`const client = new StreamableHTTPClient({ base_url: url, maxBodySize: 100_000, maxEvents: 10 }); let got; let notifications = 0`)
	f.await(`client.listen({}, { onNotification: () => { notifications += 1 } }).then((answer) => { got = answer })`)
	f.expect(`[got.ok, got.failure, got.events.length, notifications]`, fmt.Sprintf("[true,null,0,%d]", events+1))
}

// Nothing remains of a VU when it ends, whatever it was waiting for.
func TestNothingOutlivesItsVU(t *testing.T) {
	server := modern(func(w http.ResponseWriter, r received) {
		stream(w, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"}`)
		<-r.gone
	})
	f := newFixture(t, server)
	f.init(`const client = new StreamableHTTPClient({ base_url: url }); let ended = 0; let notified = 0`)
	f.run(`client.connect()`)
	before := runtime.NumGoroutine()
	f.taken()
	ended := make(chan error)
	go func() {
		_, err := f.RunOnEventLoop(`for (let count = 0; count < 50; count += 1) {
			client.listen({}, { onNotification: () => { notified += 1 } }).then(() => { ended += 1 });
			client.requestAsync('tools/call', {}, {}).then(() => { ended += 1 });
		}`)
		ended <- err
	}()
	for len(server.requests()) < 101 {
		time.Sleep(time.Millisecond)
	}
	f.CancelContext()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	f.expect(`ended`, `100`)
	for range 100 {
		f.state.Transport.(*http.Transport).CloseIdleConnections()
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if left := runtime.NumGoroutine() - before; left > 0 {
		t.Errorf("%d goroutines are left", left)
	}
	count := map[string]int{}
	for _, sample := range f.taken() {
		name, _, _ := strings.Cut(sample, "{")
		count[name]++
	}
	// Interrupted calls are in no other metric.
	delete(count, "mcp_time_to_first_event")
	if len(count) != 3 || count["mcp_interrupted"] != 50 || count["mcp_streams_closed"] != count["mcp_streams_opened"] {
		t.Errorf("got %v", count)
	}
	if len(f.log.AllEntries()) > 0 {
		t.Errorf("got %v", f.log.AllEntries())
	}
}

func TestWhatDoesNotBlockNeedsASession(t *testing.T) {
	f := newFixture(t, legacy(succeed))
	for code, expected := range map[string]string{
		`new StreamableHTTPClient({ base_url: url, sessions: 'per-call' }).listen()`:                                      "needs a session that stays",
		`new StreamableHTTPClient({ base_url: url, protocol: 'rest' }).listen()`:                                          "only MCP has such a stream",
		`new StreamableHTTPClient({ base_url: url }).callTool({}, { onNotification() {} })`:                               "only requestAsync and listen have it",
		`new StreamableHTTPClient({ base_url: url, protocol: 'jsonrpc' }).requestAsync('a', {}, { onNotification() {} })`: "only MCP has notifications",
		`new StreamableHTTPClient({ base_url: url }).requestAsync()`:                                                      "a method is missing",
	} {
		if _, err := f.try(code); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%s: got %v; expected %s", code, err, expected)
		}
	}
}

// The number of the server's requests on a held stream is not limited.
func TestAHeldStreamAnswers(t *testing.T) {
	t.Parallel()
	server := legacy(nil)
	server.answer = func(next func(w http.ResponseWriter, r received)) func(w http.ResponseWriter, r received) {
		return func(w http.ResponseWriter, r received) {
			switch {
			case r.method == http.MethodGet:
				for id := range 10 {
					stream(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":"ask-%d","method":"ping"}`, id))
				}
				<-r.gone
			case r.rpcMethod() == "" && r.method == http.MethodPost:
				w.WriteHeader(http.StatusAccepted)
			default:
				next(w, r)
			}
		}
	}(server.answer)
	f := newFixture(t, server)
	f.init(`const client = new StreamableHTTPClient({ base_url: url }); let ok`)
	f.await(`client.listen({}, { abandonAfter: 1000 }).then((answer) => { ok = answer.ok })`)
	f.expect(`ok`, `true`)
	answered := 0
	for _, got := range server.requests() {
		if strings.HasPrefix(got.body, `{"jsonrpc":"2.0","id":"ask-`) && strings.HasSuffix(got.body, `"result":{}}`) {
			answered++
		}
	}
	if answered != 10 {
		t.Errorf("got %d answers; expected 10", answered)
	}
}

// A failed call is not an abandoned call, even if the body of its answer does not end.
func TestFailuresAreNotAbandoned(t *testing.T) {
	t.Parallel()
	f := newFixture(t, modern(failThenWait))
	f.expect(`const client = new StreamableHTTPClient({ base_url: url, protocolVersion: '2026-07-28' });
		const { ok, abandoned, failure } = client.callTool({ name: 'a' }, { abandonAfter: 200 }); [ok, abandoned, failure.kind]`, `[false,false,"http_5xx"]`)
	f.state.Transport = &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, &net.OpError{Op: "dial", Net: network, Err: ctx.Err()}
	}}
	f.expect(`client.callTool({ name: 'a' }, { abandonAfter: 200 }).failure.kind`, `"timeout"`)
}

// A busy script changes neither the timings nor the outcome of a call, and still receives all notifications.
func TestABusyScript(t *testing.T) {
	t.Parallel()
	f := newFixture(t, modern(func(w http.ResponseWriter, r received) {
		for count := range 20 {
			stream(w, fmt.Sprintf(progress, count))
		}
		stream(w, reply(r.id(), `{}`))
	}))
	f.init(`const client = new StreamableHTTPClient({ base_url: url, stallTimeout: 1000 }); let got; let count = 0`)
	f.run(`client.connect()`)
	f.await(`client.requestAsync('tools/call', {}, { timeout: 2000, onNotification() { count += 1 } }).then((answer) => { got = answer });
		const end = Date.now() + 3000; while (Date.now() < end);`)
	f.expect(`[got.ok, got.timings.last < 1000, got.events.length, count]`, `[true,true,21,20]`)
}

// Answers to a server's requests take no longer than the call, and a cancellation takes at most a second.
func TestTimeOfWhatIsSentBesides(t *testing.T) {
	t.Parallel()
	server := legacy(func(w http.ResponseWriter, r received) {
		if r.rpcMethod() == "" {
			<-r.gone
			return
		}
		for id := range 5 {
			stream(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":"ask-%d","method":"ping"}`, id))
		}
		<-r.gone
	})
	inner := server.answer
	server.answer = func(w http.ResponseWriter, r received) {
		if r.rpcMethod() == "notifications/cancelled" {
			<-r.gone
			return
		}
		inner(w, r)
	}
	f := newFixture(t, server)
	f.init(`const client = new StreamableHTTPClient({ base_url: url, timeout: 60_000 })`)
	f.run(`client.connect()`)
	began := time.Now()
	f.run(`client.callTool({ name: 'a' }, { timeout: 300 }); client.callTool({ name: 'a' }, { abandonAfter: 300 })`)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}

// Requests that the server caused do not lower the failure rate.
func TestWhatTheServerHasMade(t *testing.T) {
	server := legacy(func(w http.ResponseWriter, r received) {
		switch {
		case r.rpcMethod() == "" && r.method == http.MethodPost:
			w.WriteHeader(http.StatusAccepted)
		case r.rpcMethod() == "tools/list":
			stream(w, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "id: 1\nretry: 0\ndata: \n\n")
		}
	})
	f := newFixture(t, server)
	f.init(`const client = new StreamableHTTPClient({ base_url: url })`)
	f.run(`client.connect()`)
	f.taken()
	f.run(`client.callTool({ name: 'a' }); client.listTools()`)
	rates := 0
	for _, sample := range f.taken() {
		if strings.HasPrefix(sample, "mcp_request_failed") {
			rates++
			if !strings.HasSuffix(sample, " 1") {
				t.Errorf("got %s", sample)
			}
		}
	}
	if rates != 2 {
		t.Errorf("got %d", rates)
	}
}

func TestAsyncSessionExpires(t *testing.T) {
	server := legacy(func(w http.ResponseWriter, r received) {
		if r.header.Get("Mcp-Session-Id") == "s1" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		succeed(w, r)
	})
	f := newFixture(t, server)
	f.init(`const client = new StreamableHTTPClient({ base_url: url }); const got = []`)
	f.run(`client.connect()`)
	f.taken()
	f.await(`for (let count = 0; count < 3; count += 1) client.requestAsync('tools/call').then(({ ok }) => got.push(ok))`)
	f.expect(`got`, `[true,true,true]`)
	sessions := 0
	for _, got := range server.requests() {
		if got.rpcMethod() == "initialize" {
			sessions++
		}
	}
	if sessions != 2 {
		t.Errorf("%d sessions were opened", sessions)
	}
}

// A server may end its stream and let the client reconnect (2025-11-25).
func TestHeldStreamsGoOn(t *testing.T) {
	t.Parallel()
	server := legacy(func(w http.ResponseWriter, r received) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: 1\nretry: 0\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n")
	})
	f := newFixture(t, server)
	f.init(`const client = new StreamableHTTPClient({ base_url: url }); let got; let count = 0`)
	f.await(`client.listen({}, { abandonAfter: 1000, headers: { 'X-Own': 'a' }, onNotification() { count += 1 } }).then((answer) => { got = answer })`)
	f.expect(`[got.ok, count >= 2, count < 12]`, `[true,true,true]`)
	for _, got := range server.requests() {
		if got.method == http.MethodGet && got.header.Get("X-Own") != "a" {
			t.Errorf("got %v", got.header)
		}
	}
	if samples := strings.Join(f.taken(), "\n"); strings.Count(samples, "mcp_streams_opened") != 1 || strings.Count(samples, "mcp_streams_closed") != 1 {
		t.Errorf("got\n%s", samples)
	}
}
