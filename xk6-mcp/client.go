package mcp

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/grafana/sobek"
	"github.com/tidwall/gjson"
	"go.k6.io/k6/v2/js/common"
)

// maxPages bounds a list whose pages do not end.
const maxPages = 1000

// Client is a StreamableHTTPClient or a StdioClient of a script. Its calls block their VU, as those of k6/http do, except for requestAsync and
// listen (async.go).
type Client struct {
	instance  *ModuleInstance
	options   *clientOptions
	transport transport
	// The server's process; nil over HTTP.
	process *process
	// Whether requests are measured. Otherwise they only count as warm-up.
	measured bool
	// When another client may take over the process, as Unix time in milliseconds; 0 means never.
	reuseAfter int64

	// The negotiated protocol version, and the session.
	version string
	isOpen  bool
	session string
	// Changes whenever the request headers have to be rebuilt.
	epoch int
	// The last request ID. It is shared with the copies of the client that read streams in the background.
	lastID *atomic.Int64
	usage  *usage
	info   serverInfo
	// With OAuth: the value of the Authorization header, and the source of the tokens.
	token  string
	tokens *tokenSource
	// What has been logged: kinds of failure, and invalid messages.
	logged *sync.Map
	// Lines of the server that are not JSON-RPC and have not been counted yet.
	invalid      *invalidMessages
	streamBuffer []byte
	cookies      cookieHeader
	// Number of consecutive streams that the server left open after their reply.
	openStreams int
}

// requestMethods are the client's methods that make one call, by their names in JavaScript.
var requestMethods = map[string]string{
	"callTool": "tools/call", "listTools": "tools/list", "listResources": "resources/list", "listPrompts": "prompts/list",
	"listResourceTemplates": "resources/templates/list", "readResource": "resources/read", "getPrompt": "prompts/get", "complete": "completion/complete",
}

// listMethods are the client's methods that read all pages of a list. key is the member of a page that holds the items.
var listMethods = map[string]struct{ list, key string }{
	"listAllTools": {"listTools", "tools"}, "listAllResources": {"listResources", "resources"},
	"listAllResourceTemplates": {"listResourceTemplates", "resourceTemplates"}, "listAllPrompts": {"listPrompts", "prompts"},
}

// define adds the client's methods and properties to an object.
func (c *Client) define(object *sobek.Object) error {
	rt := c.instance.vu.Runtime()
	var failed error
	set := func(name string, call func(call sobek.FunctionCall) (any, error)) {
		failed = errors.Join(failed, object.Set(name, native(rt, call)))
	}
	for name, method := range requestMethods {
		set(name, func(call sobek.FunctionCall) (any, error) {
			return c.request(method, call.Argument(0), call.Argument(1))
		})
	}
	for name, all := range listMethods {
		set(name, func(call sobek.FunctionCall) (any, error) {
			return c.listAll(requestMethods[all.list], all.key, call.Argument(0))
		})
	}
	set("ping", func(call sobek.FunctionCall) (any, error) { return c.request("ping", nil, call.Argument(0)) })
	set("request", func(call sobek.FunctionCall) (any, error) {
		return c.request(call.Argument(0).String(), call.Argument(1), call.Argument(2))
	})
	set("requestAsync", func(call sobek.FunctionCall) (any, error) {
		return c.requestAsync(call.Argument(0).String(), call.Argument(1), call.Argument(2))
	})
	set("listen", func(call sobek.FunctionCall) (any, error) { return c.listen(call.Argument(0), call.Argument(1)) })
	set("prepare", func(call sobek.FunctionCall) (any, error) {
		return c.prepare(call.Argument(0).String(), call.Argument(1), call.Argument(2))
	})
	set("notify", func(call sobek.FunctionCall) (any, error) {
		return nil, c.notify(call.Argument(0).String(), call.Argument(1))
	})
	set("redact", func(call sobek.FunctionCall) (any, error) { return c.redact(call.Argument(0).String()), nil })
	set("connect", func(sobek.FunctionCall) (any, error) { return c.connect() })
	set("close", func(sobek.FunctionCall) (any, error) {
		c.transport.leave(c)
		return nil, nil
	})
	set("disconnect", func(sobek.FunctionCall) (any, error) {
		c.disconnect()
		return nil, nil
	})
	failed = errors.Join(failed, object.DefineAccessorProperty("sessionId",
		native(rt, func(sobek.FunctionCall) (any, error) { return c.session, nil }), nil, sobek.FLAG_FALSE, sobek.FLAG_TRUE))
	failed = errors.Join(failed, object.DefineAccessorProperty("reuseAfter",
		native(rt, func(sobek.FunctionCall) (any, error) { return c.reuseAfter, nil }),
		native(rt, func(call sobek.FunctionCall) (any, error) {
			c.reuseAfter = call.Argument(0).ToInteger()
			if p := c.process; p != nil && p.owner.Load() == c {
				p.reuseAfter.Store(c.reuseAfter)
			}
			return nil, nil
		}), sobek.FLAG_FALSE, sobek.FLAG_TRUE))
	return errors.Join(failed, object.DefineAccessorProperty("measured",
		native(rt, func(sobek.FunctionCall) (any, error) { return c.measured, nil }),
		native(rt, func(call sobek.FunctionCall) (any, error) {
			c.measured = call.Argument(0).ToBoolean()
			return nil, nil
		}), sobek.FLAG_FALSE, sobek.FLAG_TRUE))
}

