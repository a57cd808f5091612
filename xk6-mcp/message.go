package mcp

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

var errNested = errors.New("it nests too deeply")

// validate returns why a text is not JSON that may be read. The order matters: both the validator and the interpreter recurse.
func validate(text string, maxNesting int64) error {
	if nestsDeeper(text, maxNesting) {
		return errNested
	}
	if !gjson.Valid(text) || !utf8.ValidString(text) {
		return errors.New("it is not JSON in UTF-8")
	}
	return nil
}

func nestsDeeper(text string, limit int64) bool {
	// Counting is much faster than looking, and most answers have fewer.
	if int64(strings.Count(text, "[")+strings.Count(text, "{")) <= limit {
		return false
	}
	var depth int64
	inString := false
	for i := 0; i < len(text); i++ {
		switch char := text[i]; {
		case char == '\\' && inString:
			i++
		case char == '"':
			inString = !inString
		case inString:
		case char == '[' || char == '{':
			if depth++; depth > limit {
				return true
			}
		case char == ']' || char == '}':
			depth--
		}
	}
	return false
}

// member returns an object's member. Of several with a name it is the last, as in JavaScript.
func member(object gjson.Result, name string) gjson.Result {
	var found gjson.Result
	if object.IsObject() {
		object.ForEach(func(key, value gjson.Result) bool {
			if key.Str == name {
				found = value
			}
			return true
		})
	}
	return found
}

// message is a JSON-RPC 2.0 message.
type message struct {
	id, result, err, method, params gjson.Result
}

// incoming is a message as it arrived.
type incoming struct {
	message
	text string
	// Why the message is empty; nil if it was read.
	err error
}

// receive reads a message, once for all who want to know what it says.
func receive(text string, maxNesting int64) incoming {
	if err := validate(text, maxNesting); err != nil {
		return incoming{text: text, err: err}
	}
	return incoming{message: readMessage(text), text: text}
}

// isMessage tells whether it is JSON-RPC.
func (r incoming) isMessage() bool { return r.id.Exists() || r.method.Exists() }

// readMessage returns an empty message for what is none of JSON-RPC. The text has to be valid JSON.
func readMessage(text string) message {
	var read message
	version := ""
	root := gjson.Parse(text)
	if !root.IsObject() {
		return read
	}
	root.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "jsonrpc":
			version = value.Str
		case "id":
			read.id = value
		case "result":
			read.result = value
		case "error":
			read.err = value
		case "method":
			read.method = value
		case "params":
			read.params = value
		}
		return true
	})
	if version != "2.0" {
		return message{}
	}
	return read
}

// answers tells whether a message is the reply to the request with this id.
func (m message) answers(id int64) bool {
	return !m.method.Exists() && m.id.Type == gjson.Number && m.id.Num == float64(id)
}

// failure returns what a reply says went wrong, nil for a success.
func (m message) failure() *failure {
	if isTruthy(m.err) {
		return failed(kinds.JSONRPC, "%s: %s", member(m.err, "code"), member(m.err, "message"))
	}
	if !m.result.IsObject() {
		return failed(kinds.Protocol, "neither a result that is an object nor an error")
	}
	var isError, resultType, content gjson.Result
	m.result.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "isError":
			isError = value
		case "resultType":
			resultType = value
		case "content":
			content = value
		}
		return true
	})
	switch {
	// Not only true: a server that says "true" means it.
	case isTruthy(isError):
		return failed(kinds.Tool, "%s", toolError(content))
	// A server that wants input before it goes on has not done what it was asked for.
	case resultType.Exists() && resultType.Str != "complete":
		return failed(kinds.Unexpected, "resultType is %s", resultType)
	}
	return nil
}

// isTruthy is JavaScript's notion of true.
func isTruthy(value gjson.Result) bool {
	switch value.Type {
	case gjson.Null, gjson.False:
		return false
	case gjson.Number:
		return value.Num != 0
	case gjson.String:
		return value.Str != ""
	default:
		return true
	}
}

func toolError(content gjson.Result) string {
	text := "isError without a text"
	if !content.IsArray() {
		return text
	}
	content.ForEach(func(_, part gjson.Result) bool {
		if member(part, "type").Str != "text" {
			return true
		}
		if found := member(part, "text"); found.Type == gjson.String {
			text = found.Str
		}
		return false
	})
	return text
}
