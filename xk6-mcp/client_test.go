package mcp

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"go.k6.io/k6/v2/metrics"
	"golang.org/x/time/rate"
)

func TestModernCall(t *testing.T) {
	server := modern(succeed)
	f := newFixture(t, server)
	f.init(`const client = new StreamableHTTPClient({ base_url: url, headers: { 'X-Own': 'a' }, token: 'secret' })`)
	f.expect(`const a = client.callTool({ name: 'é', arguments: { q: 1 } }, { tags: { operation: 'search', class: 'read' }, limits: [0.0001, 60000] });
		[a.ok, a.failure, a.status, a.result.content[0].text, a.events.length, a.timings.sent <= a.timings.firstByte && a.timings.firstByte <= a.timings.last]`,
		`[true,null,200,"x",0,true]`)
	got := server.requests()[1]
	expected := `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"é","_meta":{` + modernMeta + `},"arguments":{"q":1}},"id":2}`
	if got.body != expected {
		t.Errorf("got body\n%s\nexpected\n%s", got.body, expected)
	}
	for name, value := range map[string]string{
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "=?base64?w6k=?=", "X-Own": "a", "User-Agent": "test",
		"Authorization": "Bearer secret", "Accept": "application/json, text/event-stream", "Content-Type": "application/json",
	} {
		if got.header.Get(name) != value {
			t.Errorf("header %s: got %q; expected %q", name, got.header.Get(name), value)
		}
	}
	tags := "class=read,method=tools/call,operation=search"
	f.expectSamples(
		"mcp_request_duration{"+tags+",outcome=ok}", "mcp_request_failed{"+tags+"} 0", "mcp_requests{"+tags+"} 1",
		"mcp_slow{class=read,limit=0.0001,method=tools/call,operation=search} 1",
		"mcp_slow{class=read,limit=60000,method=tools/call,operation=search} 0",
	)
}

// server/discover opens the connection that the call uses.
func TestConnectionOfDiscover(t *testing.T) {
	f := newFixture(t, modern(succeed))
	f.init(`const client = new StreamableHTTPClient({ base_url: url })`)
	f.expect(`client.listTools().ok`, `true`)
	connections := 0.0
	for _, container := range metrics.GetBufferedSamples(f.samples) {
		for _, sample := range container.GetSamples() {
			if sample.Metric.Name == "mcp_connections" {
				connections += sample.Value
			}
		}
	}
	if connections != 1 {
		t.Errorf("got %v connections; expected 1", connections)
	}
}

func TestLegacySession(t *testing.T) {
	server := legacy(succeed)
	f := newFixture(t, server)
	f.init(`const client = new StreamableHTTPClient({ base_url: url })`)
	f.expect(`const info = client.connect(); client.listTools(); client.close(); [info.protocolVersion, info.serverInfo.name]`, `["2025-11-25","old"]`)
	var steps []string
	for _, got := range server.requests() {
		steps = append(steps, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", got.method, got.rpcMethod(),
			got.header.Get("Mcp-Session-Id"), got.header.Get("MCP-Protocol-Version"))))
	}
	expected := []string{
		"POST server/discover  2026-07-28", "POST initialize", "POST notifications/initialized s1 2025-11-25",
		"POST tools/list s1 2025-11-25", "DELETE  s1 2025-11-25",
	}
	if !slices.Equal(steps, expected) {
		t.Errorf("got\n%s\nexpected\n%s", strings.Join(steps, "\n"), strings.Join(expected, "\n"))
	}
	of := func(method string) string { return "{class=protocol,method=" + method + ",operation=" + method + "}" }
	call := "{method=tools/list,operation=tools/list}"
	latency := "{method=tools/list,operation=tools/list,outcome=ok}"
	f.expectSamples(
		"mcp_additional_requests"+of("DELETE")+" 1", "mcp_additional_requests"+of("initialize")+" 1",
		"mcp_additional_requests"+of("notifications/initialized")+" 1", "mcp_request_duration"+latency,
		"mcp_request_failed"+call+" 0",
		"mcp_requests"+of("DELETE")+" 1", "mcp_requests"+of("initialize")+" 1", "mcp_requests"+of("notifications/initialized")+" 1",
		"mcp_requests"+call+" 1", "mcp_session_duration"+of("initialize"),
	)
}

