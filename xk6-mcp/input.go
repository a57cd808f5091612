package mcp

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

const (
	// maxRounds is the maximum number of rounds of input for one call (2026-07-28), and of the server's own requests on one stream (earlier
	// versions).
	maxRounds = 5
	// Limits of the forms that are filled in: characters of a field, and bytes of all fields.
	maxFieldLength = 10_000
	maxFormSize    = 1 << 20
	// maxFields is the maximum number of requests and fields in one answer.
	maxFields = 200
)

// textByFormat holds the values for a form field with one of these formats.
var textByFormat = map[string]string{
	"email": "load@example.com", "uri": "https://example.com/", "date": "2026-01-01", "date-time": "2026-01-01T00:00:00Z",
}

// filler writes the input that a server asks for. Its limits apply to all requests in one answer together.
type filler struct {
	// Ends with the call's time, so that a server cannot occupy a VU for longer.
	ctx     context.Context
	made    strings.Builder
	started int
}

// mayStart counts a request or field that is about to be filled in, and reports whether the limits allow it.
func (f *filler) mayStart() bool {
	f.started++
	return f.started <= maxFields && f.fits()
}

func (f *filler) fits() bool { return f.made.Len() <= maxFormSize && f.ctx.Err() == nil }

// inputMembers returns the parameters that the repeated call needs to provide the input that a server asked for. It returns false if the client
// cannot provide the input, or if the context has ended.
func inputMembers(ctx context.Context, result gjson.Result) (string, bool) {
	members := ""
	requests, state := member(result, "inputRequests"), member(result, "requestState")
	if !requests.Exists() && !state.Exists() || requests.Exists() && !requests.IsObject() {
		return "", false
	}
	if requests.Exists() {
		f, ok := &filler{ctx: ctx}, true
		requests.ForEach(func(key, request gjson.Result) bool {
			if ok = f.mayStart(); !ok {
				return false
			}
			if f.made.Len() > 0 {
				f.made.WriteByte(',')
			}
			f.made.WriteString(key.Raw + ":")
			ok = f.respond(member(request, "method").Str, member(request, "params"))
			return ok
		})
		if !ok || !f.fits() {
			return "", false
		}
		members = `"inputResponses":{` + f.made.String() + `}`
	}
	if state.Exists() {
		members = joined(members, `"requestState":`+state.Raw)
	}
	return members, true
}

// respond writes the result of a server's request. It returns false if the request needs a model or a person.
func (f *filler) respond(method string, params gjson.Result) bool {
	switch method {
	case "ping":
		f.made.WriteString("{}")
		return true
	case "roots/list":
		f.made.WriteString(`{"roots":[]}`)
		return true
	case "elicitation/create":
		if mode := member(params, "mode"); mode.Exists() && mode.Str != "form" {
			return false
		}
		f.made.WriteString(`{"action":"accept","content":{`)
		ok := f.fillForm(member(member(params, "requestedSchema"), "properties"))
		f.made.WriteString(`}}`)
		return ok
	}
	return false
}

// fillForm writes the fields of a form, without the braces around them.
func (f *filler) fillForm(fields gjson.Result) bool {
	if !fields.IsObject() {
		return !fields.Exists()
	}
	ok, isFirst := true, true
	fields.ForEach(func(name, field gjson.Result) bool {
		if ok = f.mayStart(); !ok {
			return false
		}
		var value string
		if value, ok = fieldValue(field); !ok {
			return false
		}
		if !isFirst {
			f.made.WriteByte(',')
		}
		isFirst = false
		f.made.WriteString(name.Raw + ":" + value)
		return true
	})
	return ok && f.fits()
}

// fieldValue returns the default of a field, or the simplest value that it allows, as JSON. A field is text, a number, a boolean or a choice.
func fieldValue(field gjson.Result) (string, bool) {
	if !field.IsObject() {
		return "", false
	}
	if value := member(field, "default"); value.Exists() {
		return value.Raw, true
	}
	if all := choices(field, "oneOf"); len(all) > 0 {
		return all[0], true
	}
	minimum, maximum := member(field, "minimum"), member(field, "maximum")
	switch member(field, "type").Str {
	case "boolean":
		return "true", true
	case "integer", "number":
		value := math.Ceil(math.Min(0, maximum.Num))
		if minimum.Exists() {
			value = math.Ceil(minimum.Num)
		}
		if maximum.Exists() && value > maximum.Num {
			value = minimum.Num
		}
		return strconv.FormatFloat(value, 'f', -1, 64), true
	case "array":
		all := choices(member(field, "items"), "anyOf")
		count := member(field, "minItems").Num
		if !(count <= float64(len(all))) {
			return "", false
		}
		return "[" + strings.Join(all[:int(math.Max(0, count))], ",") + "]", true
	}
	if text, known := textByFormat[member(field, "format").Str]; known {
		return quote(text), true
	}
	text := "load"
	if limit := member(field, "maxLength"); limit.Exists() {
		text = text[:int(math.Max(0, math.Min(limit.Num, float64(len(text)))))]
	}
	length := member(field, "minLength").Num
	if !(length <= maxFieldLength) {
		return "", false
	}
	return quote(text + strings.Repeat("d", max(0, int(length)-len(text)))), true
}

// choices returns the values of an enumeration as JSON.
func choices(field gjson.Result, alternatives string) []string {
	var all []string
	for _, value := range member(field, "enum").Array() {
		all = append(all, value.Raw)
	}
	for _, choice := range member(field, alternatives).Array() {
		if value := member(choice, "const"); value.Exists() {
			all = append(all, value.Raw)
		}
	}
	return all
}
