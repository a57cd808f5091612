package mcp

import (
	"net/http"
	"strings"
	"testing"
)

// Answers to server/discover of servers that then answer initialize. ID stands for the request's ID.
var refusals = []struct {
	name        string
	status      int
	contentType string
	body        string
	// The protocol version that initialize requests. The default is the newest version before 2026-07-28.
	version string
}{
	{"400, not initialized", 400, jsonType, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}`, ""},
	{"400, plain text", 400, "text/plain", "Invalid or missing session ID", ""},
	{"400, the id server-error", 400, jsonType, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad Request: Missing session ID"}}`, ""},
	{"200, the id server-error", 200, jsonType, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad Request: Missing session ID"}}`, ""},
	{"404, no such method", 404, jsonType, rpcError("-32601"), ""},
	{"200, invalid parameters", 200, jsonType, rpcError("-32602"), ""},
	{"200, no such method", 200, jsonType, rpcError("-32601"), ""},
	{"200, other versions", 200, jsonType, reply("ID", `{"supportedVersions":["2025-06-18","2025-03-26"]}`), "2025-06-18"},
	{"200, unknown versions", 200, jsonType, reply("ID", `{"supportedVersions":["2031-01-01"]}`), ""},
	{"200, an empty list of versions", 200, jsonType, reply("ID", `{"supportedVersions":[]}`), ""},
	{"200, no versions", 200, jsonType, reply("ID", `{"capabilities":{}}`), ""},
	{"200, the version alone", 200, jsonType, reply("ID", `{"supportedVersions":"2026-07-28"}`), ""},
	{"400, other versions", 400, jsonType, versionError(`["2025-03-26"]`), "2025-03-26"},
	{"400, unknown versions", 400, jsonType, versionError(`["2031-01-01"]`), ""},
	{"400, this version, twice", 400, jsonType, versionError(`["2026-07-28"]`), ""},
	{"400, header mismatch", 400, jsonType, rpcError("-32020"), ""},
	{"400, missing capability", 400, jsonType, rpcError("-32021"), ""},
	{"200, header mismatch", 200, jsonType, rpcError("-32020"), ""},
	{"200, an error of its own", 200, jsonType, rpcError("-32603"), ""},
	{"200, an error without a code", 200, jsonType, `{"jsonrpc":"2.0","id":ID,"error":{}}`, ""},
	{"200, another result type", 200, jsonType, reply("ID", `{"resultType":"input_required","supportedVersions":["2026-07-28"]}`), ""},
	{"500, plain text", 500, "text/plain", "Internal Server Error", ""},
	{"500, JSON-RPC", 500, jsonType, rpcError("-32603"), ""},
	{"500, empty", 500, "", "", ""},
	{"502, HTML", 502, "text/html", "<html>Bad Gateway</html>", ""},
	{"503, empty", 503, "", "", ""},
	{"429, empty", 429, "", "", ""},
	{"404, HTML", 404, "text/html", "<!doctype html><h1>Not Found</h1>", ""},
	{"405, empty", 405, "", "", ""},
	{"406, JSON-RPC", 406, jsonType, rpcError("-32000"), ""},
	{"415, plain text", 415, "text/plain", "Unsupported Media Type", ""},
	{"200, HTML", 200, "text/html", "<!doctype html><h1>Welcome</h1>", ""},
	{"200, empty", 200, "", "", ""},
	{"200, empty JSON", 200, jsonType, "", ""},
	{"202, empty", 202, "", "", ""},
	{"204, empty", 204, "", "", ""},
	{"200, a batch", 200, jsonType, "[" + reply("ID", `{"supportedVersions":["2026-07-28"]}`) + "]", ""},
	{"200, an empty batch", 200, jsonType, "[]", ""},
	{"200, a stream without events", 200, sseType, "", ""},
	{"200, a stream without an answer", 200, sseType, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n", ""},
	{"200, an error on a stream", 200, sseType, "data: " + rpcError("-32601") + "\n\n", ""},
}

func rpcError(code string) string {
	return `{"jsonrpc":"2.0","id":ID,"error":{"code":` + code + `,"message":"refused"}}`
}

func versionError(supported string) string {
	return `{"jsonrpc":"2.0","id":ID,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":` + supported + `}}}`
}

// refusing is a server that answers server/discover with a text, and everything else like another server.
func refusing(other *recorder, status int, contentType, body string) *recorder {
	return &recorder{answer: func(w http.ResponseWriter, r received) {
		if r.rpcMethod() != "server/discover" {
			other.answer(w, r)
			return
		}
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		if body != "" {
			_, _ = w.Write([]byte(strings.ReplaceAll(body, "ID", r.id())))
		}
	}}
}

func (s *recorder) counted(method string) int {
	count := 0
	for _, got := range s.requests() {
		if got.rpcMethod() == method {
			count++
		}
	}
	return count
}

func TestRefusalLeadsToInitialize(t *testing.T) {
	for _, test := range refusals {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, refusing(legacy(succeed), test.status, test.contentType, test.body))
			expected := test.version
			if expected == "" {
				expected = "2025-11-25"
			}
			f.expect(`const client = new StreamableHTTPClient({ base_url: url }); [client.connect().protocolVersion, client.callTool({ name: 'a' }).ok]`,
				`["`+expected+`",true]`)
			if taken := strings.Join(f.taken(), "\n"); strings.Contains(taken, "discover") || strings.Contains(taken, "mcp_failures") {
				t.Errorf("the refusal is counted:\n%s", taken)
			}
		})
	}
}

