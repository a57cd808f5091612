package mcp

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// Names of metrics, tags and failure kinds, which JavaScript reads, too.
//
//go:embed names.json
var namesJSON []byte

type metricName struct {
	Name, Type, Unit string
}

var names = func() (parsed struct {
	Metrics      map[string]metricName
	Tags         struct{ Method, Operation, Class, Kind, Limit string }
	FailureKinds struct {
		Connect, Auth, Timeout, Stalled, TooLarge, HTTP4xx, RateLimited, HTTP5xx, Protocol, JSONRPC, Tool, Crossed, Unexpected string
	}
}) {
	if err := json.Unmarshal(namesJSON, &parsed); err != nil {
		panic(fmt.Errorf("names.json: %w", err))
	}
	return parsed
}()

var kinds = names.FailureKinds
