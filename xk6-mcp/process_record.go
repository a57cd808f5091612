package mcp

import (
	"maps"
	"sync"
	"time"
)

// maxWorking bounds the calls of a process that are still tracked although the client has stopped waiting for them.
const maxWorking = 10_000

// Processes summarizes the server processes (stdio), including those of the warm-up.
type Processes struct {
	Starts int64 `json:"starts"`
	// Starts after an earlier process had ended, and processes that ended by themselves.
	Restarts int64 `json:"restarts"`
	Exits    int64 `json:"exits"`
	// Calls that were answered after the client had stopped waiting.
	Late int64 `json:"late,omitempty"`
	// Calls that were never answered although a later one was, and calls that were answered; each by whether another call was open at the same
	// time.
	Lost     ByOverlap `json:"lost,omitzero"`
	Answered ByOverlap `json:"answered,omitzero"`
	// How overlapping calls were answered, by operation. Measured calls only.
	Turns map[string]Turns `json:"turns,omitempty"`
	// Processes that stopped answering while they were still running; nil if there are none.
	Silent *Silence `json:"silent,omitempty"`
}

// ByOverlap counts calls by whether another call was open at the same time.
type ByOverlap struct {
	Alone   int64 `json:"alone"`
	Overlap int64 `json:"overlap"`
}

// Turns distinguishes a process that serves one call at a time from one that works on several.
type Turns struct {
	// Calls during which no other call was open, the sum of their durations, and the longest duration, in milliseconds.
	Alone   int64   `json:"alone"`
	AloneMS float64 `json:"aloneMs"`
	MaxMS   float64 `json:"maxMs"`
	// Calls that were sent while another call was open and then waited for its answer. GapMS is the sum of the times between that answer and
	// their own.
	Behind int64   `json:"behind"`
	GapMS  float64 `json:"gapMs"`
	// Calls that were answered before a call that had been sent earlier.
	Overtook int64 `json:"overtook"`
}

// Silence describes one or more processes that have stopped answering.
type Silence struct {
	Processes int64 `json:"processes"`
	// Calls that were sent after the last answer and not answered in time.
	Unanswered int64 `json:"unanswered"`
	// When the first of the processes gave its last answer or, if it gave none, was started; Unix time in milliseconds.
	Since int64 `json:"since"`
	// The first two calls that overlapped after that: when the second one was sent, how many calls were open then, how long the oldest one had
	// been open (in milliseconds), and its operation. All are zero if no calls overlapped.
	OverlapAt int64   `json:"overlapAt,omitempty"`
	Open      int     `json:"open,omitempty"`
	OpenMS    float64 `json:"openMs,omitempty"`
	Operation string  `json:"operation,omitempty"`
}

// processRecord collects Processes.
type processRecord struct {
	sync.Mutex
	Processes
}

// record is the record of this k6 process.
var record processRecord

// count increments a counter of the record.
func (r *processRecord) count(number *int64) {
	r.Lock()
	defer r.Unlock()
	*number++
}

// StdioProcesses returns the summary of the server processes. It is nil if none was started.
func StdioProcesses() *Processes {
	record.Lock()
	found := record.Processes
	found.Turns = maps.Clone(found.Turns)
	record.Unlock()
	if found.Starts == 0 {
		return nil
	}
	running.Range(func(one, _ any) bool {
		found.add(one.(*process))
		return true
	})
	return &found
}

// add adds the silence and the lost calls of a process.
func (r *Processes) add(p *process) {
	p.guard.Lock()
	defer p.guard.Unlock()
	r.Silent = r.Silent.with(p.silence)
	for _, call := range p.working {
		if p.isLost(call) {
			r.Lost.count(call.isShared)
		}
	}
}

// isLost reports whether an abandoned call was sent before a call that has been answered since. The caller holds the guard.
func (p *process) isLost(call *workingCall) bool {
	return call.isGivenUp && call.sent.Before(p.answeredSent)
}

func (b *ByOverlap) count(isShared bool) {
	if isShared {
		b.Overlap++
	} else {
		b.Alone++
	}
}

// with returns the silence together with that of one more process.
func (s *Silence) with(other Silence) *Silence {
	if other.Unanswered == 0 {
		return s
	}
	other.Processes = 1
	if s == nil {
		return &other
	}
	sum := *s
	if other.Since < s.Since {
		sum = other
	}
	sum.Processes, sum.Unanswered = s.Processes+1, s.Unanswered+other.Unanswered
	return &sum
}

// workingCall is a call that a process presumably works on.
type workingCall struct {
	operation  string
	isMeasured bool
	sent       time.Time
	// Another call was open when this one was sent (isBehind), or at any time while it was open (isShared).
	isBehind, isShared bool
	// The client has stopped waiting for the answer.
	isGivenUp bool
}

// begin records that a call is about to be sent.
func (p *process) begin(number int64, call *workingCall) {
	p.guard.Lock()
	defer p.guard.Unlock()
	call.sent = time.Now()
	oldest, open := call, 1
	for _, other := range p.working {
		if p.isLost(other) {
			continue
		}
		open++
		other.isShared, call.isShared, call.isBehind = true, true, true
		if other.sent.Before(oldest.sent) {
			oldest = other
		}
	}
	if call.isBehind && p.silence.OverlapAt == 0 {
		p.silence.OverlapAt, p.silence.Open = call.sent.UnixMilli(), open
		p.silence.OpenMS, p.silence.Operation = milliseconds(call.sent.Sub(oldest.sent)), oldest.operation
	}
	p.working[number] = call
}

// answer records that the process answered a call. The caller holds the guard.
func (p *process) answer(number int64, at time.Time) {
	call := p.working[number]
	if call == nil {
		return
	}
	delete(p.working, number)
	overtook := false
	for _, other := range p.working {
		overtook = overtook || !p.isLost(other) && other.sent.Before(call.sent)
	}
	before := p.lastAnswer
	p.silence, p.lastAnswer = Silence{Since: at.UnixMilli()}, at
	if p.answeredSent.Before(call.sent) {
		p.answeredSent = call.sent
	}
	record.Lock()
	defer record.Unlock()
	record.Answered.count(call.isShared)
	if call.isGivenUp {
		record.Late++
	}
	if !call.isMeasured || call.operation == "" {
		return
	}
	if record.Turns == nil {
		record.Turns = make(map[string]Turns)
	}
	if known, isKnown := record.Turns[call.operation]; isKnown || len(record.Turns) < maxOverlapping {
		record.Turns[call.operation] = known.with(call, at, before, overtook)
	}
}

// giveUp records that the client no longer waits for a call. isTold is set if the process was notified, isLate if the call's time is over. The
// caller holds the guard.
func (p *process) giveUp(number int64, isTold, isLate bool) {
	call := p.working[number]
	if call == nil {
		return
	}
	call.isGivenUp = true
	if isLate && call.sent.UnixMilli() >= p.silence.Since {
		p.silence.Unanswered++
	}
	if isTold || !isLate || len(p.working) > maxWorking {
		delete(p.working, number)
	}
}

// with returns the turns with an answered call added. before is when the process gave its previous answer.
func (t Turns) with(call *workingCall, at, before time.Time, overtook bool) Turns {
	took := milliseconds(at.Sub(call.sent))
	switch {
	case !call.isShared:
		t.Alone++
		t.AloneMS += took
		t.MaxMS = max(t.MaxMS, took)
	case overtook:
		t.Overtook++
	case call.isBehind && before.After(call.sent):
		t.Behind++
		t.GapMS += milliseconds(at.Sub(before))
	}
	return t
}
