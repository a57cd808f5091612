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

// metNames returns the operations of an overlap, sorted.
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
	a, b, c := Overlap(1), Overlap(2), Overlap(4)
	alone := f.begin("a")
	if got := f.end(alone); got != 0 {
		t.Errorf("alone: got %b", got)
	}
	first := f.begin("a")
	short := f.begin("b")
	second := f.begin("a")
	if got := f.end(short); got != a {
		t.Errorf("what began before it, and after it: got %b", got)
	}
	last := f.begin("c")
	for name, test := range map[string]struct {
		of       flight
		expected Overlap
	}{"first": {first, a | b | c}, "second": {second, a | b | c}, "last": {last, a}} {
		if got := f.end(test.of); got != test.expected {
			t.Errorf("%s: got %b; expected %b", name, got, test.expected)
		}
	}
	if f.running != [maxOverlapping]uint32{} {
		t.Errorf("still in flight: %v", f.running)
	}
}

// Operations beyond the bound are one.
func TestFlightsOfManyOperations(t *testing.T) {
	f := inFlight{numbers: map[string]int{}}
	for index := range 3 * maxOverlapping {
		f.end(f.begin(fmt.Sprint(index)))
	}
	before := f.begin("100")
	if got := f.end(f.begin("101")); got != 1<<(maxOverlapping-1) {
		t.Errorf("got %b", got)
	}
	f.end(before)
}

// A call knows which operations had one in flight meanwhile; one that got no session was not sent.
func TestOverlapOfCalls(t *testing.T) {
	f := newFixture(t, modern(func(w http.ResponseWriter, r received) {
		time.Sleep(30 * time.Millisecond)
		succeed(w, r)
	}))
	f.await(`const client = new StreamableHTTPClient({ base_url: url, protocolVersion: '2026-07-28' });
		const tagged = (operation) => client.requestAsync('tools/call', { name: 'x' }, { tags: { operation } });
		Promise.all([tagged('overlap-a'), tagged('overlap-b')])`)
	f.run(`client.request('ping', {}, { tags: { operation: 'overlap-c' } })`)
	got := []string{}
	for _, request := range f.requests() {
		operation, _ := request.Samples[0].Tags.Get("operation")
		got = append(got, fmt.Sprint(operation, ": ", request.IsSent, " ", metNames(request.Overlap)))
	}
	slices.Sort(got)
	expected := []string{"overlap-a: true overlap-b", "overlap-b: true overlap-a", "overlap-c: true "}
	if !slices.Equal(got, expected) {
		t.Errorf("got %q; expected %q", got, expected)
	}
	f = newFixture(t, http.NotFoundHandler())
	f.run(`new StreamableHTTPClient({ base_url: url, protocolVersion: '2025-11-25' }).request('ping', {})`)
	for _, request := range f.requests() {
		if request.IsSent {
			t.Error("it was not sent")
		}
	}
}
