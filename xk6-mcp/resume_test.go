package mcp

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// resumable is a server that closes the stream of each call, and sends the reply after a number of reconnections.
func resumable(reconnections int, leaveOpen bool) *recorder {
	count, id := 0, ""
	return legacy(func(w http.ResponseWriter, r received) {
		w.Header().Set("Content-Type", "text/event-stream")
		if r.method == http.MethodPost {
			id = r.id()
			_, _ = io.WriteString(w, "retry: 20\nid: 0\ndata:\n\n")
			return
		}
		if count++; r.header.Get("Last-Event-ID") != fmt.Sprint(count-1) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if count < reconnections {
			_, _ = fmt.Fprintf(w, "id: %d\ndata: {}\n\n", count)
			return
		}
		_, _ = io.WriteString(w, "data: "+reply(id, "{}")+"\n\n")
		if leaveOpen {
			w.(http.Flusher).Flush()
			<-r.gone
		}
	})
}

func TestResume(t *testing.T) {
	for _, leaveOpen := range []bool{false, true} {
		server := resumable(2, leaveOpen)
		f := newFixture(t, server)
		f.expect(`const client = new StreamableHTTPClient({ base_url: url, protocolVersion: '2025-11-25' }); client.connect(); const answer = client.ping();
			[answer.ok, answer.events.length, answer.timings.duration >= 40]`, `[true,2,true]`)
		got := strings.Join(f.taken(), "\n")
		for _, sample := range []string{
			"mcp_additional_requests{method=ping,operation=ping} 1\nmcp_additional_requests{method=ping,operation=ping} 1",
			"mcp_requests{method=ping,operation=ping} 1\nmcp_requests{method=ping,operation=ping} 1\nmcp_requests{method=ping,operation=ping} 1", "mcp_request_duration{method=ping,operation=ping,outcome=ok}", "mcp_event_gap{method=ping,operation=ping}",
		} {
			if !strings.Contains(got, sample) {
				t.Errorf("%s is missing in\n%s", sample, got)
			}
		}
		if strings.Contains(got, "mcp_failures") {
			t.Errorf("got failures in\n%s", got)
		}
	}
}

func TestResumeEnds(t *testing.T) {
	f := newFixture(t, resumable(1000, false))
	f.expect(`const client = new StreamableHTTPClient({ base_url: url, protocolVersion: '2025-11-25', timeout: 150 });
		client.ping().failure.kind`, `"timeout"`)
}

// A call ends with its reply, not with the end of its stream.
func TestStreamStaysOpen(t *testing.T) {
	f := newFixture(t, modern(func(w http.ResponseWriter, r received) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: "+reply(r.id(), "{}")+"\n\n")
		w.(http.Flusher).Flush()
		<-r.gone
	}))
	f.run(`const client = new StreamableHTTPClient({ base_url: url })`)
	f.expect(`[client.ping().ok, client.ping().ok, client.ping().ok]`, `[true,true,true]`)
}

// A call whose stream was accepted is not repeated, whatever happens to the rest of the stream. An ID that is not valid in a header is not sent.
func TestResumeFails(t *testing.T) {
	for id, expected := range map[string]string{"1": "http_4xx", "\x01": "protocol", strings.Repeat("x", 5000): "protocol"} {
		calls := 0
		f := newFixture(t, legacy(func(w http.ResponseWriter, r received) {
			if r.method == http.MethodGet {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			calls++
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "retry: 1\nid: "+id+"\ndata: {}\n\n")
		}))
		f.expect(`new StreamableHTTPClient({ base_url: url, protocolVersion: '2025-11-25' }).ping().failure.kind`, quote(expected))
		if calls != 1 {
			t.Errorf("%.20q: got %d calls; expected 1", id, calls)
		}
	}
}
