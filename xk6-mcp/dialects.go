package mcp

import (
	"net/http"
	"slices"

	"github.com/tidwall/gjson"
)

// readREST judges the answer of a REST server. expected are the statuses that are not a failure; if empty, those are 200 to 299.
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
	// An expected error may have any body, and these two successes have none.
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

// resultFailure returns the failure that a tool reports in its result if the server does not speak MCP. The result may be any JSON.
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
