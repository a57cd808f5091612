package mcp

import (
	"fmt"
	"strings"

	"github.com/grafana/sobek"
	"github.com/tidwall/gjson"
	"go.k6.io/k6/v2/js/common"
)

// maxPages bounds a list whose pages do not end.
const maxPages = 1000

// Client is a StreamableHTTPClient of a script. Its calls block their VU, as those of k6/http do.
type Client struct {
	instance *ModuleInstance
	options  *clientOptions
	// Measured can be set to false: requests are then counted as warm-up.
	Measured bool `js:"measured"`

	// Of the connection: epoch changes with what the headers depend on.
	version      string
	isOpen       bool
	session      string
	epoch        int
	lastID       int64
	info         serverInfo
	logged       map[string]bool
	streamBuffer []byte
	// Streams in a row that the server left open after a reply.
	openStreams int
}

// CallTool calls a tool. params: {name, arguments}
func (c *Client) CallTool(params, options sobek.Value) (*sobek.Object, error) {
	return c.Request("tools/call", params, options)
}

// ListTools returns one page of the tools. params: {cursor}
func (c *Client) ListTools(params, options sobek.Value) (*sobek.Object, error) {
	return c.Request("tools/list", params, options)
}

// ListResources returns one page of the resources. params: {cursor}
func (c *Client) ListResources(params, options sobek.Value) (*sobek.Object, error) {
	return c.Request("resources/list", params, options)
}

// ListPrompts returns one page of the prompts. params: {cursor}
func (c *Client) ListPrompts(params, options sobek.Value) (*sobek.Object, error) {
	return c.Request("prompts/list", params, options)
}

// ListAllTools returns the tools of all pages.
func (c *Client) ListAllTools(options sobek.Value) (sobek.Value, error) {
	return c.listAll("tools/list", "tools", options)
}

// ListAllResources returns the resources of all pages.
func (c *Client) ListAllResources(options sobek.Value) (sobek.Value, error) {
	return c.listAll("resources/list", "resources", options)
}

// ListAllPrompts returns the prompts of all pages.
func (c *Client) ListAllPrompts(options sobek.Value) (sobek.Value, error) {
	return c.listAll("prompts/list", "prompts", options)
}

// ReadResource reads a resource. params: {uri}
func (c *Client) ReadResource(params, options sobek.Value) (*sobek.Object, error) {
	return c.Request("resources/read", params, options)
}

// GetPrompt gets a prompt. params: {name, arguments}
func (c *Client) GetPrompt(params, options sobek.Value) (*sobek.Object, error) {
	return c.Request("prompts/get", params, options)
}

// Complete asks for completions. params: {ref, argument}
func (c *Client) Complete(params, options sobek.Value) (*sobek.Object, error) {
	return c.Request("completion/complete", params, options)
}

// Ping sends a heartbeat. The versions from 2026-07-28 on have no such request.
func (c *Client) Ping(options sobek.Value) (*sobek.Object, error) {
	return c.Request("ping", nil, options)
}

// Request makes a call once.
func (c *Client) Request(method string, params, options sobek.Value) (*sobek.Object, error) {
	made, err := c.makeCall(method, params, options)
	if err != nil {
		return nil, err
	}
	answer, err := made.send(nil)
	if err != nil {
		return nil, err
	}
	return answer.object(), nil
}

// Prepare makes a call ready to be sent many times, for the hot path.
func (c *Client) Prepare(method string, params, options sobek.Value) (*sobek.Object, error) {
	made, err := c.makeCall(method, params, options)
	if err != nil {
		return nil, err
	}
	made.memo = &memo{}
	rt := c.instance.vu.Runtime()
	object := rt.NewObject()
	// As a native function: one that is found by reflection costs more than all else that a call does in the interpreter.
	err = object.Set("send", func(given sobek.FunctionCall) sobek.Value {
		answer, err := made.send(given.Argument(0))
		if err != nil {
			common.Throw(rt, err)
		}
		return answer.object()
	})
	if err != nil {
		return nil, err
	}
	return object, object.DefineAccessorProperty("limits", nil, rt.ToValue(func(given sobek.FunctionCall) sobek.Value {
		limits, err := parseLimits(rt, given.Argument(0))
		if err != nil {
			common.Throw(rt, fmt.Errorf("limits: %w", err))
		}
		made.options.limits, made.vuTags = limits, nil
		return sobek.Undefined()
	}), sobek.FLAG_FALSE, sobek.FLAG_TRUE)
}

func (c *Client) makeCall(method string, params, options sobek.Value) (*call, error) {
	if method == "" {
		return nil, fmt.Errorf("a method is missing, for example tools/call")
	}
	parsed, err := parseCallOptions(c.instance.vu.Runtime(), options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return c.newScriptCall(method, params, parsed)
}

// listAll follows a list's cursor to its end.
func (c *Client) listAll(method, key string, options sobek.Value) (sobek.Value, error) {
	rt := c.instance.vu.Runtime()
	params := rt.NewObject()
	var found []string
	var size int64
	for range maxPages {
		made, err := c.makeCall(method, params, options)
		if err != nil {
			return nil, err
		}
		answer, err := made.send(nil)
		if err != nil {
			return nil, err
		}
		if answer.exchange.failure != nil {
			return nil, fmt.Errorf("%s: %s", method, c.describe(answer.exchange.failure))
		}
		if size += int64(len(answer.exchange.text)); size > c.options.maxBodySize {
			return nil, fmt.Errorf("%s: the pages have more than %d bytes", method, c.options.maxBodySize)
		}
		member(answer.exchange.reply.result, key).ForEach(func(_, item gjson.Result) bool {
			found = append(found, item.Raw)
			return true
		})
		cursor := member(answer.exchange.reply.result, "nextCursor")
		if cursor.Type != gjson.String {
			return c.instance.parseJSON("[" + strings.Join(found, ",") + "]")
		}
		if err := params.Set("cursor", cursor.Str); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: it goes on after %d pages", method, maxPages)
}

func (m *ModuleInstance) parseJSON(text string) (sobek.Value, error) {
	return m.parse(sobek.Undefined(), m.vu.Runtime().ToValue(text))
}
