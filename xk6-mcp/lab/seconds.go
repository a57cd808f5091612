package lab

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"slices"

	"go.k6.io/k6/v2/metrics"

	mcp "mcp-load-lab/xk6-mcp"
)

// secondsKept is the age, in seconds, at which a second is written. Samples arrive slightly late.
const secondsKept = 2

// second holds what began in one second. A call that is answered after its second was written reopens it: lines of the same second add up.
type second struct {
	At int64 `json:"at"`
	run
	// By the number of the group.
	Groups map[int]*counts `json:"groups,omitempty"`
}

// run holds what is counted once for all groups.
type run struct {
	// The maximum number of active VUs and of allocated VUs.
	VUs    int64 `json:"vus"`
	VUsMax int64 `json:"vusMax"`
	Warmup int64 `json:"warmup"`
	// How late a timer of this process fired, in milliseconds. The process was busy or was not scheduled for that time.
	TimerLateness histogram `json:"timerLateness,omitempty"`
	// CPU time that this process used.
	CPUMicroseconds int64 `json:"cpuMicroseconds,omitempty"`
}

func (r *run) add(other *run) {
	r.VUs = max(r.VUs, other.VUs)
	r.VUsMax = max(r.VUsMax, other.VUsMax)
	r.Warmup += other.Warmup
	r.TimerLateness.add(other.TimerLateness)
	r.CPUMicroseconds += other.CPUMicroseconds
}

// ledger counts samples per second and for the whole run.
type ledger struct {
	out      *bufio.Writer
	counters map[*metrics.Metric]func(c *counts, s *metrics.Sample)
	// Counters of what is counted once for all groups.
	ofRun map[*metrics.Metric]func(r *run, s *metrics.Sample)

	// Scenarios by name.
	scenarios map[string]*scenario

	numbers map[group]int
	groups  []group
	// Caches the group number of each set of tags.
	known map[*metrics.TagSet]int

	open map[int64]*second
	// The seconds before this one have been written.
	before  int64
	total   run
	totals  []*counts
	clients clients
}

func newLedger(file *os.File) *ledger {
	return &ledger{
		out: bufio.NewWriter(file), numbers: map[group]int{}, known: map[*metrics.TagSet]int{}, open: map[int64]*second{},
		total: run{TimerLateness: histogram{}}, clients: clients{},
	}
}

// at returns a second, and opens it if it is not open.
func (l *ledger) at(unix int64) *second {
	found := l.open[unix]
	if found == nil {
		found = &second{At: unix, run: run{TimerLateness: histogram{}}, Groups: map[int]*counts{}}
		l.open[unix] = found
	}
	return found
}

// countsOf returns the counts of a group.
func (s *second) countsOf(number int) *counts {
	found := s.Groups[number]
	if found == nil {
		found = newCounts()
		s.Groups[number] = found
	}
	return found
}

func (l *ledger) count(containers []metrics.SampleContainer) {
	for _, container := range containers {
		if request, ok := container.(*mcp.Request); ok {
			l.countRequest(request)
			continue
		}
		for _, sample := range container.GetSamples() {
			if add := l.ofRun[sample.Metric]; add != nil {
				add(&l.at(sample.Time.Unix()).run, &sample)
			} else if add := l.counterOf(sample.Metric); add != nil {
				add(l.at(sample.Time.Unix()).countsOf(l.number(sample.Tags)), &sample)
			}
		}
	}
}

// countRequest counts a request in the second in which its call began, and its answer in the second in which it arrived.
func (l *ledger) countRequest(request *mcp.Request) {
	began := request.Began.Unix()
	number := l.number(request.Samples[0].Tags)
	counted := l.at(began).countsOf(number)
	for index := range request.Samples {
		sample := request.Samples[index]
		// The samples carry the time at which the request ended.
		sample.Time = request.Began
		if add := l.counterOf(sample.Metric); add != nil {
			add(counted, &sample)
		}
	}
	if request.IsCall && request.Outcome == mcp.Names.Outcomes.OK {
		counted.wentWell(request.Began)
	}
	if request.IsProtocol {
		counted.Protocol++
	}
	if request.ClosesConnection {
		counted.ClosedConnections++
	}
	if request.IsFollowUp {
		counted.FollowUps++
	}
	if request.IsInterrupted {
		counted.interruptedAt([2]int64{request.Began.UnixMilli(), request.Began.UnixMilli()})
	}
	if !request.IsCall {
		return
	}
	l.totals[number].addParts(request.Parts)
	l.totals[number].Overlaps.count(request)
	l.clients.count(request)
	if request.Outcome != mcp.Names.Outcomes.Unanswered {
		l.at(request.Ended.Unix()).countsOf(number).Answered[request.Outcome]++
	}
}

// counterOf returns the function that adds a metric to the counts of a group, or nil for a metric of k6 that is not counted.
func (l *ledger) counterOf(metric *metrics.Metric) func(c *counts, s *metrics.Sample) {
	add, known := l.counters[metric]
	if !known {
		if !builtins[metric.Name] {
			add = (*counts).countOther
		}
		l.counters[metric] = add
	}
	return add
}

// number returns the number of a sample's group.
func (l *ledger) number(tags *metrics.TagSet) int {
	number, ok := l.known[tags]
	if !ok {
		number = l.numberOf(groupOf(tags, l.scenarios))
		if len(l.known) > 10*maxGroups {
			clear(l.known)
		}
		l.known[tags] = number
	}
	return number
}

// numberOf returns the number of a group. A new group is written to the file.
func (l *ledger) numberOf(wanted group) int {
	number, ok := l.numbers[wanted]
	if !ok {
		if len(l.groups) >= maxGroups {
			wanted = group{}
		}
		if number, ok = l.numbers[wanted]; !ok {
			number = len(l.groups)
			l.numbers[wanted] = number
			l.groups = append(l.groups, wanted)
			l.totals = append(l.totals, newCounts())
			l.line(struct {
				Group int `json:"group"`
				group
			}{number, wanted})
		}
	}
	return number
}

// write writes each second before a time as a line. Seconds that were reopened are written once per second.
func (l *ledger) write(before int64) error {
	if before == l.before {
		return l.out.Flush()
	}
	written := l.before
	l.before = before
	for _, at := range slices.Sorted(maps.Keys(l.open)) {
		if at >= before {
			break
		}
		done := l.open[at]
		delete(l.open, at)
		l.total.add(&done.run)
		for number, counted := range done.Groups {
			l.totals[number].add(counted)
		}
		if at < written {
			// The values that are counted once for all groups were in its first line.
			l.line(struct {
				At     int64           `json:"at"`
				Groups map[int]*counts `json:"groups"`
			}{at, done.Groups})
		} else {
			l.line(done)
		}
	}
	return l.out.Flush()
}

// line writes one line. An error is returned by the next flush.
func (l *ledger) line(value any) {
	text, _ := json.Marshal(value)
	_, _ = l.out.Write(append(inASCII(text), '\n'))
}
