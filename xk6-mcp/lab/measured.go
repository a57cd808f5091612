package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/metrics"

	mcp "mcp-load-lab/xk6-mcp"
)

// measured is the document at the end of a run. A run without one has failed, whatever k6's exit code says.
type measured struct {
	Schema string `json:"schema"`
	// Unix times in milliseconds.
	Began int64 `json:"began"`
	Ended int64 `json:"ended"`
	End   end   `json:"end"`
	// What the script says of its test, as it says it.
	Plan json.RawMessage `json:"plan,omitempty"`
	// Those that the script connected to.
	Servers []mcp.Server `json:"servers,omitempty"`
	// Of servers that are programs.
	Processes *mcp.Processes `json:"processes,omitempty"`
	Streams   *mcp.Streams   `json:"streams,omitempty"`
	// Processors that this process may use: as many as its affinity and its cgroup's quota allow, or GOMAXPROCS.
	Cores      int         `json:"cores"`
	ClockJumps []clockJump `json:"clockJumps,omitempty"`
	run
	Clients    *clientTotals `json:"clients,omitempty"`
	Groups     []groupTotal  `json:"groups"`
	Thresholds []threshold   `json:"thresholds"`
}

// end is how a run ended.
type end struct {
	Reason   string `json:"reason"`
	ExitCode int    `json:"exitCode"`
	Message  string `json:"message,omitempty"`
}

type groupTotal struct {
	group
	*counts
}

// threshold is one of the script's, and what k6 made of it.
type threshold struct {
	Metric string `json:"metric"`
	Source string `json:"threshold"`
	Passed bool   `json:"passed"`
	Aborts bool   `json:"aborts,omitempty"`
	// Without samples k6 takes it for passed.
	HasSamples bool `json:"hasSamples"`
	// Of a Rate, so that those of several runs can be judged together.
	Share *share `json:"share,omitempty"`
	// Of a Counter and a Gauge.
	Value *float64 `json:"value,omitempty"`
}

// reasons are k6's, by its own numbers for them.
var reasons = map[errext.AbortReason]string{
	errext.AbortedByUser: "signal", errext.AbortedByThreshold: "threshold", errext.AbortedByThresholdsAfterTestEnd: "finished",
	errext.AbortedByScriptError: "exception", errext.AbortedByScriptAbort: "abort", errext.AbortedByTimeout: "timeout",
	errext.AbortedByOutput: "output",
}

// maxMessage is in bytes. A reason of lib/abort.js has 2,000 characters.
const maxMessage = 8000

func endOf(testError error) end {
	if testError == nil {
		return end{Reason: "finished"}
	}
	ended := end{Reason: "error", ExitCode: 255, Message: testError.Error()}
	if len(ended.Message) > maxMessage {
		ended.Message = strings.ToValidUTF8(ended.Message[:maxMessage], "")
	}
	var withCode errext.HasExitCode
	if errors.As(testError, &withCode) {
		ended.ExitCode = int(withCode.ExitCode())
	}
	var withReason errext.HasAbortReason
	if errors.As(testError, &withReason) {
		ended.Reason = reasons[withReason.AbortReason()]
	}
	return ended
}

func (o *Output) measuredPath() string { return filepath.Join(o.folder, measuredFile) }

// writeMeasured writes the document next to its place, and moves it there when it is whole.
func (o *Output) writeMeasured(testError error) error {
	document := measured{
		Schema: "mcp-load-lab/measured/2",
		Began:  o.began.UnixMilli(), Ended: time.Now().UnixMilli(), End: endOf(testError),
		Plan: o.plan, Servers: mcp.Servers(), Processes: mcp.StdioProcesses(), Streams: mcp.HeldByClients(), Cores: runtime.GOMAXPROCS(0), ClockJumps: o.self.jumps, run: o.ledger.total,
		Clients: o.ledger.clients.totals(), Groups: []groupTotal{}, Thresholds: o.thresholds(),
	}
	for number, of := range o.ledger.groups {
		document.Groups = append(document.Groups, groupTotal{of, o.ledger.totals[number]})
	}
	text, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("output lab: %w", err)
	}
	text = inASCII(text)
	part := o.measuredPath() + ".part"
	file, err := os.Create(part)
	if err == nil {
		_, err = file.Write(append(text, '\n'))
		err = errors.Join(err, file.Sync(), file.Close())
	}
	if err == nil {
		err = os.Rename(part, o.measuredPath())
	}
	if err != nil {
		_ = os.Remove(part)
		return fmt.Errorf("output lab: %w", err)
	}
	return nil
}

// inASCII returns JSON that says the same: what a server named may be there, and a terminal would obey some of it.
func inASCII(text []byte) []byte {
	ascii := make([]byte, 0, len(text))
	for _, char := range string(text) {
		switch {
		case char < unicode.MaxASCII:
			ascii = append(ascii, byte(char))
		case char > math.MaxUint16:
			high, low := utf16.EncodeRune(char)
			ascii = fmt.Appendf(ascii, `\u%04x\u%04x`, high, low)
		default:
			ascii = fmt.Appendf(ascii, `\u%04x`, char)
		}
	}
	return ascii
}

// thresholds returns the script's, as k6 judged them last.
func (o *Output) thresholds() []threshold {
	all := []threshold{}
	for _, metric := range o.registry.All() {
		all = append(all, thresholdsOf(metric)...)
		for _, sub := range metric.Submetrics {
			all = append(all, thresholdsOf(sub.Metric)...)
		}
	}
	// k6 has its metrics in no order.
	slices.SortStableFunc(all, func(a, b threshold) int { return strings.Compare(a.Metric, b.Metric) })
	return all
}

func thresholdsOf(metric *metrics.Metric) []threshold {
	var all []threshold
	for _, one := range metric.Thresholds.Thresholds {
		found := threshold{
			Metric: metric.Name, Source: one.Source, Passed: !one.LastFailed, Aborts: one.AbortOnFail, HasSamples: !metric.Sink.IsEmpty(),
		}
		switch sink := metric.Sink.(type) {
		case *metrics.RateSink:
			found.Share = &share{sink.Trues, sink.Total}
		case *metrics.CounterSink:
			found.Value = finite(sink.Value)
		case *metrics.GaugeSink:
			found.Value = finite(sink.Value)
		}
		all = append(all, found)
	}
	return all
}

// finite returns nothing for what JSON has no number for.
func finite(value float64) *float64 {
	if math.IsInf(value, 0) || math.IsNaN(value) {
		return nil
	}
	return &value
}
