package mcp

import (
	"cmp"
	"iter"
	"math/bits"
	"sync"
)

// maxOverlapping bounds the operations that are distinguished; the last number is that of all others.
const maxOverlapping = 64

// Overlap is a set of operations that had a call in flight when another call began. Not while it was: a call that waits for its timeout would
// meet them all.
type Overlap uint64

// inFlight counts the calls in flight, by operation: those of this process, with its warm-up.
type inFlight struct {
	guard   sync.Mutex
	numbers map[string]int
	running [maxOverlapping]uint32
}

// flights are those of all clients: a server does not know which script a call is of.
var flights = inFlight{numbers: map[string]int{}}

// begin notes that a call begins. It returns the number of its operation, and those that have a call in flight.
func (f *inFlight) begin(operation string) (number int, met Overlap) {
	f.guard.Lock()
	defer f.guard.Unlock()
	number, ok := f.numbers[operation]
	if !ok {
		if number = min(len(f.numbers), maxOverlapping-1); number < maxOverlapping-1 {
			f.numbers[operation] = number
		}
	}
	for other := range f.running {
		if f.running[other] > 0 {
			met |= 1 << other
		}
	}
	f.running[number]++
	return number, met
}

// end notes that a call of an operation has ended.
func (f *inFlight) end(number int) {
	f.guard.Lock()
	defer f.guard.Unlock()
	f.running[number]--
}

// Numbers are those of the operations, below 64.
func (o Overlap) Numbers() iter.Seq[int] {
	return func(yield func(int) bool) {
		for rest := uint64(o); rest != 0; rest &= rest - 1 {
			if !yield(bits.TrailingZeros64(rest)) {
				return
			}
		}
	}
}

// OverlapNames returns the operations' names by their numbers; without one are those that have no number of their own.
func OverlapNames() map[int]string {
	flights.guard.Lock()
	defer flights.guard.Unlock()
	names := make(map[int]string, len(flights.numbers))
	for name, number := range flights.numbers {
		names[number] = name
	}
	return names
}

// operation is the name by which the call's requests are counted.
func (k *call) operation() string { return cmp.Or(k.options.tags[Names.Tags.Operation], k.method) }