func TestSessionsOfCalls(t *testing.T) {
	for sessions, expected := range map[string]string{
		"per-vu": "initialize notifications/initialized ping ping", "per-call": "initialize notifications/initialized ping DELETE " +
			"initialize notifications/initialized ping DELETE",
		"abandon": "initialize notifications/initialized ping initialize notifications/initialized ping",
	} {
		server := legacy(succeed)
		f := newFixture(t, server)
		f.run(`const client = new StreamableHTTPClient({ base_url: url, protocolVersion: '2025-06-18', sessions: '` + sessions + `' }); client.ping(); client.ping()`)
		var steps []string
		for _, got := range server.requests() {
			step := got.rpcMethod()
			if step == "" {
				step = got.method
			}
			steps = append(steps, step)
		}
		if got := strings.Join(steps, " "); got != expected {
			t.Errorf("%s: got %s; expected %s", sessions, got, expected)
		}
	}
}

// If the server has ended the session, it is reopened and the call is repeated. Servers send one of two statuses for this.
func TestSessionExpires(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusBadRequest} {
		server := legacy(func(w http.ResponseWriter, r received) {
			if r.header.Get("Mcp-Session-Id") == "s1" {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, "no such Session")
				return
			}
			succeed(w, r)
		})
		f := newFixture(t, server)
		f.expect(`const client = new StreamableHTTPClient({ base_url: url, protocolVersion: '2025-06-18' }); client.ping().ok`, `true`)
		got := strings.Join(f.taken(), "\n")
		for _, sample := range []string{"mcp_sessions_expired{method=ping,operation=ping} 1", "mcp_request_failed{method=ping,operation=ping} 0"} {
			if !strings.Contains(got, sample) {
				t.Errorf("HTTP %d: %s is missing in\n%s", status, sample, got)
			}
		}
		if strings.Contains(got, "mcp_failures") {
			t.Errorf("HTTP %d: a failure is counted in\n%s", status, got)
		}
	}
}

// What the first VU negotiates is not negotiated again by the next one.
func TestNegotiatedOnce(t *testing.T) {
	for name, server := range map[string]*recorder{"modern": modern(succeed), "legacy": legacy(succeed)} {
		root := New()
		url := newFixture(t, server).server.URL
		for range 2 {
			f := newFixture(t, server)
			f.enter(root)
			f.init(`const client = new mcp.StreamableHTTPClient({ base_url: ` + quote(url) + ` })`)
			f.expect(`client.ping().ok`, `true`)
		}
		discovered := 0
		for _, got := range server.requests() {
			if got.rpcMethod() == "server/discover" {
				discovered++
			}
		}
		if discovered != 1 {
			t.Errorf("%s: got %d times server/discover; expected 1", name, discovered)
		}
	}
}

func TestConnectFails(t *testing.T) {
	for name, test := range map[string]struct {
		options, expected string
		answer            func(w http.ResponseWriter, r received)
	}{
		"a redirect": {answer: func(w http.ResponseWriter, _ received) {
			w.Header().Set("Location", "/mcp")
			w.WriteHeader(http.StatusFound)
		}, expected: `a redirect to "/mcp" instead of an answer: HTTP 302`},
		"not allowed": {answer: func(w http.ResponseWriter, _ received) {
			http.Error(w, "token SECRET\x1b[31m", http.StatusUnauthorized)
		}, options: ", token: 'SECRET'", expected: "HTTP 401 text/plain; charset=utf-8: token *** [31m"},
		"modern alone": {answer: func(w http.ResponseWriter, _ received) {
			w.WriteHeader(http.StatusBadRequest)
		}, options: ", protocolVersion: '2026-07-28'", expected: "it does not speak MCP 2026-07-28"},
		"no known version": {answer: func(w http.ResponseWriter, r received) {
			w.WriteHeader(http.StatusBadRequest)
			writeJSON(w, `{"jsonrpc":"2.0","id":`+r.id()+`,"error":{"code":-32022,"message":"m","data":{"supported":["2031-01-01"]}}}`)
		}, expected: `server/discover: HTTP 400 text/plain; charset=utf-8: m; it lists ["2031-01-01"]; initialize: HTTP 400 text/plain; charset=utf-8: m`},
		"another version in the end": {answer: func(w http.ResponseWriter, r received) {
			if r.rpcMethod() == "server/discover" {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			writeJSON(w, reply(r.id(), `{"protocolVersion":"1"}`))
		}, expected: `it wants protocol version "1"`},
		"the transport of 2024-11-05": {answer: func(w http.ResponseWriter, r received) {
			if r.method == http.MethodGet {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "event: endpoint\ndata: /messages\n\n")
				return
			}
			w.WriteHeader(http.StatusMethodNotAllowed)
		}, expected: "HTTP+SSE transport of 2024-11-05"},
		"another version than the options say": {answer: func(w http.ResponseWriter, r received) {
			writeJSON(w, reply(r.id(), `{"protocolVersion":"2025-03-26"}`))
		}, options: ", protocolVersion: '2025-11-25'", expected: "it settles on protocol version 2025-03-26; expected 2025-11-25"},
		"an error of the server's own": {answer: func(w http.ResponseWriter, _ received) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}, expected: "HTTP 503"},
		"a secret of another header": {answer: func(w http.ResponseWriter, r received) {
			http.Error(w, r.header.Get("X-Api-Key"), http.StatusForbidden)
		}, options: ", headers: { 'X-Api-Key': 'SECRET' }", expected: "HTTP 403 text/plain; charset=utf-8: ***"},
		"too long a session": {answer: func(w http.ResponseWriter, r received) {
			w.Header().Set("Mcp-Session-Id", strings.Repeat("s", 5000))
			writeJSON(w, reply(r.id(), `{"protocolVersion":"2025-11-25"}`))
		}, options: ", protocolVersion: '2025-11-25'", expected: "a session id of 5000 characters"},
	} {
		f := newFixture(t, &recorder{answer: test.answer})
		_, err := f.try(`new StreamableHTTPClient({ base_url: url` + test.options + ` }).connect()`)
		if err == nil || !strings.Contains(err.Error(), test.expected) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: got %v; expected %s", name, err, test.expected)
		}
	}
}

