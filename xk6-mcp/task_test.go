package mcp

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tidwall/gjson"
)

// noAnswer is the state of a task whose server does not answer.
const noAnswer = ""

// taskServer answers each call with a task that passes through the given states.
func taskServer(states ...string) *recorder {
	var polls atomic.Int64
	return modern(func(w http.ResponseWriter, r received) {
		task := func(state string) string {
			return reply(r.id(), `{"resultType":"complete","taskId":"t/1","pollIntervalMs":20,"ttlMs":60000,`+state+`}`)
		}
		switch r.rpcMethod() {
		case "tools/call":
			polls.Store(0)
			writeJSON(w, strings.Replace(task(`"status":"working"`), `"complete"`, `"task"`, 1))
		case "tasks/get":
			state := states[min(int(polls.Add(1)), len(states))-1]
			if state == noAnswer {
				<-r.gone
				return
			}
			writeJSON(w, task(state))
		default:
			writeJSON(w, reply(r.id(), `{"resultType":"complete"}`))
		}
	})
}

func TestTasks(t *testing.T) {
	const working = `"status":"working"`
	for name, test := range map[string]struct {
		states   []string
		expected string
		methods  string
	}{
		"completed":              {[]string{working, working, `"status":"completed","result":{"content":[{"type":"text","text":"done"}]}`}, `["","done"]`, "tools/call tasks/get tasks/get tasks/get"},
		"a tool's error":         {[]string{`"status":"completed","result":{"isError":true,"content":[]}`}, `["tool",null]`, "tools/call tasks/get"},
		"failed":                 {[]string{`"status":"failed","error":{"code":-32603,"message":"no"}`}, `["jsonrpc",null]`, "tools/call tasks/get"},
		"cancelled":              {[]string{`"status":"cancelled"`}, `["unexpected",null]`, "tools/call tasks/get"},
		"completed with nothing": {[]string{`"status":"completed"`}, `["protocol",null]`, "tools/call tasks/get"},
		"another status":         {[]string{`"status":"lost"`}, `["protocol",null]`, "tools/call tasks/get"},
		"input": {[]string{
			`"status":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"requestedSchema":{"properties":{"ok":{"type":"boolean"}}}}}}`,
			`"status":"completed","result":{"content":[{"type":"text","text":"done"}]}`,
		}, `["","done"]`, "tools/call tasks/get tasks/update tasks/get"},
		"no answer":   {[]string{noAnswer}, `["timeout",null]`, "tools/call tasks/get tasks/cancel"},
		"not in time": {[]string{working}, `["timeout",null]`, "tools/call tasks/get ... tasks/cancel"},
	} {
		t.Run(name, func(t *testing.T) {
			server := taskServer(test.states...)
			f := newFixture(t, server)
			f.init(`const client = new StreamableHTTPClient({ base_url: url, tasks: true, timeout: 500 })`)
			f.expect(`(({ ok, failure, result }) => [ok ? '' : failure.kind, ok ? result.content[0].text : null])(client.callTool({ name: 'job' }))`, test.expected)
			var methods []string
			for _, got := range server.requests() {
				method := got.rpcMethod()
				if method == "server/discover" {
					continue
				}
				methods = append(methods, method)
				if strings.HasPrefix(method, "tasks/") && (got.header.Get("Mcp-Name") != "t/1" || gjson.Get(got.body, "params.taskId").Str != "t/1") {
					t.Errorf("got %s, %s", got.header, got.body)
				}
				if !gjson.Get(got.body, `params._meta.io\.modelcontextprotocol/clientCapabilities.extensions.io\.modelcontextprotocol/tasks`).Exists() {
					t.Errorf("%s does not declare tasks: %s", method, got.body)
				}
			}
			first, last, isLong := strings.Cut(test.methods, " ... ")
			if all := strings.Join(methods, " "); all != test.methods && !(isLong && strings.HasPrefix(all, first) && strings.HasSuffix(all, last)) {
				t.Errorf("got %s; expected %s", all, test.methods)
			}
		})
	}
}

// TestTaskSamples checks that a call with a task counts as one call, whose latency ends with the task.
func TestTaskSamples(t *testing.T) {
	server := taskServer(`"status":"working"`, `"status":"completed","result":{"content":[]}`)
	f := newFixture(t, server)
	f.init(`const client = new StreamableHTTPClient({ base_url: url, tasks: true })`)
	f.run(`client.connect()`)
	f.taken()
	f.run(`const { timings } = client.callTool({ name: 'job' })`)
	f.expect(`timings.duration >= 40`, `true`)
	samples := strings.Join(f.taken(), "\n")
	for text, count := range map[string]int{
		"mcp_request_duration{": 1, "mcp_task_duration{": 1, "mcp_task_polls{method=tools/call,operation=tools/call} 2": 1, "mcp_tasks_abandoned{": 0,
		"mcp_failures{": 0,
	} {
		if got := strings.Count(samples, text); got != count {
			t.Errorf("%d of %s; expected %d\n%s", got, text, count, samples)
		}
	}
}

// TestTaskOfTheUnasked checks that a task is an unexpected answer to a client without the option tasks.
func TestTaskOfTheUnasked(t *testing.T) {
	f := newFixture(t, taskServer(`"status":"completed","result":{"content":[]}`))
	f.init(`const client = new StreamableHTTPClient({ base_url: url })`)
	f.expect(`client.callTool({ name: 'job' }).failure.kind`, `"unexpected"`)
}

func TestPollInterval(t *testing.T) {
	for text, expected := range map[string]string{`{}`: "1s", `{"pollIntervalMs":250}`: "250ms", `{"pollIntervalMs":0}`: "10ms", `{"pollIntervalMs":-1}`: "1s", `{"pollIntervalMs":"5"}`: "1s", `{"pollIntervalMs":1e300}`: "8760h0m0s"} {
		if got := fmt.Sprint(pollInterval(gjson.Parse(text))); got != expected {
			t.Errorf("%s: got %s; expected %s", text, got, expected)
		}
	}
}
