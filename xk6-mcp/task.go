package mcp

import (
	"cmp"
	"time"

	"github.com/tidwall/gjson"
)

const (
	// The interval of polling for a task if the server does not suggest one, and its minimum, whatever the server suggests.
	defaultPollInterval = time.Second
	minPollInterval     = 10 * time.Millisecond
)

// isTask reports whether the server answered a call with a task, whose result is available later (SEP-2663). It only looks at failed exchanges:
// searching a large result takes time.
func (x *exchange) isTask() bool {
	return x.failure != nil && x.failure.kind == kinds.Unexpected && member(x.reply.result, "resultType").Str == "task"
}

// followTask polls a call's task until it has ended, as often as the server suggests. The returned exchange covers the whole call.
func (k *call) followTask(x *exchange) *exchange {
	c, began := k.client, x.callBegan
	id := member(x.reply.result, "taskId").Str
	if id == "" || len(id) > maxSessionID {
		x.failure = failed(kinds.Protocol, "a task without an id, or with one of more than %d characters", maxSessionID)
		return x
	}
	life := k.timeout()
	if after := k.options.abandonAfter; after > 0 {
		life = min(life, after)
	}
	polls, rounds, pause := 0, 0, defaultPollInterval
	for hasEnded := false; !hasEnded; {
		task := x.reply.result
		x.failure = nil
		c.record(k, x, true)
		// The answer to tasks/update does not contain the task.
		if member(task, "status").Exists() {
			pause = pollInterval(task)
		}
		if time.Since(began)+pause >= life {
			x = k.abandonTask(id)
			break
		}
		select {
		case <-time.After(pause):
		case <-c.instance.vu.Context().Done():
		}
		left := max(time.Millisecond, life-time.Since(began))
		if member(task, "status").Str != "input_required" || rounds == maxRounds {
			polls++
			x = c.askTask("tasks/get", id, "", left)
			hasEnded = x.failure != nil || k.endTask(x)
		} else {
			rounds++
			input, f := k.inputFor(x)
			if f != nil {
				x = c.askTask("tasks/cancel", id, "", cancelTimeout)
				x.failure = f
				break
			}
			x = c.askTask("tasks/update", id, input, left)
			hasEnded = x.failure != nil
		}
		if x.failure != nil && x.failure.kind == kinds.Timeout {
			x, hasEnded = k.abandonTask(id), true
		}
	}
	x.callBegan = began
	if x.complete {
		c.measure(k, c.instance.metrics.TaskDuration, milliseconds(x.began.Add(x.last).Sub(began)))
	}
	c.measure(k, c.instance.metrics.TaskPolls, float64(polls))
	return x
}

// askTask sends a request about a task.
func (c *Client) askTask(method, id, input string, timeout time.Duration) *exchange {
	k := c.newCall(method, &callOptions{timeout: timeout})
	k.isOfSession, k.name = true, id
	k.members = `"taskId":` + quote(id)
	x := k.do("", input, nil)
	if x.isTask() {
		x.failure = nil
	}
	return x
}

// endTask reports whether a task has ended, and makes its outcome the answer of the call.
func (k *call) endTask(x *exchange) bool {
	task := x.reply.result
	switch status := member(task, "status").Str; status {
	case "working", "input_required":
		return false
	case "completed":
		x.replaceReply("result", member(task, "result"))
	case "failed":
		x.replaceReply("error", member(task, "error"))
	case "cancelled":
		x.failure = failed(kinds.Unexpected, "the server cancelled the task")
	default:
		x.failure = failed(kinds.Protocol, "the status of a task is %q", status)
	}
	return true
}

// replaceReply makes the result or the error of a task the reply of the call.
func (x *exchange) replaceReply(name string, part gjson.Result) {
	x.text = `{"jsonrpc":"2.0","id":` + x.reply.id.Raw + `,"` + name + `":` + cmp.Or(part.Raw, "null") + `}`
	x.reply = readMessage(x.text)
	x.failure = x.reply.failure()
}

// abandonTask tells the server that the client no longer waits for a task. The call ends with that request.
func (k *call) abandonTask(id string) *exchange {
	c := k.client
	x := c.askTask("tasks/cancel", id, "", cancelTimeout)
	c.measure(k, c.instance.metrics.TasksAbandoned, 1)
	x.complete = false
	if x.abandoned = k.options.abandonAfter > 0; x.abandoned {
		x.failure = nil
	} else {
		x.failure = failed(kinds.Timeout, "the task had not ended in time")
	}
	return x
}

// pollInterval returns how long the client waits before it asks for a task again.
func pollInterval(task gjson.Result) time.Duration {
	wanted := member(task, "pollIntervalMs")
	if wanted.Type != gjson.Number || wanted.Num < 0 {
		return defaultPollInterval
	}
	// An interval that is too long ends with the call's time.
	return max(minPollInterval, time.Duration(min(wanted.Num, float64(noEnd/time.Millisecond)))*time.Millisecond)
}

// modernMeta returns the members of _meta in each request of 2026-07-28.
func (c *Client) modernMeta() string {
	if c.options.tasks {
		return modernMetaTasks
	}
	return modernMeta
}
