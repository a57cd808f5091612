package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// filled returns the values that the fields of a form are filled in with.
func filled(fields string) (string, bool) {
	f := &filler{ctx: context.Background()}
	ok := f.fillForm(gjson.Parse(fields))
	return f.made.String(), ok
}

func TestFillForm(t *testing.T) {
	for fields, expected := range map[string]string{
		`{}`:                                              ``,
		`{"a":{"type":"string"}}`:                         `"a":"load"`,
		`{"a":{"type":"string","maxLength":2}}`:           `"a":"lo"`,
		`{"a":{"type":"string","minLength":6}}`:           `"a":"loaddd"`,
		`{"a":{"type":"string","format":"email"}}`:        `"a":"load@example.com"`,
		`{"a":{"type":"string","enum":["x","y"]}}`:        `"a":"x"`,
		`{"a":{"oneOf":[{"const":"x"}]}}`:                 `"a":"x"`,
		`{"a":{"type":"boolean"},"b":{"type":"integer"}}`: `"a":true,"b":0`,
		`{"a":{"type":"number","minimum":1.5},"b":{"type":"number","maximum":-2}}`: `"a":2,"b":-2`,
		`{"a":{"type":"number","minimum":1.2,"maximum":1.5}}`:                      `"a":1.2`,
		`{"a":{"type":"array","minItems":1,"items":{"enum":["x","y"]}}}`:           `"a":["x"]`,
		`{"a":{"type":"string","default":"d"}}`:                                    `"a":"d"`,
	} {
		if got, ok := filled(fields); !ok || got != expected {
			t.Errorf("%s: got %s, %v; expected %s", fields, got, ok, expected)
		}
	}
	for _, fields := range []string{
		`[]`, `{"a":7}`, `{"a":null}`, `{"a":{"type":"string","minLength":9007199254740991}}`, `{"a":{"type":"string","minLength":1e300}}`,
		`{"a":{"type":"array","minItems":1e300,"items":{"enum":["x"]}}}`,
		`{` + strings.Repeat(`"a":{"minLength":10000},`, 200) + `"b":{}}`,
	} {
		if got, ok := filled(fields); ok {
			t.Errorf("%.80s: got %.80s; expected none", fields, got)
		}
	}
}

// An answer of a few MB must not occupy a VU: the number of forms and requests that are filled in is limited, and so is the time for it.
func TestEndlessInput(t *testing.T) {
	const count = 110_000
	many := func(each string) string {
		var made strings.Builder
		for i := range count {
			fmt.Fprintf(&made, `,"f%d":%s`, i, each)
		}
		return "{" + made.String()[1:] + "}"
	}
	for name, requests := range map[string]string{
		"fields":   `{"f":{"method":"elicitation/create","params":{"requestedSchema":{"properties":` + many(`{"type":"boolean"}`) + `}}}}`,
		"requests": many(`{"method":"roots/list"}`),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, modern(func(w http.ResponseWriter, r received) {
				writeJSON(w, reply(r.id(), `{"resultType":"input_required","inputRequests":`+requests+`}`))
			}))
			f.run(`const client = new StreamableHTTPClient({ base_url: url, timeout: '2s' })`)
			began := time.Now()
			f.expect(`client.callTool({ name: 'a' }).failure.kind`, `"unexpected"`)
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
	if _, ok := filled(many(`{"type":"boolean"}`)); ok {
		t.Error("a form without end was filled in")
	}
}

// Input is not prepared after the call's time has ended.
func TestInputEndsWithItsCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, ok := inputMembers(ctx, gjson.Parse(`{"inputRequests":{"r":{"method":"roots/list"}}}`)); ok {
		t.Errorf("got %s", got)
	}
}

