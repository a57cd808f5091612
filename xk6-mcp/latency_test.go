package mcp

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.k6.io/k6/v2/metrics"
)

// requests returns the requests so far in which a call ended or was interrupted.
func (f *fixture) requests() []*Request {
	var found []*Request
	for _, container := range metrics.GetBufferedSamples(f.samples) {
		if request, ok := container.(*Request); ok && (request.IsCall || request.IsInterrupted) {
			found = append(found, request)
		}
	}
	return found
}

// latency returns the latency of a request, in milliseconds.
func (r *Request) latency() float64 {
	for _, sample := range r.Samples {
		if sample.Metric.Name == "mcp_request_duration" {
			return sample.Value
		}
	}
	return -1
}

func (p Parts) sum() time.Duration {
	return p.Blocked + p.Connecting + p.TLS + p.Sending + p.Waiting + p.Receiving
}

// Every call has a latency that is the sum of its parts. Without an answer, it is the time that the call waited, and every limit is exceeded.
func TestLatencyByOutcome(t *testing.T) {
	status := func(code int) func(http.ResponseWriter, received) {
		return func(w http.ResponseWriter, _ received) {
			time.Sleep(30 * time.Millisecond)
			http.Error(w, "no", code)
		}
	}
	hang := func(_ http.ResponseWriter, r received) { <-r.gone }
	for name, test := range map[string]struct {
		answer  func(w http.ResponseWriter, r received)
		outcome string
		atLeast float64
	}{
		"an answer": {succeed, "ok", 0}, "503": {status(503), "rejected", 30}, "500": {status(500), "failed", 30},
		"no answer": {hang, "unanswered", 100}, "a stream that stops": {stalled, "unanswered", 100},
		"the connection is closed": {hijacked(""), "unanswered", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, modern(test.answer))
			f.run(`const client = new StreamableHTTPClient({ base_url: url, timeout: '100ms', protocolVersion: '2026-07-28' });
				client.request('tools/call', { name: 'a' }, { limits: [60000] })`)
			got := f.requests()
			if len(got) != 1 || got[0].Outcome != test.outcome {
				t.Fatalf("got %+v; expected one %s", got, test.outcome)
			}
			latency := got[0].latency()
			if latency < test.atLeast || latency > 10_000 {
				t.Errorf("got %v ms; expected %v at least", latency, test.atLeast)
			}
			if sum := milliseconds(got[0].Parts.sum()); sum < latency-0.001 || sum > latency+0.001 {
				t.Errorf("got %v of %v ms; expected parts that add up: %+v", sum, latency, got[0].Parts)
			}
			for _, sample := range got[0].Samples {
				if sample.Metric.Name == "mcp_slow" && (sample.Value == 1) != (test.outcome == "unanswered") {
					t.Errorf("got mcp_slow %v for %s", sample.Value, test.outcome)
				}
			}
		})
	}
}

// slowListener accepts a connection, and reads from it only after a delay.
type slowListener struct{ net.Listener }

const handshakeTime = 100 * time.Millisecond

func (l slowListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		time.Sleep(handshakeTime)
	}
	return conn, err
}

// The latency includes connecting, here to a server that is slow at TLS and closes each connection.
func TestLatencyIncludesConnecting(t *testing.T) {
	server := httptest.NewUnstartedServer(modern(func(w http.ResponseWriter, r received) {
		w.Header().Set("Connection", "close")
		succeed(w, r)
	}))
	server.Listener = slowListener{server.Listener}
	server.StartTLS()
	t.Cleanup(server.Close)
	f := newFixture(t, modern(succeed))
	transport := f.state.Transport.(*http.Transport)
	transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
	f.run(`const client = new StreamableHTTPClient({ base_url: '` + server.URL + `', protocolVersion: '2026-07-28' });
		for (let count = 0; count < 3; count += 1) client.ping()`)
	reconnections := 0
	for _, request := range f.requests() {
		// On a busy machine, the client notices its connection late, when the server has already begun to wait.
		if request.Parts.Connecting+request.Parts.TLS < handshakeTime || request.latency() < milliseconds(handshakeTime) || !request.ClosesConnection {
			t.Errorf("got %v ms, %+v, closes the connection: %v", request.latency(), request.Parts, request.ClosesConnection)
		}
		for _, sample := range request.Samples {
			if sample.Metric.Name == "mcp_reconnections" {
				reconnections++
			}
		}
	}
	if reconnections != 2 {
		t.Errorf("got %d reconnections; expected 2 of 3 calls", reconnections)
	}
}

// The latency of a call whose handshake is not answered is the time that the handshake waited.
func TestLatencyOfHandshake(t *testing.T) {
	f := newFixture(t, modern(func(_ http.ResponseWriter, r received) { <-r.gone }))
	f.run(`new StreamableHTTPClient({ base_url: url, timeout: '100ms', protocolVersion: '2025-11-25' }).ping()`)
	got := f.requests()
	if len(got) != 1 || got[0].Outcome != "unanswered" || got[0].latency() < 100 {
		t.Errorf("got %+v; expected one call without an answer after 100 ms", got)
	}
}

// A call that is continued on a resumed stream or repeated in a new session began when the script made it.
func TestLatencyOfResumedCall(t *testing.T) {
	asked := 0
	f := newFixture(t, legacy(func(w http.ResponseWriter, r received) {
		if asked++; asked == 1 {
			time.Sleep(100 * time.Millisecond)
			http.Error(w, "no session", http.StatusNotFound)
			return
		}
		succeed(w, r)
	}))
	f.run(`new StreamableHTTPClient({ base_url: url, protocolVersion: '2025-11-25' }).ping()`)
	got := f.requests()
	if len(got) != 1 || got[0].Outcome != "ok" || got[0].latency() < 100 {
		t.Errorf("got %+v; expected one call of 100 ms at least", got)
	}
}

// A call that is interrupted by the end of the VU records when it began.
func TestInterruptedSince(t *testing.T) {
	f := newFixture(t, modern(stalled))
	f.run(`const client = new StreamableHTTPClient({ base_url: url }); client.connect()`)
	before := time.Now()
	time.AfterFunc(50*time.Millisecond, f.CancelContext)
	f.run(`client.ping()`)
	got := f.requests()
	if len(got) != 1 || !got[0].IsInterrupted || got[0].Began.Before(before) || time.Since(got[0].Began) < 50*time.Millisecond {
		t.Errorf("got %+v; expected one interrupted call since %v", got, before)
	}
}
