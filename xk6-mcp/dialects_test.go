package mcp

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestJSONRPC(t *testing.T) {
	for answer, expected := range map[string]string{
		`{"jsonrpc":"2.0","id":ID,"result":7}`:                                `[true,7,""]`,
		`{"jsonrpc":"2.0","id":ID,"result":null}`:                             `[true,null,""]`,
		`{"jsonrpc":"2.0","id":ID,"result":{"isError":true,"content":"bad"}}`: `[false,{"content":"bad","isError":true},"tool"]`,
		`{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":"no"}}`:         `[false,null,"jsonrpc"]`,
		`{"jsonrpc":"2.0","id":ID}`:                                           `[false,null,"protocol"]`,
		`{"jsonrpc":"2.0","id":99,"result":7}`:                                `[false,null,"protocol"]`,
		`x`:                                                                   `[false,null,"protocol"]`,
	} {
		server := &recorder{answer: func(w http.ResponseWriter, r received) {
			_, _ = io.WriteString(w, strings.ReplaceAll(answer, "ID", r.id()))
		}}
		f := newFixture(t, server)
		f.expect(`const answer = new StreamableHTTPClient({ base_url: url, protocol: 'jsonrpc' }).callTool({ name: 'a', arguments: {} });
			[answer.ok, answer.result, answer.failure?.kind ?? '']`, expected)
		if got := server.requests(); len(got) != 1 || got[0].body != `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a","arguments":{}},"id":1}` {
			t.Errorf("got %v", got)
		}
	}
}

// A prepared call recognizes its answer from the second call on.
func TestJSONRPCPrepared(t *testing.T) {
	server := &recorder{answer: func(w http.ResponseWriter, r received) { writeJSON(w, reply(r.id(), `{"a":1}`)) }}
	f := newFixture(t, server)
	f.expect(`const call = new StreamableHTTPClient({ base_url: url, protocol: 'jsonrpc' }).prepare('a'); [call.send().ok, call.send().ok, call.send().result]`,
		`[true,true,{"a":1}]`)
}

// Any answer shows that the server is there. If nothing listens, connect throws.
func TestConnectWithoutMCP(t *testing.T) {
	f := newFixture(t, &recorder{answer: func(w http.ResponseWriter, _ received) { w.WriteHeader(http.StatusNotFound) }})
	f.run(`new StreamableHTTPClient({ base_url: url, protocol: 'rest' }).connect()`)
	f.server.Close()
	if _, err := f.try(`new StreamableHTTPClient({ base_url: url, protocol: 'jsonrpc' }).connect()`); err == nil || !strings.Contains(err.Error(), "cannot be used") {
		t.Errorf("got %v", err)
	}
}

func TestREST(t *testing.T) {
	for name, test := range map[string]struct {
		status                  int
		body, options, expected string
	}{
		"a result":             {200, `{"a":1}`, ``, `[true,{"a":1},""]`},
		"a tool's error":       {200, `{"isError":true}`, ``, `[false,{"isError":true},"tool"]`},
		"no JSON":              {200, `x`, ``, `[false,null,"protocol"]`},
		"nothing":              {204, ``, ``, `[true,null,""]`},
		"refused":              {403, `no`, ``, `[false,null,"auth"]`},
		"refused, as expected": {403, `no`, `{ expectStatus: [401, 403] }`, `[true,null,""]`},
		"let in":               {200, `{}`, `{ expectStatus: [403] }`, `[false,null,"unexpected"]`},
	} {
		server := &recorder{answer: func(w http.ResponseWriter, _ received) {
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		}}
		f := newFixture(t, server)
		options := test.options
		if options == "" {
			options = "{}"
		}
		f.init(`const client = new StreamableHTTPClient({ base_url: url + '/api/?v=1', protocol: 'rest' })`)
		f.expect(`const answer = client.callTool({ name: 'a b', arguments: { q: 1 } }, `+options+`); [answer.ok, answer.result, answer.failure?.kind ?? '']`, test.expected)
		if t.Failed() {
			t.Log(name)
		}
		if got := server.requests(); len(got) != 1 || got[0].body != `{"arguments":{"q":1}}` || got[0].url != "/api/tools/a%20b/call?v=1" {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestRESTWithoutAPath(t *testing.T) {
	server := &recorder{answer: func(w http.ResponseWriter, _ received) { writeJSON(w, `{}`) }}
	f := newFixture(t, server)
	f.expect(`new StreamableHTTPClient({ base_url: url, protocol: 'rest' }).callTool({ name: 'a' }).ok`, `true`)
	if got := server.requests()[0].url; got != "/tools/a/call" {
		t.Errorf("got %s", got)
	}
}
