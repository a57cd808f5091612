package mcp

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestOneLine(t *testing.T) {
	if got := oneLine("a\nb\x1b[31mc\u202ed\u0085e"+strings.Repeat("x", 300), maxShown); strings.ContainsAny(got, "\n\x1b\u202e\u0085") || len(got) > 220 {
		t.Errorf("got %q", got)
	}
}

func TestNestsDeeper(t *testing.T) {
	for text, expected := range map[string]bool{
		"[[]]": false, "[[[]]]": true, `["[[[["]`: false, `["\"[[[["]`: false, `["\\",[[` + "]]]": true, "[],[],[],[]": false, `{"a":{"b":{}}}`: true,
	} {
		if got := nestsDeeper(text, 2); got != expected {
			t.Errorf("%s: got %v; expected %v", text, got, expected)
		}
	}
}

// Text is accepted as JSON exactly if encoding/json accepts it, and its members are the same.
func FuzzMessage(f *testing.F) {
	for _, text := range []string{`{"jsonrpc":"2.0","id":1,"result":{"isError":false}}`, `{"id":1e0,"error":{"code":1}}`, `[{"\u0069d":"\ud800"}]`, "{\"a\":\"\xff\"}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if validate(text, 100) != nil {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q is no JSON", text)
		}
		var expected map[string]json.RawMessage
		_ = json.Unmarshal([]byte(text), &expected)
		var version string
		if _ = json.Unmarshal(expected["jsonrpc"], &version); version != "2.0" {
			return
		}
		read := readMessage(text)
		read.failure()
		for name, raw := range map[string]string{"id": read.id.Raw, "result": read.result.Raw, "error": read.err.Raw} {
			if raw != string(expected[name]) {
				t.Errorf("%q: got %s %q; expected %q", text, name, raw, expected[name])
			}
		}
	})
}

// An answer is recognized only if parsing it would have the same result.
func FuzzMemo(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, `{"jsonrpc":"2.0","id":2,"result":{"a":2}}`)
	f.Fuzz(func(t *testing.T, first, second string) {
		if validate(first, 100) != nil {
			return
		}
		reply := readMessage(first)
		if !reply.answers(1) || reply.failure() != nil {
			return
		}
		kept := &memo{}
		kept.remember(first, reply)
		x := &exchange{}
		if !kept.recall(x, []byte(second), 2) {
			return
		}
		again := readMessage(second)
		if validate(second, 100) != nil || !again.answers(2) || again.failure() != nil || again.result.Raw != x.reply.result.Raw || x.known.text(2) != second {
			t.Errorf("%q is taken for known after %q", second, first)
		}
	})
}
