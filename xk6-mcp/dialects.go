package mcp

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/grafana/sobek"
	"github.com/tidwall/gjson"
	"go.k6.io/k6/v2/js/common"
)

// readJSONRPC judges the answer of a server that speaks JSON-RPC without MCP: a result may be any JSON.
func (c *Client) readJSONRPC(x *exchange, id int64) *failure {
	if x.status == 0 || !x.complete || !isSuccess(x.status) {
		return x.failure
	}
	if err := validate(x.text, c.options.maxNesting); err != nil {
		return invalidText(err, x)
	}
	reply, ok := readMessage(x.text)
	switch {
	case !ok || member(gjson.Parse(x.text), "id").Num != float64(id):
		return failed(kinds.Protocol, "no JSON-RPC reply to request %d: %s", id, x.describe())
	case isTruthy(reply.err):
		return reply.failure()
	case !reply.result.Exists():
		return failed(kinds.Protocol, "neither result nor error")
	}
	x.reply = reply
	return resultFailure(reply.result)
}

// readREST judges the answer of a REST server. expected: statuses that are no failure; without any every success
func (c *Client) readREST(x *exchange, expected []int) *failure {
	if x.status == 0 || !x.complete {
		return x.failure
	}
	isExpected := isSuccess(x.status)
	if len(expected) > 0 {
		isExpected = slices.Contains(expected, x.status)
	}
	if !isExpected {
		if isSuccess(x.status) {
			return failed(kinds.Unexpected, "HTTP %d; expected %v", x.status, expected)
		}
		return x.failure
	}
	// A refusal that was expected may be worded as it likes, and these two have no body.
	mustBeJSON := isSuccess(x.status) && x.status != http.StatusNoContent && x.status != http.StatusResetContent
	if err := validate(x.text, c.options.maxNesting); err != nil {
		if mustBeJSON {
			return invalidText(err, x)
		}
		return nil
	}
	x.reply.result = gjson.Parse(x.text)
	return resultFailure(x.reply.result)
}

func resultFailure(result gjson.Result) *failure {
	if member(result, "isError").Type != gjson.True {
		return nil
	}
	content := member(result, "content")
	if !content.Exists() {
		content = result
	}
	return failed(kinds.Tool, "%s", content.Raw)
}

// restURL returns that of a tool's call: {base}/tools/{name}/call.
func (c *Client) restURL(params sobek.Value) *url.URL {
	name := ""
	if object, ok := params.(*sobek.Object); ok && !common.IsNullish(object.Get("name")) {
		name = object.Get("name").String()
	}
	target := *c.options.url
	base := strings.TrimRight(target.EscapedPath(), "/")
	target.Path, target.RawPath = "", ""
	if joined, err := target.Parse(base + "/tools/" + url.PathEscape(name) + "/call"); err == nil {
		joined.RawQuery = target.RawQuery
		return joined
	}
	return c.options.url
}