func TestListAll(t *testing.T) {
	server := modern(func(w http.ResponseWriter, r received) {
		if strings.Contains(r.body, `"cursor":"two"`) {
			writeJSON(w, reply(r.id(), `{"tools":[{"name":"b"}]}`))
			return
		}
		writeJSON(w, reply(r.id(), `{"tools":[{"name":"a"}],"nextCursor":"two"}`))
	})
	f := newFixture(t, server)
	f.expect(`new StreamableHTTPClient({ base_url: url }).listAllTools().map(({ name }) => name)`, `["a","b"]`)
}

func TestPrepared(t *testing.T) {
	server := modern(func(w http.ResponseWriter, r received) {
		if strings.Contains(r.body, "2") && strings.Contains(r.body, `"q":2`) {
			writeJSON(w, reply(r.id(), `{"isError":true}`))
			return
		}
		succeed(w, r)
	})
	f := newFixture(t, server)
	f.run(`const client = new StreamableHTTPClient({ base_url: url });
		const call = client.prepare('tools/call', { name: 'a', arguments: { q: 0 } }, { expect: (answer, args) => answer.text.includes('"x"') && args !== 7 })`)
	// The second and the third answer equal the first one except for their ID. An answer that differs is parsed.
	f.expect(`[call.send(), call.send({ q: 1 }), call.send('{"q":3}'), call.send({ q: 2 }), call.send()].map((answer) => answer.failure?.kind ?? answer.text)`,
		`["{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}}",`+
			`"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}}",`+
			`"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}}","tool",`+
			`"{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}}"]`)
	var sent []string
	for _, got := range server.requests()[1:] {
		sent = append(sent, gjson.Get(got.body, "params.arguments.q").Raw)
	}
	if got := strings.Join(sent, " "); got != "0 1 3 2 0" {
		t.Errorf("got arguments %s; expected 0 1 3 2 0", got)
	}
}

// An answer that may be cached is requested once, until it is stale.
func TestCache(t *testing.T) {
	server := modern(func(w http.ResponseWriter, r received) {
		ttl := "60000"
		if strings.Contains(r.body, "stale") {
			ttl = "1"
		}
		writeJSON(w, reply(r.id(), `{"ttlMs":`+ttl+`,"contents":[]}`))
	})
	f := newFixture(t, server)
	f.run(`const client = new StreamableHTTPClient({ base_url: url, cache: true });
		const prepared = client.prepare('resources/read', {}, { member: 'uri' });
		const read = (uri) => prepared.send(JSON.stringify(uri)).result.contents.length;
		read('a'); read('a'); read('b')`)
	if got := len(server.requests()); got != 3 {
		t.Errorf("got %d requests; expected 3", got)
	}
	if got := f.taken(); got[0] != "mcp_cache_hits{method=resources/read,operation=resources/read} 1" {
		t.Errorf("got %v", got)
	}
	f.run(`read('stale')`)
	time.Sleep(10 * time.Millisecond)
	f.run(`read('stale'); client.callTool({ name: 'a' }); client.callTool({ name: 'a' })`)
	if got := len(server.requests()); got != 7 {
		t.Errorf("got %d requests; expected 7", got)
	}
}