func TestInput(t *testing.T) {
	for name, test := range map[string]struct{ requests, kind, rounds string }{
		"a form": {`{"f":{"method":"elicitation/create","params":{"requestedSchema":{"properties":{"n":{"type":"integer"}}}}}}`, "",
			`{"f":{"action":"accept","content":{"n":0}}}`},
		"roots":             {`{"r":{"method":"roots/list"}}`, "", `{"r":{"roots":[]}}`},
		"a model":           {`{"m":{"method":"sampling/createMessage"}}`, "unexpected", ``},
		"a URL":             {`{"u":{"method":"elicitation/create","params":{"mode":"url"}}}`, "unexpected", ``},
		"no end":            {`{"f":{"method":"roots/list"}}`, "unexpected", `{"f":{"roots":[]}}`},
		"a list":            {`[1]`, "unexpected", ``},
		"an endless string": {`{"f":{"method":"elicitation/create","params":{"requestedSchema":{"properties":{"a":{"minLength":9007199254740991}}}}}}`, "unexpected", ``},
	} {
		server := modern(func(w http.ResponseWriter, r received) {
			if gjson.Get(r.body, "params.requestState").Str == "s" && name != "no end" {
				writeJSON(w, reply(r.id(), `{"resultType":"complete"}`))
				return
			}
			writeJSON(w, reply(r.id(), `{"resultType":"input_required","requestState":"s","inputRequests":`+test.requests+`}`))
		})
		f := newFixture(t, server)
		f.expect(`new StreamableHTTPClient({ base_url: url }).callTool({ name: 'a', arguments: { q: 1 } }).failure?.kind ?? ''`, `"`+test.kind+`"`)
		last := server.requests()[len(server.requests())-1].body
		if got := gjson.Get(last, "params.inputResponses").Raw; got != test.rounds || gjson.Get(last, "params.arguments.q").Raw != "1" {
			t.Errorf("%s: got %s; expected %s", name, last, test.rounds)
		}
		if name == "no end" && len(server.requests()) != maxRounds+2 {
			t.Errorf("got %d requests; expected %d", len(server.requests()), maxRounds+2)
		}
		if samples := strings.Join(f.taken(), "\n"); strings.Count(samples, "mcp_request_duration") != 1 {
			t.Errorf("%s: got samples\n%s", name, samples)
		}
	}
}

// A server's requests on a stream are answered before the call continues.
func TestServerAsks(t *testing.T) {
	answers := make(chan string, 10)
	server := legacy(nil)
	inner := server.answer
	server.answer = func(w http.ResponseWriter, r received) {
		switch {
		case r.rpcMethod() == "" && r.method == http.MethodPost:
			answers <- r.body
			w.WriteHeader(http.StatusAccepted)
		case r.rpcMethod() == "tools/call":
			w.Header().Set("Content-Type", "text/event-stream")
			for _, asked := range []string{`"ping"`, `"elicitation/create","params":{"requestedSchema":{"properties":{"b":{"type":"boolean"}}}}`, `"sampling/createMessage"`} {
				_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":"x","method":`+asked+"}\n\n")
				w.(http.Flusher).Flush()
				_, _ = io.WriteString(w, ": "+<-answers+"\n")
				w.(http.Flusher).Flush()
			}
			_, _ = io.WriteString(w, "data: "+reply(r.id(), "{}")+"\n\n")
		default:
			inner(w, r)
		}
	}
	f := newFixture(t, server)
	f.expect(`new StreamableHTTPClient({ base_url: url }).callTool({ name: 'a' }).ok`, `true`)
	var got []string
	for _, one := range server.requests() {
		if one.rpcMethod() == "" {
			got = append(got, one.body)
		}
	}
	expected := []string{
		`{"jsonrpc":"2.0","id":"x","result":{}}`, `{"jsonrpc":"2.0","id":"x","result":{"action":"accept","content":{"b":true}}}`,
		`{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"Method not found"}}`,
	}
	if !slices.Equal(got, expected) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if samples := strings.Join(f.taken(), "\n"); strings.Count(samples, "mcp_additional_requests{class=protocol,method=response,operation=response} 1") != 3 {
		t.Errorf("got samples\n%s", samples)
	}
}
