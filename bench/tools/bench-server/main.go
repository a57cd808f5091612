// Command bench-server is the target of the benches: an MCP server of both eras that costs next to nothing, so that what
// is measured is the client.
//
//	bench-server [SERVICE_TIMES_FILE]
//
// It prints its URL and ends when its standard input does. One tool, `lookup`. Paths:
//
//	/json    a call is answered with 700 bytes of JSON
//	/sse     the same answer as a stream with one event
//	/64k     64 KB of JSON
//	/sleep   as /json, after a time drawn from the distribution that the argument of that name names; calls with an
//	         argument `phase` are logged to SERVICE_TIMES_FILE: phase, time of reading in microseconds since the epoch,
//	         microseconds from there until the answer was handed to the kernel
//	/served  how many calls were answered so far
//	/held    how many streams of subscriptions/listen there were at once, at most
//	/phase   the `phase` of the latest of them
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		ProtocolVersion string `json:"protocolVersion"`
		Arguments       struct {
			Distribution string `json:"distribution"`
			Phase        string `json:"phase"`
		} `json:"arguments"`
	} `json:"params"`
}

const (
	serverInfo = `{"name":"bench-server","version":"1.0.0"}`
	discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":` + serverInfo + `}}`
	tools = `{"resultType":"complete","tools":[{"name":"lookup","description":"Looks up a record",` +
		`"inputSchema":{"type":"object","properties":{"key":{"type":"string","enum":["a"]}}},` +
		`"annotations":{"readOnlyHint":true}}]}`
)

var (
	served, sessions atomic.Int64
	held             struct {
		sync.Mutex
		now, most int
	}
	phase atomic.Value
)

func main() {
	phase.Store("")
	var times *serviceTimes
	if len(os.Args) > 1 {
		file, err := os.Create(os.Args[1])
		if err != nil {
			fail(err)
		}
		times = &serviceTimes{out: bufio.NewWriter(file)}
	}
	small := result(5)
	http.HandleFunc("/json", answer(asJSON, small, nil))
	http.HandleFunc("/sse", answer(asEvent, small, nil))
	http.HandleFunc("/64k", answer(asJSON, result(596), nil))
	http.HandleFunc("/sleep", answer(asJSON, small, times))
	http.HandleFunc("/served", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, served.Load()) })
	http.HandleFunc("/held", func(w http.ResponseWriter, _ *http.Request) {
		held.Lock()
		defer held.Unlock()
		fmt.Fprint(w, held.most)
	})
	http.HandleFunc("/phase", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, phase.Load()) })

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	go func() {
		if err := http.Serve(listener, nil); err != nil {
			fail(err)
		}
	}()
	// Also the end of whoever started it.
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		fail(err)
	}
	if times != nil {
		times.flush()
	}
}

func answer(write func(http.ResponseWriter, json.RawMessage, string), callResult string, times *serviceTimes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		var call request
		body, err := io.ReadAll(r.Body)
		read := time.Now()
		if err == nil {
			err = json.Unmarshal(body, &call)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		switch call.Method {
		case "tools/call":
			if times != nil {
				time.Sleep(times.draw(call.Params.Arguments.Distribution))
			}
			write(w, call.ID, callResult)
			if times != nil {
				// The answer leaves when the handler returns; without this its writing would not be in the time.
				_ = http.NewResponseController(w).Flush()
				times.note(call.Params.Arguments.Phase, read)
			}
			served.Add(1)
		case "server/discover":
			write(w, call.ID, discovered)
		case "initialize":
			w.Header().Set("Mcp-Session-Id", strconv.FormatInt(sessions.Add(1), 10))
			version, _ := json.Marshal(call.Params.ProtocolVersion)
			write(w, call.ID, `{"protocolVersion":`+string(version)+`,"capabilities":{"tools":{}},"serverInfo":`+serverInfo+`}`)
		case "subscriptions/listen":
			hold(w, r)
		case "tools/list":
			write(w, call.ID, tools)
		case "ping":
			write(w, call.ID, `{}`)
		default:
			if call.ID == nil {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, call.ID)
		}
	}
}

// hold sends a notification a second on a stream, until the client goes.
func hold(w http.ResponseWriter, r *http.Request) {
	count := func(change int) {
		held.Lock()
		defer held.Unlock()
		held.now += change
		held.most = max(held.most, held.now)
	}
	count(1)
	defer count(-1)
	w.Header()["Content-Type"] = []string{"text/event-stream"}
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	method := "notifications/subscriptions/acknowledged"
	for {
		_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","method":"`+method+`","params":{}}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-ticker.C:
			method = "notifications/tools/list_changed"
		case <-r.Context().Done():
			return
		}
	}
}

func asJSON(w http.ResponseWriter, id json.RawMessage, result string) {
	body := `{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + result + `}`
	w.Header()["Content-Type"] = []string{"application/json"}
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	_, _ = io.WriteString(w, body)
}

func asEvent(w http.ResponseWriter, id json.RawMessage, result string) {
	w.Header()["Content-Type"] = []string{"text/event-stream"}
	w.Header()["Cache-Control"] = []string{"no-cache"}
	_, _ = io.WriteString(w, "event: message\ndata: "+`{"jsonrpc":"2.0","id":`+string(id)+`,"result":`+result+"}\n\n")
}

// result is that of a tool as tools give it: the same records as text and as structured content.
func result(records int) string {
	type record struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
		City string `json:"city"`
	}
	all := make([]record, records)
	for index := range all {
		all[index] = record{index, "Charles Babbage", "Oslo"}
	}
	structured, _ := json.Marshal(map[string]any{"records": all})
	quoted, _ := json.Marshal(string(structured))
	return `{"resultType":"complete","content":[{"type":"text","text":` + string(quoted) + `}],"structuredContent":` +
		string(structured) + `,"isError":false}`
}

// --- known service times ---------------------------------------------------------------------------------------------

const seed = 1

type serviceTimes struct {
	lock   sync.Mutex
	out    *bufio.Writer
	random *rand.Rand
}

// draw gives a time that the distribution says. Which request gets which depends on their order of arrival; how often
// each comes does not.
func (t *serviceTimes) draw(distribution string) time.Duration {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.random == nil {
		t.random = rand.New(rand.NewPCG(seed, seed))
	}
	var ms float64
	switch distribution {
	case "constant":
		ms = 20
	case "bimodal":
		ms = 5
		if t.random.Float64() < 0.2 {
			ms = 100
		}
	case "heavy-tail": // log-normal: median 10 ms, p99 102 ms
		ms = 10 * math.Exp(t.random.NormFloat64())
	}
	return time.Duration(ms * float64(time.Millisecond))
}

func (t *serviceTimes) note(of string, read time.Time) {
	took := time.Since(read)
	phase.Store(of)
	if of == "" || strings.ContainsAny(of, " \n") {
		return
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	fmt.Fprintf(t.out, "%s %d %d\n", of, read.UnixMicro(), took.Microseconds())
}

func (t *serviceTimes) flush() {
	t.lock.Lock()
	defer t.lock.Unlock()
	if err := t.out.Flush(); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "bench-server:", err)
	os.Exit(1)
}
