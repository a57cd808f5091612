package mcp

import (
	"maps"
	"sync"
	"time"
)

// maxWorking bounds the calls of a process that are followed although nobody waits for them.
const maxWorking = 10_000

// Processes says what became of the servers that are programs. It includes the warm-up.
type Processes struct {
	Starts int64 `json:"starts"`
	// Starts after the end of an earlier process, and processes that ended by themselves.
	Restarts int64 `json:"restarts"`
	Exits    int64 `json:"exits"`
	// Calls that were answered after the client had stopped waiting.
	Late int64 `json:"late,omitempty"`
	// Calls that were never answered although a later one was, and how many calls were answered: those during which no other call was open, and
	// the others.
	Lost     ByOverlap `json:"lost,omitzero"`
	Answered ByOverlap `json:"answered,omitzero"`
	// How answers to overlapping calls came, by operation. Measured calls only.
	Turns map[string]Turns `json:"turns,omitempty"`
	// Processes that gave no answer after their last one, though they lived; nil if there are none.
	Silent *Silence `json:"silent,omitempty"`
}

// ByOverlap counts calls.
type ByOverlap struct {
	Alone   int64 `json:"alone"`
	Overlap int64 `json:"overlap"`
}

// Turns tells a process that serves one call at a time from one that works on several.
type Turns struct {
	// Calls during which no other call was open, their durations added up, and the longest; milliseconds.
	Alone   int64   `json:"alone"`
	AloneMS float64 `json:"aloneMs"`
	MaxMS   float64 `json:"maxMs"`
	// Calls that were sent while another one was open and then waited for its answer; the times from the answer before theirs to theirs added up.
	Behind int64   `json:"behind"`
	GapMS  float64 `json:"gapMs"`
	// Calls that were answered before one that had been sent earlier.
	Overtook int64 `json:"overtook"`
}

// Silence is that of one or more processes.
type Silence struct {
	Processes int64 `json:"processes"`
	// Calls that were sent after the last answer and got none.
	Unanswered int64 `json:"unanswered"`
	// The first process to fall silent: its last answer, or its start; Unix time in milliseconds.
	Since int64 `json:"since"`
	// The first overlap of calls after that: when the second one was sent; calls that were open then; how long the first had been open, in
	// milliseconds; the operation of the first. All zero if no calls overlapped.
	OverlapAt int64   `json:"overlapAt,omitempty"`
	Open      int     `json:"open,omitempty"`
	OpenMS    float64 `json:"openMs,omitempty"`
	Operation string  `json:"operation,omitempty"`
}

// processRecord collects it.
type processRecord struct {
	sync.Mutex
	Processes
}

// record is that of this k6.
var record processRecord

// count adds one to a number of the record.
func (r *processRecord) count(number *int64) {
	r.Lock()
	defer r.Unlock()
	*number++
}

// StdioProcesses returns what became of the servers that are programs; nil if none was started.
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

// add adds what is left of a process.
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

// isLost tells whether a call that nobody waits for any more was sent before one that was answered. The caller holds the guard.
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

// with adds the silence of one more process.
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

// workingCall is a call that a process works on, as far as is known.
type workingCall struct {
	operation  string
	isMeasured bool
	sent       time.Time
	// Another call was open when it was sent, and while it was open.
	isBehind, isShared bool
	// Nobody waits for it any more.
	isGivenUp bool
}

// begin notes that a call is about to be sent.
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

// answer notes that the process answered a call. The caller holds the guard.
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

// giveUp notes that nobody waits for a call any more. isTold: the process knows. isLate: the time for an answer is over. The caller holds the guard.
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

// with adds a call that was answered. before: when the process gave the answer before
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