// native returns a JavaScript function that throws the error of call. It avoids sobek's reflection, which would take longer than the rest of the
// call's work in the interpreter.
func native(rt *sobek.Runtime, call func(call sobek.FunctionCall) (any, error)) sobek.Value {
	return rt.ToValue(func(given sobek.FunctionCall) sobek.Value {
		result, err := call(given)
		var server *unusable
		if errors.As(err, &server) {
			exception := rt.NewGoError(server)
			_ = errors.Join(exception.Set("kind", server.kind), exception.Set("status", server.status))
			panic(exception)
		}
		if err != nil {
			common.Throw(rt, err)
		}
		return rt.ToValue(result)
	})
}

// request prepares a call and makes it once.
func (c *Client) request(method string, params, options sobek.Value) (any, error) {
	made, err := c.makeCall(method, params, options)
	if err != nil {
		return nil, err
	}
	return made.answerTo(nil)
}

// prepare returns a call that is prepared to be sent many times, for the hot path.
func (c *Client) prepare(method string, params, options sobek.Value) (any, error) {
	made, err := c.makeCall(method, params, options)
	if err != nil {
		return nil, err
	}
	made.memo = &memo{}
	rt := c.instance.vu.Runtime()
	object := rt.NewObject()
	err = object.Set("send", native(rt, func(call sobek.FunctionCall) (any, error) { return made.answerTo(call.Argument(0)) }))
	setLimits := native(rt, func(call sobek.FunctionCall) (any, error) {
		limits, err := parseLimits(rt, call.Argument(0))
		if err != nil {
			return nil, fmt.Errorf("limits: %w", err)
		}
		made.options.limits, made.vuTags = limits, nil
		return nil, nil
	})
	return object, errors.Join(err, object.DefineAccessorProperty("limits", nil, setLimits, sobek.FLAG_FALSE, sobek.FLAG_TRUE))
}

func (c *Client) makeCall(method string, params, options sobek.Value) (*call, error) {
	made, err := c.makeAsyncCall(method, params, options)
	if err == nil && made.options.onNotification != nil {
		return nil, fmt.Errorf("%s: onNotification: only requestAsync and listen have it", method)
	}
	return made, err
}

// makeAsyncCall prepares a call that may have the option onNotification.
func (c *Client) makeAsyncCall(method string, params, options sobek.Value) (*call, error) {
	if method == "" || method == "undefined" {
		return nil, errors.New("a method is missing, for example tools/call")
	}
	parsed, err := parseCallOptions(c.instance.vu.Runtime(), options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	if parsed.onNotification != nil && c.options.protocol != dialectMCP {
		return nil, fmt.Errorf("%s: onNotification: only MCP has notifications", method)
	}
	return c.newScriptCall(method, params, parsed)
}

// listAll returns the items of all pages of a list.
func (c *Client) listAll(method, key string, options sobek.Value) (any, error) {
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
		x := answer.exchange
		if x.failure != nil {
			return nil, fmt.Errorf("%s: %s", method, c.describe(x))
		}
		if size += int64(len(x.text)); size > c.options.maxBodySize {
			return nil, fmt.Errorf("%s: the pages have more than %d bytes", method, c.options.maxBodySize)
		}
		member(x.reply.result, key).ForEach(func(_, item gjson.Result) bool {
			found = append(found, item.Raw)
			return true
		})
		cursor := member(x.reply.result, "nextCursor")
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
