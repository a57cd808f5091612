package mcp

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.k6.io/k6/v2/metrics"
)

// The stream of a script that is behind waits: notifications of a fast server must not fill the memory.
func TestQueuedNotificationsAreBounded(t *testing.T) {
	const size, count = 1 << 20, 40
	note := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"%s"}}`, strings.Repeat("x", size))
	var sent atomic.Int64
	behind := make(chan struct{})
	f := newFixture(t, modern(func(w http.ResponseWriter, r received) {
		if r.rpcMethod() == "tools/call" {
			<-behind
			succeed(w, r)
			return
		}
		stream(w, `{"jsonrpc":"2.0","method":"`+acknowledged+`"}`)
		for range count {
			stream(w, note)
			sent.Add(1)
		}
		stream(w, reply(r.id(), `{"resultType":"complete"}`))
	}))
	f.init(`const client = new StreamableHTTPClient({ base_url: url, stallTimeout: 1500 }); let count = 0; let failure`)
	before := heap()
	var grown, sentMeanwhile int64
	go func() {
		defer close(behind)
		time.Sleep(2500 * time.Millisecond)
		grown, sentMeanwhile = heap()-before, sent.Load()
	}()
	// The script is busy with a call while the server sends more notifications.
	f.await(`client.connect();
		const made = client.listen({}, { onNotification: (method, params) => { count += params?.data ? 1 : 0 } });
		client.callTool({ name: 'a' }, { timeout: 15000 }); made.then((answer) => { failure = answer.failure })`)
	if sentMeanwhile >= count/2 || grown > count*size/2 {
		t.Errorf("%d messages were taken, and the heap grew by %d MiB", sentMeanwhile, grown>>20)
	}
	// No notification is lost.
	f.expect(`[count, failure]`, fmt.Sprintf("[%d,null]", count))
	// Waiting for the script counts neither as an event gap nor as a stall.
	for _, container := range metrics.GetBufferedSamples(f.samples) {
		for _, sample := range container.GetSamples() {
			if sample.Metric.Name == Names.Metrics["eventGap"].Name && sample.Value > 1500 {
				t.Errorf("got a gap of %v ms", sample.Value)
			}
		}
	}
}
