package mcp

import (
	"slices"

	"github.com/grafana/sobek"
)

// Answer is the answer to a call, as a script sees it. Its members are converted to JavaScript values when they are read.
type Answer struct {
	client   *Client
	exchange *exchange
	parsed   sobek.Value
}

var answerKeys = []string{"ok", "failure", "abandoned", "status", "result", "text", "bytes", "timings", "events"}

func (a *Answer) object() *sobek.Object { return a.client.instance.vu.Runtime().NewDynamicObject(a) }

// Get implements sobek.DynamicObject.
func (a *Answer) Get(key string) sobek.Value {
	rt := a.client.instance.vu.Runtime()
	x := a.exchange
	switch key {
	case "ok":
		return rt.ToValue(x.failure == nil && !x.abandoned)
	case "abandoned":
		return rt.ToValue(x.abandoned)
	case "failure":
		if x.failure == nil {
			return sobek.Null()
		}
		return rt.ToValue(&struct{ Kind, Detail string }{x.failure.kind, a.client.describe(x)})
	case "status":
		return rt.ToValue(x.status)
	case "text":
		return rt.ToValue(a.text())
	case "bytes":
		return rt.ToValue(len(a.text()))
	case "result":
		return a.result()
	case "timings":
		timings := map[string]any{
			"sent": milliseconds(x.written), "firstByte": milliseconds(x.firstByte), "last": milliseconds(x.last),
			"duration": milliseconds(x.latency()),
		}
		if len(x.events) > 0 {
			timings["firstEvent"] = milliseconds(x.events[0].at)
		}
		return rt.ToValue(timings)
	case "events":
		events := make([]any, len(x.events))
		for i, one := range x.events {
			events[i] = &struct {
				At              float64
				Event, ID, Data string
			}{milliseconds(one.at), one.kind, one.id, string(one.data)}
		}
		return rt.ToValue(events)
	}
	return nil
}

// text returns the message that contains the reply, or the whole body if it contains no reply.
func (a *Answer) text() string {
	if a.exchange.known.before != "" {
		return a.exchange.known.text(a.exchange.id)
	}
	return a.exchange.text
}

// result returns the result of the reply, or null if there is none. It is parsed when it is first read.
func (a *Answer) result() sobek.Value {
	if a.parsed != nil {
		return a.parsed
	}
	raw := a.exchange.reply.result.Raw
	if raw == "" {
		return sobek.Null()
	}
	parsed, err := a.client.instance.parseJSON(raw)
	if err != nil {
		parsed = sobek.Null()
	}
	a.parsed = parsed
	return parsed
}

// Set implements sobek.DynamicObject.
func (a *Answer) Set(string, sobek.Value) bool { return false }

// Has implements sobek.DynamicObject.
func (a *Answer) Has(key string) bool { return slices.Contains(answerKeys, key) }

// Delete implements sobek.DynamicObject.
func (a *Answer) Delete(string) bool { return false }

// Keys implements sobek.DynamicObject.
func (a *Answer) Keys() []string { return answerKeys }
