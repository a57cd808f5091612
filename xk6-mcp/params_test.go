package mcp

import (
	"strings"
	"testing"
)

func TestBadOptions(t *testing.T) {
	f := newFixture(t, modern(succeed))
	for code, expected := range map[string]string{
		`new StreamableHTTPClient()`:                                                    "StreamableHTTPClient: base_url is missing",
		`new StreamableHTTPClient('x')`:                                                 "got x; expected an object",
		`new StreamableHTTPClient({ base_url: 'ftp://h' })`:                             "base_url: expected an http or https URL",
		`new StreamableHTTPClient({ base_url: url, base_uri: 'x' })`:                    `unknown option "base_uri"`,
		`new StreamableHTTPClient({ base_url: url, timeout: 'soon' })`:                  "timeout: got soon; expected a time",
		`new StreamableHTTPClient({ base_url: url, timeout: 0 })`:                       "timeout: got 0; expected a time",
		`new StreamableHTTPClient({ base_url: url, protocolVersion: '2020-01-01' })`:    `protocolVersion: got "2020-01-01"; expected auto, legacy, 2026-07-28`,
		`new StreamableHTTPClient({ base_url: url, sessions: 'none' })`:                 `sessions: got "none"; expected per-vu, per-call, abandon, shared`,
		`new StreamableHTTPClient({ base_url: url, protocol: 'soap' })`:                 `protocol: got "soap"; expected mcp, jsonrpc, rest`,
		`new StreamableHTTPClient({ base_url: url, traceSampling: 2 })`:                 "traceSampling: got 2; expected a share from 0 to 1",
		`new StreamableHTTPClient({ base_url: url, maxEvents: 1.5 })`:                   "maxEvents: got 1.5; expected a positive integer",
		`new StreamableHTTPClient({ base_url: url, headers: { 'a b': 'SECRET' } })`:     `headers: "a b" is not a valid header`,
		`new StreamableHTTPClient({ base_url: url, headers: { a: 'SECRET\r\nb: c' } })`: `headers: "a" is not a valid header`,
		`client.prepare('tools/call', { name: 'a' }, { expected: 1 })`:                  `tools/call: unknown option "expected"`,
		`client.prepare('tools/call', { name: 'a' }, { expect: 1 })`:                    "tools/call: expect: expected a function",
		`client.prepare('tools/call', { name: 'a' }, { limits: [0] })`:                  "tools/call: limits: got 0; expected positive milliseconds",
		`client.prepare('tools/call', 'a')`:                                             "tools/call: got a; expected an object of parameters",
		`client.callTool({ name: 'a' }, { tag: {} })`:                                   `tools/call: unknown option "tag"`,
		`new StreamableHTTPClient({ base_url: url, token: 'SECRET\n' })`:                "token: it cannot be a header",
		`client.prepare('')`: "a method is missing",
		`const circular = {}; circular.a = circular; client.callTool(circular)`: "circular",
	} {
		_, err := f.try(`{ const client = new StreamableHTTPClient({ base_url: url }); ` + code + ` }`)
		if err == nil || !strings.Contains(err.Error(), expected) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s\ngot %v\nexpected %s", code, err, expected)
		}
	}
}
