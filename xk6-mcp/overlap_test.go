package mcp

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// metNames returns the names of the operations of an overlap, sorted.
func metNames(o Overlap) string {
	names := OverlapNames()
	found := map[string]bool{}
	for number := range o.Numbers() {
		found[names[number]] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " ")
}

func TestFlights(t *testing.T) {
	f := inFlight{numbers: map[string]int{}}
	begin := func(operation string, expected Overlap) int {
		t.Helper()
		number, met := f.begin(operation)
		if met != expected {
			t.Errorf("%s: got %b; expected %b", operation, met, expected)
		}
		return number
	}
	const a, b = Overlap(1), Overlap(2)
	first := begin("a", 0)
	short := begin("b", a)
	second := begin("a", a|b)
	f.end(short)
	last := begin("c", a)
	for _, number := range []int{first, second, last} {
		f.end(number)
	}
	f.end(begin("a", 0))
	if f.running != [maxOverlapping]uint32{} {
		t.Errorf("still in flight: %v", f.running)
	}
}

// Operations beyond the maximum count as one, and use no memory.
func TestFlightsOfManyOperations(t *testing.T) {
	f := inFlight{numbers: map[string]int{}}
	for index := range 3 * maxOverlapping {
		number, _ := f.begin(fmt.Sprint(index))
		f.end(number)
	}
	before, _ := f.begin("100")
	if _, met := f.begin("101"); before != maxOverlapping-1 || met != 1<<(maxOverlapping-1) || len(f.numbers) >= maxOverlapping {
		t.Errorf("got %d, %b and %d names", before, met, len(f.numbers))
	}
}

// A call records which operations had a call in flight when it began. A call that got no session was not sent.
func TestOverlapOfCalls(t *testing.T) {
	f := newFixture(t, modern(func(w http.ResponseWriter, r received) {
		time.Sleep(50 * time.Millisecond)
		succeed(w, r)
	}))
	f.await(`const client = new StreamableHTTPClient({ base_url: url, protocolVersion: '2026-07-28' });
		const tagged = (operation) => client.requestAsync('tools/call', { name: 'x' }, { tags: { operation } });
		Promise.all([tagged('overlap-a'), tagged('overlap-b')])`)
	f.run(`client.request('ping', {}, { tags: { operation: 'overlap-c' } })`)
	met := map[string]string{}
	for _, request := range f.requests() {
		operation, _ := request.Samples[0].Tags.Get("operation")
		if !request.IsSent {
			t.Errorf("%s was sent", operation)
		}
		met[operation] = metNames(request.Overlap)
	}
	// Either call may be the first.
	pair := met["overlap-a"] + met["overlap-b"]
	if len(met) != 3 || pair != "overlap-a" && pair != "overlap-b" || met["overlap-c"] != "" {
		t.Errorf("got %q", met)
	}
	f = newFixture(t, http.NotFoundHandler())
	f.run(`new StreamableHTTPClient({ base_url: url, protocolVersion: '2025-11-25' }).request('ping', {})`)
	for _, request := range f.requests() {
		if request.IsSent {
			t.Error("it was not sent")
		}
	}
}
