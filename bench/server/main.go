// Command bench-server is the MCP server of the benches. It supports both eras and uses almost no CPU, so that the
// benches measure the client.
//
//	bench-server ADDRESS [TLS-ADDRESS]
//	bench-server stdio
//
// At TLS-ADDRESS a handshake takes 100 ms, and each connection is closed after one answer.
//
// Its only tool is `lookup`. Paths:
//
//	/json    a call is answered with 700 bytes of JSON
//	/sse     the same answer as a stream with one event
//	/64k     64 KB of JSON
//	/sleep   like /json, after a time drawn from the distribution named by the argument `distribution`
//	/served  how many calls were answered so far
//	/times   the times of the calls of /sleep with an argument `phase`, by phase: microseconds from reading a
//	         request to handing its answer to the kernel
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
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
	initialized = `{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":` + serverInfo + `}`
	tools       = `{"resultType":"complete","tools":[{"name":"lookup","description":"Looks up a record",` +
		`"inputSchema":{"type":"object","properties":{"key":{"type":"string","enum":["a"]}}},` +
		`"annotations":{"readOnlyHint":true}}]}`
)

var served, sessions atomic.Int64

func main() {
	small := result(5)
	if os.Args[1] == "stdio" {
		serveStdio(small)
		return
	}
	times := serviceTimes{random: rand.New(rand.NewPCG(1, 1)), us: map[string][]int64{}}
	http.HandleFunc("POST /json", answer(asJSON, small, nil))
	http.HandleFunc("POST /sse", answer(asEvent, small, nil))
	http.HandleFunc("POST /64k", answer(asJSON, result(596), nil))
	http.HandleFunc("POST /sleep", answer(asJSON, small, &times))
	http.HandleFunc("GET /served", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, served.Load()) })
	http.Handle("GET /times", &times)
	if len(os.Args) > 2 {
		serveTLS(os.Args[2])
	}
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}

// serveStdio answers the calls on standard input, one per line.
func serveStdio(callResult string) {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var call request
		if json.Unmarshal(line, &call) != nil || call.ID == nil {
			continue
		}
		value := callResult
		if call.Method == "server/discover" {
			value = discovered
		}
		_, _ = io.WriteString(os.Stdout, `{"jsonrpc":"2.0","id":`+string(call.ID)+`,"result":`+value+"}\n")
	}
}

// serveTLS serves with a self-signed certificate.
func serveTLS(address string) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.DefaultServeMux)
	server.Listener = slowListener{listener}
	server.Config.SetKeepAlivesEnabled(false)
	server.StartTLS()
}

// slowListener delays the client's first message, which begins the handshake.
type slowListener struct{ net.Listener }

func (l slowListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return &slowConn{Conn: conn}, err
}

type slowConn struct {
	net.Conn
	once sync.Once
}

const handshakeTime = 100 * time.Millisecond

func (c *slowConn) Read(buffer []byte) (int, error) {
	c.once.Do(func() { time.Sleep(handshakeTime) })
	return c.Conn.Read(buffer)
}

func answer(write func(http.ResponseWriter, string), callResult string, times *serviceTimes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
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
		send := func(member, value string) {
			write(w, `{"jsonrpc":"2.0","id":`+string(call.ID)+`,"`+member+`":`+value+`}`)
		}
		switch call.Method {
		case "tools/call":
			if times != nil {
				select {
				case <-time.After(times.draw(call.Params.Arguments.Distribution)):
				case <-r.Context().Done():
					return
				}
			}
			send("result", callResult)
			if times != nil {
				// Without the flush, the answer would be written after the handler returns, and its time would not be measured.
				_ = http.NewResponseController(w).Flush()
				times.note(call.Params.Arguments.Phase, time.Since(read))
			}
			served.Add(1)
		case "server/discover":
			send("result", discovered)
		case "initialize":
			w.Header().Set("Mcp-Session-Id", strconv.FormatInt(sessions.Add(1), 10))
			send("result", fmt.Sprintf(initialized, call.Params.ProtocolVersion))
		case "subscriptions/listen":
			hold(w, r)
		case "tools/list":
			send("result", tools)
		case "notifications/initialized":
			w.WriteHeader(http.StatusAccepted)
		default:
			send("error", `{"code":-32601,"message":"Method not found"}`)
		}
	}
}

// hold sends a notification a second on a stream until the client disconnects.
func hold(w http.ResponseWriter, r *http.Request) {
	method := "notifications/subscriptions/acknowledged"
	for ticker := time.Tick(time.Second); ; method = "notifications/tools/list_changed" {
		asEvent(w, `{"jsonrpc":"2.0","method":"`+method+`","params":{}}`)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-ticker:
		case <-r.Context().Done():
			return
		}
	}
}

func asJSON(w http.ResponseWriter, message string) {
	w.Header()["Content-Type"] = []string{"application/json"}
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(message))}
	_, _ = io.WriteString(w, message)
}

func asEvent(w http.ResponseWriter, message string) {
	w.Header()["Content-Type"] = []string{"text/event-stream"}
	_, _ = io.WriteString(w, "event: message\ndata: "+message+"\n\n")
}

// result returns a tool result with the same records as text and as structured content.
func result(records int) string {
	all := slices.Repeat([]string{`{"id":1,"name":"Charles Babbage","city":"Oslo"}`}, records)
	structured := `{"records":[` + strings.Join(all, ",") + `]}`
	return `{"resultType":"complete","content":[{"type":"text","text":` + strconv.Quote(structured) +
		`}],"structuredContent":` + structured + `,"isError":false}`
}

type serviceTimes struct {
	lock   sync.Mutex
	random *rand.Rand
	us     map[string][]int64
}

// draw returns a time from the distribution. The sequence is fixed, so only the assignment to requests depends on their
// order of arrival.
func (t *serviceTimes) draw(distribution string) time.Duration {
	t.lock.Lock()
	defer t.lock.Unlock()
	var ms float64
	switch distribution {
	case "constant":
		ms = 20
	case "bimodal":
		ms = 5
		if t.random.Float64() < 0.2 {
			ms = 100
		}
	case "hanging": // one request in 20 gets no answer
		ms = 20
		if t.random.Float64() < 0.05 {
			ms = math.MaxInt32
		}
	case "heavy-tail": // log-normal: median 10 ms, p99 102 ms
		ms = 10 * math.Exp(t.random.NormFloat64())
	}
	return time.Duration(ms * float64(time.Millisecond))
}

func (t *serviceTimes) note(phase string, took time.Duration) {
	if phase == "" {
		return
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	t.us[phase] = append(t.us[phase], took.Microseconds())
}

// ServeHTTP returns all times as JSON.
func (t *serviceTimes) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	t.lock.Lock()
	defer t.lock.Unlock()
	_ = json.NewEncoder(w).Encode(t.us)
}
