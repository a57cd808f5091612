package mcp

import (
	"cmp"
	"iter"
	"math/bits"
	"sync"
)

// maxOverlapping is the maximum number of operations that are distinguished. The last number stands for all others.
const maxOverlapping = 64

// Overlap is a set of operations that had a call in flight when another call began. Operations that began later are not in it: a call that waits
// for its timeout would overlap with all of them.
type Overlap uint64

// inFlight counts the calls in flight of this process by operation, including those of the warm-up.
type inFlight struct {
	guard   sync.Mutex
	numbers map[string]int
	running [maxOverlapping]uint32
}

// flights are the calls of all clients: a server does not know which script a call belongs to.
var flights = inFlight{numbers: map[string]int{}}

// begin records the start of a call. It returns the number of its operation, and the operations that have a call in flight.
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

// end records the end of a call of an operation.
func (f *inFlight) end(number int) {
	f.guard.Lock()
	defer f.guard.Unlock()
	f.running[number]--
}

// Numbers iterates over the numbers of the operations, which are below 64.
func (o Overlap) Numbers() iter.Seq[int] {
	return func(yield func(int) bool) {
		for rest := uint64(o); rest != 0; rest &= rest - 1 {
			if !yield(bits.TrailingZeros64(rest)) {
				return
			}
		}
	}
}

// OverlapNames returns the names of the operations by number. The number that stands for all others has no name.
func OverlapNames() map[int]string {
	flights.guard.Lock()
	defer flights.guard.Unlock()
	names := make(map[int]string, len(flights.numbers))
	for name, number := range flights.numbers {
		names[number] = name
	}
	return names
}

// operation returns the name of the operation that the call's requests are counted under.
func (k *call) operation() string { return cmp.Or(k.options.tags[Names.Tags.Operation], k.method) }
