package mcp

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
)

// versions of the protocol, newest first. The first is stateless; the others begin with initialize.
var versions = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

const (
	modernVersion = "2026-07-28"
	// The first version whose requests have the header MCP-Protocol-Version.
	versionHeaderSince = "2025-06-18"

	clientName    = "mcp-load-lab"
	clientVersion = "0.1.0"
	// Forms are filled in without a person: see input.go.
	clientCapabilities = `{"elicitation":{}}`
	clientInfo         = `{"name":"` + clientName + `","version":"` + clientVersion + `"}`
	// Members of _meta in each request of the modern era.
	modernMeta = modernMetaHead + clientCapabilities
	// The same where the server may answer with tasks (SEP-2663).
	modernMetaTasks = modernMetaHead + `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	modernMetaHead  = `"io.modelcontextprotocol/protocolVersion":"` + modernVersion + `","io.modelcontextprotocol/clientInfo":` + clientInfo +
		`,"io.modelcontextprotocol/clientCapabilities":`
	progressToken = `"progressToken"`
	// What a server says first on a stream of subscriptions/listen.
	acknowledged  = "notifications/subscriptions/acknowledged"
	serverInfoKey = "io.modelcontextprotocol/serverInfo"
	// On a pipe, which all streams share.
	subscriptionKey = "io.modelcontextprotocol/subscriptionId"

	sessionHeader = "Mcp-Session-Id"
)

// Methods whose header Mcp-Name repeats a member of the parameters (2026-07-28).
var namedBy = map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri",
	"tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"}

var safeValue = regexp.MustCompile(`^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$`)

// unescaped undoes the escapes of a JSON pointer's step (RFC 6901).
var unescaped = strings.NewReplacer("~1", "/", "~0", "~")

// headerValue returns a value as a header may have it: one that is unsafe there travels as base64 (2026-07-28).
func headerValue(value string) string {
	if safeValue.MatchString(value) && !strings.HasPrefix(value, "=?") {
		return value
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
}

// requestHeaders returns those of a request. name: what a header of the modern era repeats of the parameters, or nothing
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
	// Both, or the official servers answer 406.
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

// setParamHeaders adds the arguments that a tool's schema marks with x-mcp-header (2026-07-28).
func setParamHeaders(headers http.Header, pointers map[string]string, arguments string) {
	for name, pointer := range pointers {
		value := gjson.Parse(arguments)
		for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
			value = member(value, unescaped.Replace(step))
		}
		// One that is null or not given has no header.
		if value.Type == gjson.String || value.Type == gjson.Number || value.IsBool() {
			headers.Set("Mcp-Param-"+name, headerValue(value.String()))
		}
	}
}
