package mcp

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// Answers that servers have given or might give, each with its kind of failure, if any. ID stands for the request's ID.
var answers = []struct{ name, kind, contentType, body string }{
	{"line breaks and spaces", "", jsonType, "\n{\n  \"result\": {},\r\n\t\"id\": ID,\n \"jsonrpc\": \"2.0\"\n}\n"},
	{"escaped names, and a lone surrogate", "", jsonType, `{"\u006asonrpc":"2.0","id":ID,"result":{"text":"\ud800 \u0000"}}`},
	{"text that was damaged before", "", jsonType, `{"jsonrpc":"2.0","id":ID,"result":{"text":"caf` + "\ufffd" + `"}}`},
	{"an error in a text", "", jsonType, `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"\"isError\":true, \"error\":{\"code\":1}"}],"isError":false}}`},
	{"an error in data", "", jsonType, `{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":{"isError":true,"error":{"code":1},"resultType":"none"},"content":[]}}`},
	{"isError null", "", jsonType, `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"isError":null}}`},
	{"the last of two ids", "", jsonType, `{"jsonrpc":"2.0","id":"other","result":{},"id":ID}`},
	{"a stream with all that it may have", "", sseType, ": hi\r\nid: 1\r\ndata:\r\n\r\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\r\n\r\nevent: message\r\ndata: " + success + "\r\n\r\n"},
	{"a stream's type in capitals", "", "Text/Event-Stream; Charset=UTF-8", "data: " + success + "\n\n"},
	{"a stream with CR", "", sseType, "data: " + success + "\r\r"},
	{"a stream with a byte order mark", "", sseType, "\ufeffdata: " + success + "\n\n"},
	{"a reply in several lines", "", sseType, "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":ID,\ndata:\"result\":{}}\n\n"},
	{"junk before the reply", "", sseType, "data: not JSON\n\ndata: {\"half\":\n\nnonsense\n\ndata: " + success + "\n\n"},
	{"the replies of others before", "", sseType, `data: {"jsonrpc":"2.0","id":"x","result":{}}` + "\n\n" + `data: {"jsonrpc":"2.0","id":99,"error":{"code":1}}` + "\n\ndata: " + success + "\n\n"},
	{"two replies on a stream", "", sseType, "data: " + success + "\n\n" + `data: {"jsonrpc":"2.0","id":ID,"error":{"code":-1}}` + "\n\n"},

	{"HTML as JSON", "protocol", jsonType, "<!doctype html><h1>Welcome</h1>"},
	{"HTML as a stream", "protocol", sseType, "<!doctype html><h1>Welcome</h1>"},
	{"JSON as text", "protocol", "text/plain", success},
	{"a stream as JSON", "protocol", jsonType, "data: " + success + "\n\n"},
	{"JSON as a stream", "protocol", sseType, success},
	{"cut off at the end", "protocol", jsonType, `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"isError":false}`},
	{"cut off inside", "protocol", jsonType, `{"id":ID,"jsonrpc":"2.0","result":{"content":[{}}}`},
	{"two replies", "protocol", jsonType, success + success},
	{"not quite JSON", "protocol", jsonType, `{jsonrpc:"2.0","id":ID,"result":{"n":NaN,}}`},
	{"a control character", "protocol", jsonType, "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"text\":\"a\x00\nb\"}}"},
	{"bytes", "protocol", jsonType, "\x00\x01\x02"},
	{"UTF-16", "protocol", jsonType, inUTF16(`{"jsonrpc":"2.0","id":1,"result":{}}`)},
	{"a stream that is not UTF-8", "protocol", sseType, "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"text\":\"\xff\xfe\"}}\n\n"},
	{"JSON with a byte order mark", "protocol", jsonType, "\ufeff" + success},
	{"the id null", "protocol", jsonType, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}`},
	{"the id in an array", "protocol", jsonType, `{"jsonrpc":"2.0","id":[ID],"result":{}}`},
	{"the id in the result", "protocol", jsonType, `{"jsonrpc":"2.0","result":{"id":ID}}`},
	{"a longer id", "protocol", jsonType, `{"jsonrpc":"2.0","id":ID0,"result":{}}`},
	{"another id last", "protocol", jsonType, `{"jsonrpc":"2.0","id":ID,"result":{},"id":"other"}`},
	{"no version", "protocol", jsonType, `{"id":ID,"result":{}}`},
	{"the version as a number", "protocol", jsonType, `{"jsonrpc":2.0,"id":ID,"result":{}}`},
	{"a batch on a stream", "protocol", sseType, "data: [" + success + "]\n\n"},
	{"the request itself", "protocol", jsonType, `{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{}}`},
	{"a result of null", "protocol", jsonType, `{"jsonrpc":"2.0","id":ID,"result":null}`},
	{"a result of text", "protocol", jsonType, `{"jsonrpc":"2.0","id":ID,"result":"done"}`},
	{"a result of true", "protocol", jsonType, `{"jsonrpc":"2.0","id":ID,"result":true}`},
	{"the last of two results, a list", "protocol", jsonType, `{"jsonrpc":"2.0","id":ID,"result":{},"result":[]}`},
	{"null", "protocol", jsonType, "null"},
	{"a number", "protocol", jsonType, "ID"},

	{"an error without a code", "jsonrpc", jsonType, `{"jsonrpc":"2.0","id":ID,"error":{}}`},
	{"an error of text", "jsonrpc", jsonType, `{"jsonrpc":"2.0","id":ID,"error":"bad arguments"}`},
	// An answer with both a result and an error is a failure: one of them must be wrong.
	{"an error and a result", "jsonrpc", jsonType, `{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":-1}}`},
	{"an escaped error", "jsonrpc", jsonType, `{"jsonrpc":"2.0","id":ID,"result":{},"\u0065rror":{"code":-1}}`},
	{"a tool's error on a stream", "tool", sseType, `data: {"jsonrpc":"2.0","id":ID,"result":{"isError":true,"content":[]}}` + "\n\n"},
	{"a tool's error with spaces", "tool", jsonType, `{"jsonrpc":"2.0","id":ID,"result":{"isError" :` + "\n\t" + `true}}`},
	{"a tool's error as a number", "tool", jsonType, `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"isError":1}}`},
	{"a type of result that is not known", "unexpected", jsonType, `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"banana"}}`},
	{"an escaped type of result", "unexpected", jsonType, `{"jsonrpc":"2.0","id":ID,"result":{"result\u0054ype":"input_required"}}`},
}

const (
	jsonType = "application/json"
	sseType  = "text/event-stream"
	success  = `{"jsonrpc":"2.0","id":ID,"result":{}}`
)

func inUTF16(text string) string {
	var bytes strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		bytes.Write([]byte{byte(unit), byte(unit >> 8)})
	}
	return bytes.String()
}