// If initialize is refused as well, the reason is one line with both answers.
func TestBothRefused(t *testing.T) {
	for _, test := range refusals {
		t.Run(test.name, func(t *testing.T) {
			other := &recorder{answer: func(w http.ResponseWriter, _ received) { http.Error(w, "SECRET\x1b[31m\nno", http.StatusTeapot) }}
			server := refusing(other, test.status, test.contentType, test.body)
			f := newFixture(t, server)
			_, err := f.try(`new StreamableHTTPClient({ base_url: url, token: 'SECRET' }).connect()`)
			if err == nil || !strings.Contains(err.Error(), " cannot be used: server/discover: ") ||
				!strings.Contains(err.Error(), "; initialize: HTTP 418 text/plain; charset=utf-8: *** [31m no") {
				t.Errorf("got %v; expected both answers", err)
			}
			if server.counted("initialize") != 1 {
				t.Errorf("got %d times initialize; expected 1", server.counted("initialize"))
			}
		})
	}
}

func TestBothAnswersAreShown(t *testing.T) {
	hostile := "token SECRET\x1b[31m\r\n\u202e" + strings.Repeat("x", 100_000)
	for name, test := range map[string]struct{ discover, initialize, expected string }{
		"each its own": {"no discover", "no initialize", "cannot be used: server/discover: HTTP 500 text/plain: no discover; " +
			"initialize: HTTP 500 text/plain; charset=utf-8: no initialize "},
		"the same": {"no\n", "no", "cannot be used: server/discover and initialize: HTTP 500 text/plain"},
		"hostile":  {hostile, hostile, "cannot be used: server/discover: HTTP 500 text/plain: token *** [31m   xxx"},
	} {
		other := &recorder{answer: func(w http.ResponseWriter, _ received) {
			http.Error(w, test.initialize, http.StatusInternalServerError)
		}}
		contentType := "text/plain"
		if name == "the same" {
			contentType += "; charset=utf-8"
		}
		f := newFixture(t, refusing(other, http.StatusInternalServerError, contentType, test.discover))
		_, err := f.try(`new StreamableHTTPClient({ base_url: url, token: 'SECRET' }).connect()`)
		if err == nil || !strings.Contains(err.Error(), test.expected) || strings.ContainsAny(err.Error(), "\x1b\r\n\u202e") ||
			strings.Contains(err.Error(), "SECRET") || len(err.Error()) > 600 {
			t.Errorf("%s: got %v; expected %s", name, err, test.expected)
		}
	}
}

// No answer, or an error that another version would not change, does not lead to initialize.
func TestDoesNotLeadToInitialize(t *testing.T) {
	for name, test := range map[string]struct {
		options, expected string
		discover          func(w http.ResponseWriter, r received)
	}{
		"401": {"", "cannot be used: HTTP 401", func(w http.ResponseWriter, _ received) { w.WriteHeader(http.StatusUnauthorized) }},
		"403": {"", "cannot be used: HTTP 403", func(w http.ResponseWriter, _ received) { w.WriteHeader(http.StatusForbidden) }},
		"a redirect": {"", `cannot be used: a redirect to "/mcp"`, func(w http.ResponseWriter, _ received) {
			w.Header().Set("Location", "/mcp")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}},
		"no answer": {", timeout: 50", "cannot be used: no answer in time", func(_ http.ResponseWriter, r received) { <-r.gone }},
		"closed":    {"", "cannot be used: EOF", func(http.ResponseWriter, received) { panic(http.ErrAbortHandler) }},
		"too large": {", maxBodySize: 100", "cannot be used: the answer has more than 100 bytes", func(w http.ResponseWriter, _ received) {
			writeJSON(w, strings.Repeat(" ", 200))
		}},
		"a stream that goes on": {", timeout: 50", "cannot be used: the answer began and did not go on in time", stalled},
	} {
		server := legacy(succeed)
		inner := server.answer
		server.answer = func(w http.ResponseWriter, r received) {
			if r.rpcMethod() == "server/discover" {
				test.discover(w, r)
				return
			}
			inner(w, r)
		}
		f := newFixture(t, server)
		_, err := f.try(`new StreamableHTTPClient({ base_url: url` + test.options + ` }).connect()`)
		if err == nil || !strings.Contains(err.Error(), test.expected) || server.counted("initialize") != 0 {
			t.Errorf("%s: got %v and %d times initialize; expected %s", name, err, server.counted("initialize"), test.expected)
		}
	}
}
