package mcp

import (
	"io"
	"net/http"
	"testing"
	"time"
)

// TestStreamRecord checks what is recorded about streams: whether each was opened, who ended it, and how long it was silent.
func TestStreamRecord(t *testing.T) {
	const pause = 200 * time.Millisecond
	// When the requests for a stream arrived that net/http repeats on another connection.
	arrivals := make(chan time.Time, 10)
	answers := map[string]func(w http.ResponseWriter, r received){
		"refused": func(w http.ResponseWriter, _ received) { w.WriteHeader(http.StatusServiceUnavailable) },
		"held": func(w http.ResponseWriter, r received) {
			stream(w, `{"jsonrpc":"2.0","method":"n"}`)
			<-r.gone
		},
		"cut": func(w http.ResponseWriter, _ received) {
			stream(w, `{"jsonrpc":"2.0","method":"n"}`)
			time.Sleep(pause)
			_, _ = io.WriteString(w, ": still here\n\n")
			w.(http.Flusher).Flush()
			time.Sleep(2 * pause)
		},
		"withheld": func(http.ResponseWriter, received) {
			arrivals <- time.Now()
			time.Sleep(pause)
			panic(http.ErrAbortHandler)
		},
	}
	f := newFixture(t, legacy(func(w http.ResponseWriter, r received) { answers[r.header.Get("X-Case")](w, r) }))
	f.init(`const listen = (name, options) => new StreamableHTTPClient({ base_url: url }).listen({}, { headers: { 'X-Case': name }, ...options })`)
	streams.Streams, streams.held = Streams{}, 0
	f.await(`(async () => {
		let held;
		await new Promise((isOpen) => { held = listen('held', { abandonAfter: 1500, onNotification: isOpen }) });
		for (const name of ['refused', 'cut', 'withheld']) await listen(name);
		await held;
	})()`)
	found := HeldByClients()
	if found.Asked != 4 || found.Opened != 2 || found.Lost != 3 || found.Messages != 2 || len(found.Ends) != 3 {
		t.Fatalf("%+v", found)
	}
	if last := found.Held[len(found.Held)-1]; last.Count != 0 {
		t.Errorf("%+v", found.Held)
	}
	near := func(ms float64, expected time.Duration) bool {
		return ms > milliseconds(expected)*0.8 && ms < milliseconds(expected)+1000
	}
	for len(arrivals) > 1 {
		if earlier := <-arrivals; found.Ends[2].Asked < earlier.Add(pause/2).UnixMilli() {
			t.Errorf("asked at %v; expected the last time, which was after %v", found.Ends[2].Asked, earlier)
		}
	}
	refused, cut, withheld := found.Ends[0], found.Ends[1], found.Ends[2]
	if refused.Status != http.StatusServiceUnavailable || refused.Kind != kinds.HTTP5xx || refused.OpenedMS != nil || refused.Held != 1 {
		t.Errorf("%+v", refused)
	}
	if cut.OpenedMS == nil || cut.Messages != 1 || !near(cut.AgeMS, 3*pause) || !near(cut.SilentMS, 2*pause) || cut.SilentMS > cut.AgeMS-milliseconds(pause)/2 {
		t.Errorf("%+v", cut)
	}
	if withheld.OpenedMS != nil || withheld.Status != 0 || !near(withheld.AgeMS, pause) || withheld.SilentMS != withheld.AgeMS {
		t.Errorf("%+v", withheld)
	}
}

// TestStreamRecordOfNoSession checks that a stream counts as requested if no session could be opened for it.
func TestStreamRecordOfNoSession(t *testing.T) {
	const wait = 100 * time.Millisecond
	f := newFixture(t, &recorder{answer: func(w http.ResponseWriter, _ received) {
		time.Sleep(wait)
		w.WriteHeader(http.StatusTooManyRequests)
	}})
	f.init(`const client = new StreamableHTTPClient({ base_url: url, protocolVersion: 'legacy' })`)
	streams.Streams, streams.held = Streams{}, 0
	f.await(`client.listen()`)
	if found := HeldByClients(); found.Asked != 1 || found.Lost != 1 || found.Ends[0].Kind != kinds.RateLimited || found.Ends[0].AgeMS < milliseconds(wait) {
		t.Errorf("%+v", found)
	}
}
