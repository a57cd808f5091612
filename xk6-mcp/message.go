package mcp

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

var errNested = errors.New("it nests too deeply")

// validate returns an error if a text is not valid JSON or is nested too deeply. The nesting is checked first, because both the validator and
// the interpreter recurse.
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
	// Counting is much faster than parsing, and most answers have fewer brackets than the limit.
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

// member returns a member of an object. If several have the same name, it is the last one, as in JavaScript.
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

// incoming is a message as it was received.
type incoming struct {
	message
	text string
	// Why the message could not be read; nil if it was.
	err error
}

// receive parses a message once for everyone who needs it.
func receive(text string, maxNesting int64) incoming {
	if err := validate(text, maxNesting); err != nil {
		return incoming{text: text, err: err}
	}
	return incoming{message: readMessage(text), text: text}
}

// isMessage reports whether the text is a JSON-RPC message.
func (r incoming) isMessage() bool { return r.id.Exists() || r.method.Exists() }

// readMessage parses a message. It returns an empty one if the text is not JSON-RPC. The text must be valid JSON.
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

// answers reports whether the message is the reply to the request with this ID.
func (m message) answers(id int64) bool {
	return !m.method.Exists() && m.id.Type == gjson.Number && m.id.Num == float64(id)
}

// failure returns the failure that a reply reports, or nil if it is a success.
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
	// A server that sends "true" as a string means it, too.
	case isTruthy(isError):
		return failed(kinds.Tool, "%s", toolError(content))
	// A server that asks for input has not completed the request.
	case resultType.Exists() && resultType.Str != "complete":
		return failed(kinds.Unexpected, "resultType is %s", resultType)
	}
	return nil
}

// isTruthy reports whether a value is truthy in JavaScript.
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
