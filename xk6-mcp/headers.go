package mcp

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
)

// versions are the supported protocol versions, newest first. The first is stateless; the others begin with initialize.
var versions = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

const (
	modernVersion = "2026-07-28"
	// versionHeaderSince is the first version whose requests carry the MCP-Protocol-Version header.
	versionHeaderSince = "2025-06-18"

	clientName    = "mcp-load-lab"
	clientVersion = "0.1.0"
	// Forms are filled in automatically (input.go).
	clientCapabilities = `{"elicitation":{}}`
	clientInfo         = `{"name":"` + clientName + `","version":"` + clientVersion + `"}`
	// modernMeta are the members of _meta in each request of 2026-07-28.
	modernMeta = modernMetaHead + clientCapabilities
	// modernMetaTasks are the same members for a client with the option tasks (SEP-2663).
	modernMetaTasks = modernMetaHead + `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	modernMetaHead  = `"io.modelcontextprotocol/protocolVersion":"` + modernVersion + `","io.modelcontextprotocol/clientInfo":` + clientInfo +
		`,"io.modelcontextprotocol/clientCapabilities":`
	progressToken = `"progressToken"`
	// acknowledged is the first message of a server on a stream of subscriptions/listen.
	acknowledged  = "notifications/subscriptions/acknowledged"
	serverInfoKey = "io.modelcontextprotocol/serverInfo"
	// subscriptionKey identifies the stream that a message belongs to over stdio, where all streams share a pipe.
	subscriptionKey = "io.modelcontextprotocol/subscriptionId"

	sessionHeader = "Mcp-Session-Id"
)

// namedBy lists the methods whose Mcp-Name header repeats a parameter, and that parameter (2026-07-28).
var namedBy = map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri",
	"tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"}

var safeValue = regexp.MustCompile(`^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$`)

// unescaped decodes a reference token of a JSON pointer (RFC 6901).
var unescaped = strings.NewReplacer("~1", "/", "~0", "~")

// headerValue returns a value as it is sent in a header. Values that are not safe there are sent as base64 (2026-07-28).
func headerValue(value string) string {
	if safeValue.MatchString(value) && !strings.HasPrefix(value, "=?") {
		return value
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
}

// requestHeaders returns the headers of a request. name is the value for the Mcp-Name header (2026-07-28), or empty.
func (c *Client) requestHeaders(method, name string) http.Header {
	headers := c.options.headers.Clone()
	headers.Set("Content-Type", "application/json")
	if c.token != "" {
		headers.Set("Authorization", c.token)
	}
	if headers.Get("User-Agent") == "" {
		userAgent := c.instance.vu.State().Options.UserAgent.String
		headers.Set("User-Agent", userAgent)
	}
	if c.options.protocol != dialectMCP {
		headers.Set("Accept", "application/json")
		return headers
	}
	// The official servers answer 406 unless both are accepted.
	headers.Set("Accept", "application/json, text/event-stream")
	switch {
	case c.isModern():
		headers.Set("MCP-Protocol-Version", c.version)
		headers.Set("Mcp-Method", method)
		setName(headers, name)
	case method != "initialize" && c.version >= versionHeaderSince:
		headers.Set("MCP-Protocol-Version", c.version)
		fallthrough
	default:
		if c.session != "" {
			headers.Set(sessionHeader, c.session)
		}
	}
	return headers
}

func setName(headers http.Header, name string) {
	if name != "" {
		headers.Set("Mcp-Name", headerValue(name))
	}
}

// setParamHeaders adds headers for the arguments that the schema of a tool marks with x-mcp-header (2026-07-28).
func setParamHeaders(headers http.Header, pointers map[string]string, arguments string) {
	for name, pointer := range pointers {
		value := gjson.Parse(arguments)
		for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
			value = member(value, unescaped.Replace(step))
		}
		// An argument that is null or missing has no header.
		if value.Type == gjson.String || value.Type == gjson.Number || value.IsBool() {
			headers.Set("Mcp-Param-"+name, headerValue(value.String()))
		}
	}
}
