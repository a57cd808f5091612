package mcp

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed names.json
var namesJSON []byte

type metricName struct {
	Name, Type, Unit string
}

// Names are the names of metrics, tags, outcomes and failure kinds. JavaScript code reads them from names.json, too.
var Names = func() (parsed struct {
	Metrics      map[string]metricName
	Tags         struct{ Phase, Method, Operation, Class, Kind, Limit, Outcome string }
	Outcomes     struct{ OK, Rejected, Failed, Unanswered string }
	FailureKinds struct {
		Connect, Auth, Timeout, Stalled, TooLarge, HTTP4xx, RateLimited, HTTP5xx, Protocol, JSONRPC, Tool, Crossed, Unexpected, Process string
	}
}) {
	if err := json.Unmarshal(namesJSON, &parsed); err != nil {
		panic(fmt.Errorf("names.json: %w", err))
	}
	return parsed
}()

var (
	kinds    = Names.FailureKinds
	outcomes = Names.Outcomes
)