func TestObserve(t *testing.T) {
	server := modern(func(w http.ResponseWriter, r received) {
		w.Header().Set("Keep-Alive", "timeout=5, max=9")
		encoded("gzip", gzipped(reply(r.id(), `{"text":"`+strings.Repeat("a", 10_000)+`"}`)))(w, r)
	})
	f := newFixture(t, server)
	f.run(`const client = new StreamableHTTPClient({ base_url: url, observe: true, protocolVersion: '2026-07-28', headers: { 'Accept-Encoding': 'gzip' } });
		client.request('a', {}, { tags: { operation: 'a' } })`)
	sizes := map[string]float64{}
	for _, line := range f.taken() {
		var value float64
		name, rest, _ := strings.Cut(line, "{")
		_, text, _ := strings.Cut(rest, "} ")
		_, _ = fmt.Sscan(text, &value)
		sizes[name] = value
	}
	if sizes["mcp_compressed"] != 1 || sizes["mcp_keep_alive_seconds"] != 5 ||
		sizes["mcp_request_bytes"] != float64(len(server.requests()[0].body)) || sizes["mcp_response_bytes"] > 200 || sizes["mcp_response_bytes"] < 50 {
		t.Errorf("got %v", sizes)
	}
}

// The end of the VU interrupts a call at once. The call counts neither as finished nor as failed.
func TestInterrupted(t *testing.T) {
	f := newFixture(t, modern(stalled))
	f.run(`const client = new StreamableHTTPClient({ base_url: url }); client.connect()`)
	f.taken()
	time.AfterFunc(50*time.Millisecond, f.CancelContext)
	f.expect(`client.ping().ok`, `false`)
	f.expectSamples("mcp_interrupted{method=ping,operation=ping} 1")
	if entries := f.log.AllEntries(); len(entries) > 0 {
		t.Errorf("got %q in the log", entries[0].Message)
	}
}

func TestNotMeasured(t *testing.T) {
	f := newFixture(t, modern(succeed))
	f.run(`const client = new StreamableHTTPClient({ base_url: url }); client.measured = false; client.ping()`)
	f.expectSamples("mcp_warmup_requests{} 1")
	f.run(`client.measured = true`)
	// setup and teardown.
	f.state.VUID = 0
	f.run(`client.ping()`)
	f.expectSamples("mcp_warmup_requests{} 1")
}

func TestTraceparent(t *testing.T) {
	server := legacy(succeed)
	f := newFixture(t, server)
	f.run(`const client = new StreamableHTTPClient({ base_url: url, traceSampling: 1 }); client.request('ping', { _meta: { progressToken: 1 } })`)
	got := server.requests()[3].body
	meta := gjson.Get(got, "params._meta")
	parts := strings.Split(meta.Get("traceparent").Str, "-")
	if meta.Get("progressToken").Raw != "1" || len(parts) != 4 || len(parts[1]) != 32 || len(parts[2]) != 16 || parts[3] != "01" {
		t.Errorf("got %s; expected a traceparent next to the progress token", got)
	}
	f = newFixture(t, server)
	f.run(`const client = new StreamableHTTPClient({ base_url: url }); client.ping()`)
	if last := server.requests()[len(server.requests())-1].body; strings.Contains(last, "traceparent") {
		t.Errorf("got %s; expected no traceparent", last)
	}
}

func TestParamHeaders(t *testing.T) {
	server := modern(succeed)
	f := newFixture(t, server)
	f.run(`const client = new StreamableHTTPClient({ base_url: url });
		const call = client.prepare('tools/call', { name: 'a' }, { paramHeaders: { Region: '/a~1b/region', Count: '/n', None: '/x' } });
		call.send({ 'a/b': { region: 'nord ost ' }, n: 3 })`)
	header := server.requests()[1].header
	if header.Get("Mcp-Param-Region") != "=?base64?bm9yZCBvc3Qg?=" || header.Get("Mcp-Param-Count") != "3" || header.Values("Mcp-Param-None") != nil {
		t.Errorf("got %v", header)
	}
}

func TestCookies(t *testing.T) {
	server := modern(func(w http.ResponseWriter, r received) {
		http.SetCookie(w, &http.Cookie{Name: "sticky", Value: "1"})
		succeed(w, r)
	})
	f := newFixture(t, server)
	f.run(`const client = new StreamableHTTPClient({ base_url: url }); client.ping(); client.ping()`)
	if got := server.requests()[2].header.Get("Cookie"); got != "sticky=1" {
		t.Errorf("got cookie %q; expected sticky=1", got)
	}
}

