package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"github.com/tidwall/gjson"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
	"gopkg.in/guregu/null.v3"
)

// fixture is a VU with the module, and a server for it, both in this process.
type fixture struct {
	*modulestest.Runtime
	t       *testing.T
	server  *httptest.Server
	samples chan metrics.SampleContainer
	log     *logtest.Hook
	state   *lib.State
}

func newFixture(t *testing.T, handler http.Handler) *fixture {
	t.Helper()
	f := &fixture{Runtime: modulestest.NewRuntime(t), t: t, samples: make(chan metrics.SampleContainer, 100_000)}
	f.server = httptest.NewServer(handler)
	t.Cleanup(f.server.Close)
	logger, hook := logtest.NewNullLogger()
	logger.SetLevel(logrus.DebugLevel)
	f.log = hook
	f.enter(New())
	jar, _ := cookiejar.New(nil)
	transport := &http.Transport{DialContext: (&net.Dialer{}).DialContext, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	f.state = &lib.State{
		VUID: 1, Samples: f.samples, Logger: logger, CookieJar: jar, Transport: transport, BufferPool: lib.NewBufferPool(),
		Options: lib.Options{UserAgent: null.StringFrom("test")},
		Tags:    lib.NewVUStateTags(metrics.NewRegistry().RootTagSet()),
	}
	f.init("const url = " + quote(f.server.URL) + "; const { StreamableHTTPClient } = mcp;")
	return f
}

// enter gives the VU a new instance of the module, in the init context.
func (f *fixture) enter(root *RootModule) {
	instance := root.NewModuleInstance(f.VU)
	if err := f.VU.Runtime().Set("mcp", instance.Exports().Named); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) init(code string) {
	f.t.Helper()
	if _, err := f.VU.Runtime().RunString(code); err != nil {
		f.t.Fatal(err)
	}
}

// run runs VU code and returns its value.
func (f *fixture) run(code string) any {
	f.t.Helper()
	value, err := f.try(code)
	if err != nil {
		f.t.Fatal(err)
	}
	return value
}

func (f *fixture) try(code string) (any, error) {
	if f.VU.StateField == nil {
		f.MoveToVUContext(f.state)
	}
	value, err := f.VU.Runtime().RunString(code)
	if err != nil {
		return nil, err
	}
	return value.Export(), nil
}

// await runs VU code until its event loop is empty.
func (f *fixture) await(code string) {
	f.t.Helper()
	if f.VU.StateField == nil {
		f.MoveToVUContext(f.state)
	}
	if _, err := f.RunOnEventLoop(code); err != nil {
		f.t.Fatal(err)
	}
}

// expect runs code and compares its value as JSON.
func (f *fixture) expect(code, expected string) {
	f.t.Helper()
	got, _ := json.Marshal(f.run(code))
	if string(got) != expected {
		f.t.Errorf("%s\ngot      %s\nexpected %s", code, got, expected)
	}
}

// ofConnections are the metrics that depend on which request opens a connection.
var ofConnections = []string{"mcp_connections", "mcp_reconnections", "mcp_request_blocked", "mcp_request_connecting", "mcp_request_tls"}

// taken returns the samples so far as "name{tags} value", sorted by name. It omits those of connections, and the values of durations.
func (f *fixture) taken() []string {
	var lines []string
	for _, container := range metrics.GetBufferedSamples(f.samples) {
		for _, sample := range container.GetSamples() {
			if slices.Contains(ofConnections, sample.Metric.Name) {
				continue
			}
			value := fmt.Sprint(" ", sample.Value)
			if sample.Metric.Contains == metrics.Time {
				value = ""
			}
			tags := sample.Tags.Map()
			var pairs []string
			for _, key := range slices.Sorted(maps.Keys(tags)) {
				pairs = append(pairs, key+"="+tags[key])
			}
			lines = append(lines, sample.Metric.Name+"{"+strings.Join(pairs, ",")+"}"+value)
		}
	}
	slices.Sort(lines)
	return lines
}

func (f *fixture) expectSamples(expected ...string) {
	f.t.Helper()
	got := f.taken()
	if !slices.Equal(got, expected) {
		f.t.Errorf("got samples\n  %s\nexpected\n  %s", strings.Join(got, "\n  "), strings.Join(expected, "\n  "))
	}
}

// received is a request as a server received it.
type received struct {
	method string
	url    string
	header http.Header
	body   string
	// Closed when the client has disconnected.
	gone <-chan struct{}
}

// recorder is a server that answers with a function and records its requests.
type recorder struct {
	sync.Mutex
	got    []received
	answer func(w http.ResponseWriter, r received)
}

func (s *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	got := received{r.Method, r.URL.String(), r.Header, string(body), r.Context().Done()}
	s.Lock()
	s.got = append(s.got, got)
	s.Unlock()
	s.answer(w, got)
}

func (s *recorder) requests() []received {
	s.Lock()
	defer s.Unlock()
	return slices.Clone(s.got)
}

// id returns the ID of a request as JSON.
func (r received) id() string {
	var parsed struct{ ID json.RawMessage }
	_ = json.Unmarshal([]byte(r.body), &parsed)
	return string(parsed.ID)
}

func (r received) rpcMethod() string {
	var parsed struct{ Method string }
	_ = json.Unmarshal([]byte(r.body), &parsed)
	return parsed.Method
}

func writeJSON(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, text)
}

func reply(id, result string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

// modern is a server of 2026-07-28 that answers calls with a function.
func modern(answer func(w http.ResponseWriter, r received)) *recorder {
	return &recorder{answer: func(w http.ResponseWriter, r received) {
		if r.rpcMethod() == "server/discover" {
			writeJSON(w, reply(r.id(), `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},`+
				`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}`))
			return
		}
		answer(w, r)
	}}
}

// legacy is a server with sessions, of the versions before 2026-07-28.
func legacy(answer func(w http.ResponseWriter, r received)) *recorder {
	sessions := 0
	return &recorder{answer: func(w http.ResponseWriter, r received) {
		switch method := r.rpcMethod(); {
		case method == "server/discover":
			w.WriteHeader(http.StatusBadRequest)
		case method == "initialize":
			sessions++
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("s", sessions))
			version := gjson.Get(r.body, "params.protocolVersion").Raw
			writeJSON(w, reply(r.id(), `{"protocolVersion":`+version+`,"capabilities":{},"serverInfo":{"name":"old","version":"2"}}`))
		case strings.HasPrefix(method, "notifications/"):
			w.WriteHeader(http.StatusAccepted)
		default:
			answer(w, r)
		}
	}}
}

// succeed answers each call with the same result.
func succeed(w http.ResponseWriter, r received) {
	writeJSON(w, reply(r.id(), `{"content":[{"type":"text","text":"x"}]}`))
}
