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

// A second is written when it is so old: samples are a little late.
const secondsKept = 2

// second is what began in one. A call that is answered after its second was written opens it again: lines of the same second add up.
type second struct {
	At int64 `json:"at"`
	run
	// By the number of its group.
	Groups map[int]*counts `json:"groups,omitempty"`
}

// run is what is counted once for all groups.
type run struct {
	// The most that were active, and that there were.
	VUs    int64 `json:"vus"`
	VUsMax int64 `json:"vusMax"`
	Warmup int64 `json:"warmup"`
	// How late a timer of this process came, in milliseconds: what kept it busy, or kept it from the processor.
	TimerLateness histogram `json:"timerLateness,omitempty"`
	// What this process used of processors.
	CPUMicroseconds int64 `json:"cpuMicroseconds,omitempty"`
}

func (r *run) add(other *run) {
	r.VUs = max(r.VUs, other.VUs)
	r.VUsMax = max(r.VUsMax, other.VUsMax)
	r.Warmup += other.Warmup
	r.TimerLateness.add(other.TimerLateness)
	r.CPUMicroseconds += other.CPUMicroseconds
}

// ledger counts samples, second by second, and all together.
type ledger struct {
	out      *bufio.Writer
	counters map[*metrics.Metric]func(c *counts, s *metrics.Sample)
	// What is counted once for all groups.
	ofRun map[*metrics.Metric]func(r *run, s *metrics.Sample)

	// By name.
	scenarios map[string]*scenario

	numbers map[group]int
	groups  []group
	// The number of each set of tags that was met.
	known map[*metrics.TagSet]int

	open map[int64]*second
	// The seconds before it have been written.
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

// at returns the second that is open for a time, which opens it.
func (l *ledger) at(unix int64) *second {
	found := l.open[unix]
	if found == nil {
		found = &second{At: unix, run: run{TimerLateness: histogram{}}, Groups: map[int]*counts{}}
		l.open[unix] = found
	}
	return found
}

// of returns the counts of a group.
func (s *second) of(number int) *counts {
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
				add(l.at(sample.Time.Unix()).of(l.number(sample.Tags)), &sample)
			}
		}
	}
}

// countRequest counts a request in the second in which its call began, and its answer in the one in which that came.
func (l *ledger) countRequest(request *mcp.Request) {
	began := request.Began.Unix()
	number := l.number(request.Samples[0].Tags)
	of := l.at(began).of(number)
	for index := range request.Samples {
		sample := request.Samples[index]
		// The time of a sample is that of the request's end.
		sample.Time = request.Began
		if add := l.counterOf(sample.Metric); add != nil {
			add(of, &sample)
		}
	}
	if request.IsCall && request.Outcome == mcp.Names.Outcomes.OK {
		of.wentWell(request.Began)
	}
	if request.ClosesConnection {
		of.ClosedConnections++
	}
	if request.IsFollowUp {
		of.FollowUps++
	}
	if request.IsInterrupted {
		of.interruptedAt([2]int64{request.Began.UnixMilli(), request.Began.UnixMilli()})
	}
	if !request.IsCall {
		return
	}
	l.totals[number].addParts(request.Parts)
	l.totals[number].Overlaps.count(request)
	l.clients.count(request)
	if request.Outcome != mcp.Names.Outcomes.Unanswered {
		l.at(request.Ended.Unix()).of(number).Answered[request.Outcome]++
	}
}

// counterOf returns what adds a metric to the counts of a group; nil: it is one of k6's that nobody wants.
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

// number returns that of a sample's group.
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

// numberOf returns that of a group, and makes a new one known in the file.
func (l *ledger) numberOf(of group) int {
	number, ok := l.numbers[of]
	if !ok {
		if len(l.groups) >= maxGroups {
			of = group{}
		}
		if number, ok = l.numbers[of]; !ok {
			number = len(l.groups)
			l.numbers[of] = number
			l.groups = append(l.groups, of)
			l.totals = append(l.totals, newCounts())
			l.line(struct {
				Group int `json:"group"`
				group
			}{number, of})
		}
	}
	return number
}

// write writes the seconds before a time, each as a line. Those that were opened again are written once a second.
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
		for number, of := range done.Groups {
			l.totals[number].add(of)
		}
		if at < written {
			// The line before it has what is counted once for all groups.
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

// line writes one, whose error the next flush returns.
func (l *ledger) line(value any) {
	text, _ := json.Marshal(value)
	_, _ = l.out.Write(append(inASCII(text), '\n'))
}