// Each answer is sent as the first one of its kind, and after a success that the call remembers.
func TestAnswers(t *testing.T) {
	var body, contentType string
	f := newFixture(t, modern(func(w http.ResponseWriter, r received) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, strings.ReplaceAll(body, "ID", r.id()))
	}))
	f.run(`const client = new StreamableHTTPClient({ base_url: url }); client.connect();
		const fresh = () => client.callTool({ name: 'a' }).failure?.kind ?? '';
		const call = client.prepare('tools/call', { name: 'a' });
		const again = () => call.send().failure?.kind ?? ''`)
	for _, answer := range answers {
		body, contentType = answer.body, answer.contentType
		f.expect(`fresh()`, quote(answer.kind))
		body, contentType = success, jsonType
		f.expect(`again()`, `""`)
		body, contentType = answer.body, answer.contentType
		f.expect(`again()`, quote(answer.kind))
		if t.Failed() {
			t.Fatal(answer.name)
		}
	}
}

// Answers that are broken below the level of JSON.
func TestBrokenAnswers(t *testing.T) {
	start := func(contentType, text string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", contentType)
			_, _ = io.WriteString(w, text)
			w.(http.Flusher).Flush()
		}
	}
	cut := func(http.ResponseWriter, received) { panic(http.ErrAbortHandler) }
	wait := func(_ http.ResponseWriter, r received) { <-r.gone }
	repeat := func(text string) func(http.ResponseWriter, received) {
		return func(w http.ResponseWriter, r received) {
			for {
				select {
				case <-r.gone:
					return
				case <-time.After(20 * time.Millisecond):
					_, _ = io.WriteString(w, text)
					w.(http.Flusher).Flush()
				}
			}
		}
	}
	status := func(status int, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", jsonType)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	raw := func(bytes string) func(http.ResponseWriter, received) { return hijacked(bytes) }
	for name, test := range map[string]struct {
		begin func(w http.ResponseWriter)
		then  func(w http.ResponseWriter, r received)
		kind  string
	}{
		"cut off in chunks":          {start(jsonType, success), cut, "connect"},
		"cut off in a stream":        {start(sseType, ": soon\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1"), cut, "connect"},
		"not HTTP":                   {nil, raw("SSH-2.0-OpenSSH_9.9\r\n"), "connect"},
		"no status":                  {nil, raw("HTTP/1.1 two hundred\r\n\r\n"), "connect"},
		"a length that is too short": {nil, raw("HTTP/1.1 200 OK\r\nContent-Type: " + jsonType + "\r\nContent-Length: 20\r\n\r\n" + success), "protocol"},
		"half an answer":             {start(jsonType, `{"jsonrpc":`), wait, "stalled"},
		"a space at a time":          {start(jsonType, "{"), repeat(" "), "stalled"},
		"a length that is too long":  {nil, raw("HTTP/1.1 200 OK\r\nContent-Type: " + jsonType + "\r\nContent-Length: 1000\r\n\r\n" + success), "connect"},
		"a stream with nothing":      {start(sseType, ": waiting\n\n"), wait, "stalled"},
		"a stream of comments":       {start(sseType, ""), repeat(": still there\n\n"), "stalled"},
		"a stream of notifications":  {start(sseType, ""), repeat("data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n"), "stalled"},
		"a stream of a line":         {start(sseType, "data: "), repeat(strings.Repeat("x", 1<<17)), "too_large"},
		"a stream of large events":   {start(sseType, ""), repeat("data: " + strings.Repeat("x", 1<<17) + "\n\n"), "too_large"},
		"201":                        {status(http.StatusCreated, success), nil, ""},
		"204":                        {status(http.StatusNoContent, ""), nil, "protocol"},
		"301":                        {status(http.StatusMovedPermanently, ""), nil, "protocol"},
		"304":                        {status(http.StatusNotModified, ""), nil, "protocol"},
		"401":                        {status(http.StatusUnauthorized, "who are you?"), nil, "auth"},
		"404 with an error":          {status(http.StatusNotFound, `{"error":{"code":-32601,"message":"no such method"}}`), nil, "http_4xx"},
		"400 with a large text":      {status(http.StatusBadRequest, strings.Repeat("x", 5<<20)), nil, "http_4xx"},
		"500 with a reply":           {status(http.StatusInternalServerError, success), nil, "http_5xx"},
		"gzip of nothing":            {nil, encoded("gzip", "\x1f\x8b\x08\x00\x00"), "protocol"},
		"many headers":               {nil, withHeader(strings.Repeat("h", 60_000)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, modern(func(w http.ResponseWriter, r received) {
				if test.begin != nil {
					test.begin(replacing{w, r.id()})
				}
				if test.then != nil {
					test.then(w, r)
				}
			}))
			f.expect(`new StreamableHTTPClient({ base_url: url, timeout: 1000, maxBodySize: 1 << 20, protocolVersion: '2026-07-28' }).callTool({ name: 'a' }).failure?.kind ?? ''`,
				quote(test.kind))
		})
	}
}

// replacing replaces ID with the request's ID in what is written.
type replacing struct {
	http.ResponseWriter
	id string
}

func (r replacing) Write(text []byte) (int, error) {
	return io.WriteString(r.ResponseWriter, strings.ReplaceAll(string(text), "ID", r.id))
}

func (r replacing) Flush() { r.ResponseWriter.(http.Flusher).Flush() }
