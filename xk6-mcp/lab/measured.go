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

// measured is the document that is written at the end of a run. A run without one has failed, regardless of k6's exit code.
type measured struct {
	Schema string `json:"schema"`
	// Unix times in milliseconds.
	Began int64 `json:"began"`
	Ended int64 `json:"ended"`
	End   end   `json:"end"`
	// The script's description of its test, unchanged.
	Plan json.RawMessage `json:"plan,omitempty"`
	// The servers that the script connected to.
	Servers []mcp.Server `json:"servers,omitempty"`
	// Server processes (stdio).
	Processes *mcp.Processes `json:"processes,omitempty"`
	Streams   *mcp.Streams   `json:"streams,omitempty"`
	// Number of CPUs that this process may use, as limited by its affinity, its cgroup's quota and GOMAXPROCS.
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

// threshold is a threshold of the script, and k6's verdict on it.
type threshold struct {
	Metric string `json:"metric"`
	Source string `json:"threshold"`
	Passed bool   `json:"passed"`
	Aborts bool   `json:"aborts,omitempty"`
	// Without samples, k6 considers the threshold passed.
	HasSamples bool `json:"hasSamples"`
	// For a Rate, so that the thresholds of several runs can be judged together.
	Share *share `json:"share,omitempty"`
	// For a Counter or a Gauge.
	Value *float64 `json:"value,omitempty"`
}

// reasons are the names of k6's abort reasons.
var reasons = map[errext.AbortReason]string{
	errext.AbortedByUser: "signal", errext.AbortedByThreshold: "threshold", errext.AbortedByThresholdsAfterTestEnd: "finished",
	errext.AbortedByScriptError: "exception", errext.AbortedByScriptAbort: "abort", errext.AbortedByTimeout: "timeout",
	errext.AbortedByOutput: "output",
}

// maxMessage is the maximum length of a message, in bytes. lib/abort.js limits its reasons to 2,000 characters.
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

// writeMeasured writes the document to a temporary file, and renames it once it is complete.
func (o *Output) writeMeasured(testError error) error {
	document := measured{
		Schema: "mcp-load-lab/measured/2",
		Began:  o.began.UnixMilli(), Ended: time.Now().UnixMilli(), End: endOf(testError),
		Plan: o.plan, Servers: mcp.Servers(), Processes: mcp.StdioProcesses(), Streams: mcp.HeldByClients(), Cores: runtime.GOMAXPROCS(0), ClockJumps: o.self.jumps, run: o.ledger.total,
		Clients: o.ledger.clients.totals(), Groups: []groupTotal{}, Thresholds: o.thresholds(),
	}
	for number, key := range o.ledger.groups {
		document.Groups = append(document.Groups, groupTotal{key, o.ledger.totals[number]})
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

// inASCII returns the same JSON in ASCII only. It may contain names chosen by a server, and a terminal would interpret some characters in them.
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

// thresholds returns the script's thresholds, as k6 last evaluated them.
func (o *Output) thresholds() []threshold {
	all := []threshold{}
	for _, metric := range o.registry.All() {
		all = append(all, thresholdsOf(metric)...)
		for _, sub := range metric.Submetrics {
			all = append(all, thresholdsOf(sub.Metric)...)
		}
	}
	// The registry returns metrics in random order.
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

// finite returns nil for values that JSON cannot represent.
func finite(value float64) *float64 {
	if math.IsInf(value, 0) || math.IsNaN(value) {
		return nil
	}
	return &value
}
