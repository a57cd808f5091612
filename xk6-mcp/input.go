package mcp

import (
	"math"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

const (
	// Rounds of input that a server gets for one call (2026-07-28), and requests of its own on one stream (the versions before).
	maxRounds = 5
	// A form that asks for more is not filled in: characters of a field, and bytes of all fields.
	maxFieldLength = 10_000
	maxFormSize    = 1 << 20
)

// textByFormat are values for the formats that a form's field may have.
var textByFormat = map[string]string{
	"email": "load@example.com", "uri": "https://example.com/", "date": "2026-01-01", "date-time": "2026-01-01T00:00:00Z",
}

// inputMembers returns the parameters that a call repeats with the input that a server asked for; false: this client cannot give it.
func inputMembers(result gjson.Result) (string, bool) {
	members := ""
	requests, state := member(result, "inputRequests"), member(result, "requestState")
	if !requests.Exists() && !state.Exists() || requests.Exists() && !requests.IsObject() {
		return "", false
	}
	if requests.Exists() {
		responses, ok := "", true
		requests.ForEach(func(key, request gjson.Result) bool {
			var response string
			response, ok = respond(member(request, "method").Str, member(request, "params"))
			responses = joined(responses, key.Raw+":"+response)
			return ok && len(responses) <= maxFormSize
		})
		if !ok || len(responses) > maxFormSize {
			return "", false
		}
		members = `"inputResponses":{` + responses + `}`
	}
	if state.Exists() {
		members = joined(members, `"requestState":`+state.Raw)
	}
	return members, true
}

// respond returns the result of a server's request, where that takes neither a model nor a person.
func respond(method string, params gjson.Result) (string, bool) {
	switch method {
	case "ping":
		return "{}", true
	case "roots/list":
		return `{"roots":[]}`, true
	case "elicitation/create":
		if mode := member(params, "mode"); mode.Exists() && mode.Str != "form" {
			return "", false
		}
		content, ok := fillForm(member(member(params, "requestedSchema"), "properties"))
		return `{"action":"accept","content":{` + content + `}}`, ok
	}
	return "", false
}

func fillForm(fields gjson.Result) (string, bool) {
	content, ok := "", true
	if !fields.IsObject() {
		return "", !fields.Exists()
	}
	fields.ForEach(func(name, field gjson.Result) bool {
		var value string
		value, ok = fieldValue(field)
		content = joined(content, name.Raw+":"+value)
		return ok && len(content) <= maxFormSize
	})
	return content, ok && len(content) <= maxFormSize
}

// fieldValue returns a field's default, or the plainest value that it allows, as JSON. A field is text, a number, a boolean or a choice.
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

// choices returns the values of an enumeration, as JSON.
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
