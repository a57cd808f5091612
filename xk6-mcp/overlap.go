package mcp

import (
	"cmp"
	"iter"
	"math/bits"
	"sync"
)

// maxOverlapping bounds the operations that are told apart; all others are one.
const maxOverlapping = 64

// Overlap is a set of operations that had a call in flight while another call was.
type Overlap uint64

// inFlight knows which operations of this process have calls in flight, those of the warm-up included.
type inFlight struct {
	guard   sync.Mutex
	numbers map[string]int
	// How many calls of an operation are in flight, and how many have begun.
	running, begun [maxOverlapping]uint32
}

// flight is a call in flight.
type flight struct {
	of     int
	before Overlap
	begun  [maxOverlapping]uint32
}

// flights are those of all clients: a server does not know which script a call is of.
var flights = inFlight{numbers: map[string]int{}}

// begin notes that a call of an operation begins.
func (f *inFlight) begin(operation string) flight {
	f.guard.Lock()
	defer f.guard.Unlock()
	of, ok := f.numbers[operation]
	if !ok {
		of = min(len(f.numbers), maxOverlapping-1)
		f.numbers[operation] = of
	}
	begins := flight{of: of}
	for number := range f.known() {
		if f.running[number] > 0 {
			begins.before |= 1 << number
		}
	}
	f.running[of]++
	f.begun[of]++
	begins.begun = f.begun
	return begins
}

// end notes that a call has ended, and returns the operations that had one in flight meanwhile.
func (f *inFlight) end(ended flight) Overlap {
	f.guard.Lock()
	defer f.guard.Unlock()
	f.running[ended.of]--
	met := ended.before
	for number := range f.known() {
		if f.begun[number] != ended.begun[number] {
			met |= 1 << number
		}
	}
	return met
}

func (f *inFlight) known() int { return min(len(f.numbers), maxOverlapping) }

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

// OverlapNames returns the operations' names by their numbers. The last stands for all that have no number of their own.
func OverlapNames() []string {
	flights.guard.Lock()
	defer flights.guard.Unlock()
	names := make([]string, flights.known())
	for name, number := range flights.numbers {
		if names[number] == "" {
			names[number] = name
		} else {
			names[number] = "others"
		}
	}
	return names
}

// operation is the name by which the call's requests are counted.
func (k *call) operation() string { return cmp.Or(k.options.tags[Names.Tags.Operation], k.method) }
