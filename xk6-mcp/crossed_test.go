package mcp

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// The server answers with the arguments of the previous call.
func TestCrossed(t *testing.T) {
	last := "{}"
	server := legacy(func(w http.ResponseWriter, r received) {
		arguments := gjson.Get(r.body, "params.arguments").Raw
		writeJSON(w, reply(r.id(), `{"structuredContent":`+last+`}`))
		if arguments != "" {
			last = arguments
		}
	})
	root := New()
	for range 2 {
		f := newFixture(t, server)
		f.enter(root)
		f.init(`const client = new mcp.StreamableHTTPClient({ base_url: url, protocolVersion: '2025-11-25', sessions: 'shared', ids: 'same' })`)
		f.expect(`[0, 1].map(() => client.callTool({ name: 'a', arguments: { a: 1 } }, { nonce: 'n' }).failure.kind).join()`, `"crossed,crossed"`)
		f.expect(`client.callTool({ name: 'a' }).ok`, `true`)
		if samples := strings.Join(f.taken(), "\n"); !strings.Contains(samples, "mcp_failures{kind=crossed,") {
			t.Errorf("got %s", samples)
		}
	}
}

func TestNonce(t *testing.T) {
	server := modern(func(w http.ResponseWriter, r received) {
		writeJSON(w, reply(r.id(), `{"structuredContent":`+gjson.Get(r.body, "params.arguments").Raw+`}`))
	})
	f := newFixture(t, server)
	f.expect(`const client = new StreamableHTTPClient({ base_url: url });
		const call = client.prepare('tools/call', { name: 'a' }, { nonce: 'n' });
		[call.send(), call.send({}), call.send(' { "q": 1 } ')].map(({ ok }) => ok)`, `[true,true,true]`)
	if got := gjson.Get(server.requests()[3].body, "params.arguments"); got.Get("q").Raw != "1" || len(got.Get("n").Str) < 8 {
		t.Errorf("got %s", got)
	}
}

// All VUs share one session, and use the same request ID or unique ones. Clients with other credentials use another session.
func TestSharedSession(t *testing.T) {
	for ids, expected := range map[string]map[string]int{
		"same": {"ping s1 1": 6, "ping s2 1": 2, "initialize  1": 2, "notifications/initialized s1 ": 1, "notifications/initialized s2 ": 1},
		"unique": {"ping s1 2": 1, "ping s1 3": 1, "ping s1 4": 1, "ping s1 5": 1, "ping s1 6": 1, "ping s1 7": 1, "ping s2 2": 1, "ping s2 3": 1,
			"initialize  1": 2, "notifications/initialized s1 ": 1, "notifications/initialized s2 ": 1},
	} {
		server := legacy(succeed)
		root := New()
		f := newFixture(t, server)
		url := f.server.URL
		for _, token := range []string{"a", "a", "a", "b"} {
			f = newFixture(t, server)
			f.enter(root)
			f.init(`const client = new mcp.StreamableHTTPClient({ base_url: ` + quote(url) + `, protocolVersion: '2025-11-25', sessions: 'shared',
				ids: '` + ids + `', token: '` + token + `' })`)
			f.expect(`client.connect().serverInfo.name`, `"old"`)
			f.run(`client.ping(); client.ping(); client.close()`)
		}
		count := map[string]int{}
		for _, got := range server.requests() {
			count[got.rpcMethod()+" "+got.header.Get("Mcp-Session-Id")+" "+got.id()]++
		}
		if !maps.Equal(count, expected) {
			t.Errorf("%s: got %v", ids, count)
		}
	}
}