func TestInitContext(t *testing.T) {
	f := newFixture(t, modern(succeed))
	for _, code := range []string{"ping()", "connect()", "notify('a')", "listAllTools()", "prepare('a').send()"} {
		if _, err := f.VU.Runtime().RunString(`new StreamableHTTPClient({ base_url: url }).` + code); err == nil ||
			!strings.Contains(err.Error(), "not in the init context") {
			t.Errorf("%s: got %v", code, err)
		}
	}
	f.init(`new StreamableHTTPClient({ base_url: url }).close()`)
}

// A server of 2026-07-28 that fails temporarily is tried again by the next call.
func TestStaysInEra(t *testing.T) {
	failures := 1
	server := modern(succeed)
	inner := server.answer
	server.answer = func(w http.ResponseWriter, r received) {
		if failures--; failures >= 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if r.rpcMethod() == "initialize" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		inner(w, r)
	}
	f := newFixture(t, server)
	f.expect(`const client = new StreamableHTTPClient({ base_url: url }); [client.ping().status, client.ping().status, client.connect().protocolVersion]`,
		`[404,200,"2026-07-28"]`)
}

// A server may refuse a version once although it lists it.
func TestRefusesAVersionThatItLists(t *testing.T) {
	for refusals, expected := range map[int]string{1: "", 2: `server/discover: HTTP 400 text/plain; charset=utf-8: m; it lists ["2026-07-28"]; initialize: `} {
		server := modern(succeed)
		inner := server.answer
		left := refusals
		server.answer = func(w http.ResponseWriter, r received) {
			if left--; left >= 0 {
				w.WriteHeader(http.StatusBadRequest)
				writeJSON(w, `{"jsonrpc":"2.0","id":`+r.id()+`,"error":{"code":-32022,"message":"m","data":{"supported":["2026-07-28"]}}}`)
				return
			}
			inner(w, r)
		}
		f := newFixture(t, server)
		_, err := f.try(`new StreamableHTTPClient({ base_url: url }).connect()`)
		if (err == nil) != (expected == "") || err != nil && !strings.Contains(err.Error(), expected) {
			t.Errorf("%d refusals: got %v; expected %s", refusals, err, expected)
		}
	}
}

// An argument that varies is repeated in the header (2026-07-28).
func TestNameVaries(t *testing.T) {
	server := modern(succeed)
	f := newFixture(t, server)
	f.run(`const call = new StreamableHTTPClient({ base_url: url }).prepare('resources/read', {}, { member: 'uri' }); call.send('"a:b"'); call.send('"c:d"')`)
	for index, expected := range []string{"a:b", "c:d"} {
		if got := server.requests()[index+1]; got.header.Get("Mcp-Name") != expected || gjson.Get(got.body, "params.uri").Str != expected {
			t.Errorf("got Mcp-Name %s, %s; expected %s", got.header.Get("Mcp-Name"), got.body, expected)
		}
	}
}

func TestNotify(t *testing.T) {
	server := modern(func(w http.ResponseWriter, _ received) { w.WriteHeader(http.StatusAccepted) })
	f := newFixture(t, server)
	f.run(`new StreamableHTTPClient({ base_url: url }).notify('notifications/cancelled', { requestId: 7 })`)
	got := server.requests()[1].body
	if gjson.Get(got, "params.requestId").Raw != "7" || gjson.Get(got, "id").Exists() || !gjson.Valid(got) {
		t.Errorf("got %s", got)
	}
}

// The option rps delays calls, and does not make them fail.
func TestRPS(t *testing.T) {
	f := newFixture(t, modern(succeed))
	// The only token of the limiter is used by the client's own first request.
	f.state.RPSLimit = rate.NewLimiter(1, 1)
	f.expect(`const client = new StreamableHTTPClient({ base_url: url, timeout: 700 }); client.ping().ok`, `true`)
}

func TestCredentialsInURL(t *testing.T) {
	server := modern(succeed)
	f := newFixture(t, server)
	f.run(`new StreamableHTTPClient({ base_url: url.replace('http://', 'http://user:SECRET@') }).ping()`)
	if got := server.requests()[0].header.Get("Authorization"); got != "Basic dXNlcjpTRUNSRVQ=" {
		t.Errorf("got Authorization %q", got)
	}
}
