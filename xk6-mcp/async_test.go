package mcp

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// stream writes events, each at once.
func stream(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, data := range events {
		_, _ = io.WriteString(w, "data: "+data+"\n\n")
		w.(http.Flusher).Flush()
	}
}

const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d}}`

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
		"mcp_request_duration{method=ping,operation=ping}", "mcp_request_duration{method=tools/call,operation=tools/call}",
		"mcp_request_failed{method=ping,operation=ping} 0", "mcp_request_failed{method=tools/call,operation=tools/call} 0",
		"mcp_requests{method=ping,operation=ping} 1", "mcp_requests{method=tools/call,operation=tools/call} 1",
		"mcp_time_to_first_event{method=tools/call,operation=tools/call}")
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
				strings.Contains(samples, "mcp_request_duration"+call) == isAbandoned || !strings.Contains(samples, "mcp_requests"+call+" 1") {
				t.Errorf("got\n%s", samples)
			}
		})
	}
}

// Whatever a server does with a stream that is to be held, it ends as one outcome.
func TestListen(t *testing.T) {
	const change = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	hold := func(events ...string) func(w http.ResponseWriter, r received) {
		return func(w http.ResponseWriter, r received) {
			stream(w, events...)
			<-r.gone
		}
	}
	end := func(w http.ResponseWriter, _ received) { stream(w, change) }
	for name, test := range map[string]struct {
		server  *recorder
		options string
		// ok, the failure's kind, notifications
		expected string
		opened   bool
	}{
		"held":                       {modern(hold(change, change)), `abandonAfter: 300`, `[true,null,2]`, true},
		"held longer than a timeout": {modern(hold(change)), `abandonAfter: 500, timeout: 200`, `[true,null,1]`, true},
		"held by GET":                {legacy(hold(change)), `abandonAfter: 300`, `[true,null,1]`, true},
		"ended with a reply": {modern(func(w http.ResponseWriter, r received) { stream(w, change, reply(r.id(), `{}`)) }), `abandonAfter: 60_000`,
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
		"no answer at all":                  {modern(func(_ http.ResponseWriter, r received) { <-r.gone }), `abandonAfter: 200`, `[false,"timeout",0]`, false},
		"a large event":                     {modern(hold(strings.Repeat("x", 3<<20))), ``, `[false,"too_large",0]`, true},
		"no messages":                       {modern(hold("x", "{}", "[]")), `abandonAfter: 300`, `[true,null,0]`, true},
		"a request with an id":              {modern(hold(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)), `abandonAfter: 300`, `[true,null,0]`, true},
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

// A server may say more on a stream that is held than in an answer.
func TestHeldStreamsAreNotKept(t *testing.T) {
	const events = 2000
	f := newFixture(t, modern(func(w http.ResponseWriter, r received) {
		for range events {
			stream(w, `{"jsonrpc":"2.0","method":"n","params":{"a":"`+strings.Repeat("x", 10_000)+`"}}`)
		}
		stream(w, reply(r.id(), "{}"))
	}))
	f.init(`const client = new StreamableHTTPClient({ base_url: url, maxBodySize: 100_000, maxEvents: 10 }); let got; let notifications = 0`)
	f.await(`client.listen({}, { onNotification: () => { notifications += 1 } }).then((answer) => { got = answer })`)
	f.expect(`[got.ok, got.failure, got.events.length, notifications]`, fmt.Sprintf("[true,null,0,%d]", events))
}

// Nothing of a VU is left when it ends, whatever it was waiting for.
func TestNothingOutlivesItsVU(t *testing.T) {
	server := modern(func(w http.ResponseWriter, r received) {
		stream(w, fmt.Sprintf(progress, 1))
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
	for _, sample := range f.taken() {
		if !strings.HasPrefix(sample, "mcp_streams_opened") && !strings.HasPrefix(sample, "mcp_time_to_first_event") {
			t.Errorf("got %s after the end", sample)
		}
	}
	if len(f.log.AllEntries()) > 0 {
		t.Errorf("got %v", f.log.AllEntries())
	}
}

func TestWhatDoesNotBlockNeedsASession(t *testing.T) {
	f := newFixture(t, legacy(succeed))
	for code, expected := range map[string]string{
		`new StreamableHTTPClient({ base_url: url, sessions: 'per-call' }).listen()`:        "needs a session that stays",
		`new StreamableHTTPClient({ base_url: url, protocol: 'rest' }).listen()`:            "only MCP has such a stream",
		`new StreamableHTTPClient({ base_url: url }).callTool({}, { onNotification() {} })`: "only requestAsync and listen have it",
		`new StreamableHTTPClient({ base_url: url }).requestAsync()`:                        "a method is missing",
	} {
		if _, err := f.try(code); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%s: got %v; expected %s", code, err, expected)
		}
	}
}

// A server asks on a stream that is held as often as it likes.
func TestAHeldStreamAnswers(t *testing.T) {
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
