// Package lab implements the k6 output `lab`. It aggregates a run's samples, using constant memory: `-o lab=FOLDER` writes seconds.jsonl during
// the run, and measured.json at its end.
package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"

	mcp "mcp-load-lab/xk6-mcp"
)

const (
	flushEvery = 200 * time.Millisecond

	secondsFile  = "seconds.jsonl"
	measuredFile = "measured.json"
)

func init() {
	output.RegisterExtension("lab", func(params output.Params) (output.Output, error) { return newOutput(params) })
}

// Output implements the output lab.
type Output struct {
	output.SampleBuffer
	folder   string
	delivery delivery
	// The script's options.ext["mcp-load-lab"].
	plan json.RawMessage
	// k6 prints no summary, so it does not need the values of Trends.
	hasNoSummary bool
	builtin      *metrics.BuiltinMetrics
	registry     *metrics.Registry
	stopRun      func(error)

	began   time.Time
	seconds *os.File
	// Guards the ledger.
	counting sync.Mutex
	ledger   *ledger
	flusher  *output.PeriodicFlusher
	self     *self
	stopSelf func()
	starts   *mcp.Starts
	// Scenarios by name.
	scenarios map[string]*scenario
	failed    error
	signals   chan os.Signal
}

var _ interface {
	output.WithBuiltinMetrics
	output.WithTestRunStop
	output.WithStopWithTestError
} = &Output{}

func newOutput(params output.Params) (*Output, error) {
	if params.ConfigArgument == "" {
		return nil, errors.New("output lab: expected a folder, -o lab=FOLDER")
	}
	return &Output{
		folder: params.ConfigArgument, delivery: deliveryOf(params), plan: params.ScriptOptions.External["mcp-load-lab"], hasNoSummary: params.RuntimeOptions.SummaryMode.String == "disabled",
		scenarios: scenariosOf(params.ScriptOptions),
	}, nil
}

// Description implements output.Output.
func (o *Output) Description() string { return "lab (" + o.folder + ")" }

// SetBuiltinMetrics implements output.WithBuiltinMetrics.
func (o *Output) SetBuiltinMetrics(builtin *metrics.BuiltinMetrics) { o.builtin = builtin }

// SetTestRunStopCallback implements output.WithTestRunStop.
func (o *Output) SetTestRunStopCallback(stop func(error)) { o.stopRun = stop }

// Start implements output.Output.
func (o *Output) Start() error {
	if err := o.open(); err != nil {
		return err
	}
	// A signal that arrives while outputs are stopped would end k6 before the file is written.
	o.signals = make(chan os.Signal, 1)
	signal.Notify(o.signals, os.Interrupt, syscall.SIGTERM)
	o.stopSelf = o.watchSelf()
	var err error
	o.flusher, err = output.NewPeriodicFlusher(flushEvery, func() { o.flush(time.Now().Unix() - secondsKept) })
	return err
}

// open creates the folder and the file of seconds, and prepares the counting.
func (o *Output) open() error {
	if o.registry = mcp.Registry(); o.registry == nil {
		return errors.New("output lab: it measures calls of k6/x/mcp, which the script does not import")
	}
	if err := os.MkdirAll(o.folder, 0o750); err != nil {
		return fmt.Errorf("output lab: %w", err)
	}
	// Remove the file of an earlier run so that it is not mistaken for this run's.
	if err := os.Remove(o.measuredPath()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("output lab: %w", err)
	}
	var err error
	if o.seconds, err = os.Create(filepath.Join(o.folder, secondsFile)); err != nil {
		return fmt.Errorf("output lab: %w", err)
	}
	if o.hasNoSummary {
		o.discardTrends()
	}
	o.began = time.Now()
	o.self = newSelf(o.began)
	o.ledger = newLedger(o.seconds)
	o.ledger.counters = counters(o.registry)
	o.ledger.scenarios = o.scenarios
	o.countBuiltins()
	o.starts = mcp.CollectStarts()
	o.ledger.ofRun = o.runCounters()
	return nil
}

// discardTrends prevents k6 from keeping all values of Trends in memory. It does not change Trends with a threshold: with a foreign sink, k6
// would consider the threshold passed.
func (o *Output) discardTrends() {
	for _, metric := range o.registry.All() {
		if metric.Type == metrics.Trend && len(metric.Thresholds.Thresholds) == 0 {
			metric.Sink = discard{}
		}
	}
}

type discard struct{}

func (discard) Add(metrics.Sample)                      {}
func (discard) Format(time.Duration) map[string]float64 { return nil }
func (discard) IsEmpty() bool                           { return true }

func (o *Output) runCounters() map[*metrics.Metric]func(r *run, s *metrics.Sample) {
	return map[*metrics.Metric]func(r *run, s *metrics.Sample){
		o.builtin.VUs:    func(r *run, s *metrics.Sample) { r.VUs = max(r.VUs, int64(s.Value)) },
		o.builtin.VUsMax: func(r *run, s *metrics.Sample) { r.VUsMax = max(r.VUsMax, int64(s.Value)) },
		o.registry.Get(mcp.Names.Metrics["warmupRequests"].Name): func(r *run, s *metrics.Sample) { r.Warmup += int64(s.Value) },
	}
}

// countBuiltins adds counters for k6's own metrics.
func (o *Output) countBuiltins() {
	o.ledger.counters[o.builtin.DataSent] = func(c *counts, s *metrics.Sample) { c.BytesSent += int64(s.Value) }
	o.ledger.counters[o.builtin.DataReceived] = func(c *counts, s *metrics.Sample) { c.BytesReceived += int64(s.Value) }
	o.ledger.counters[o.builtin.Iterations] = func(c *counts, s *metrics.Sample) {
		c.Iterations += int64(s.Value)
		if in := o.scenarioOf(s); in != nil && in.isOver(s.Time) {
			c.Late += int64(s.Value)
		}
	}
	o.ledger.counters[o.builtin.DroppedIterations] = func(c *counts, s *metrics.Sample) { c.Dropped += int64(s.Value) }
}

func (o *Output) scenarioOf(s *metrics.Sample) *scenario {
	name, _ := s.Tags.Get("scenario")
	return o.scenarios[name]
}

func (o *Output) countStarts(starts []mcp.Start) {
	for _, start := range starts {
		if s := o.scenarios[start.Scenario]; s != nil {
			o.ledger.at(start.Time.Unix()).countsOf(o.ledger.numberOf(s.phase)).Started++
			s.began = start.ScenarioStart
		}
	}
}

// watchSelf records the CPU time and the timer lateness of this process until the returned function is called.
func (o *Output) watchSelf() (stop func()) {
	stopped, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		o.self.watch(stopped, func(late, used time.Duration) {
			o.counting.Lock()
			defer o.counting.Unlock()
			current := o.ledger.at(time.Now().Unix())
			current.TimerLateness.count(metrics.D(late))
			current.CPUMicroseconds += used.Microseconds()
		})
	}()
	return func() {
		close(stopped)
		<-over
	}
}

// flush counts the buffered samples, and writes the seconds before a time.
func (o *Output) flush(before int64) {
	o.counting.Lock()
	defer o.counting.Unlock()
	o.countStarts(o.starts.Drain())
	o.ledger.count(o.GetBufferedSamples())
	if err := o.ledger.write(before); err != nil && o.failed == nil {
		o.failed = fmt.Errorf("output lab: %w", err)
		o.stopRun(o.failed)
	}
}

// Stop implements output.Output.
func (o *Output) Stop() error { return o.StopWithTestError(nil) }

// StopWithTestError implements output.WithStopWithTestError.
func (o *Output) StopWithTestError(testError error) error {
	// A run is not over while its servers are still running.
	defer mcp.EndProcesses()
	defer signal.Stop(o.signals)
	o.stopSelf()
	o.flusher.Stop()
	o.starts.Close()
	// Write everything: the clock may have been set back.
	o.flush(math.MaxInt64)
	return o.close(testError)
}

func (o *Output) close(testError error) error {
	if err := errors.Join(o.failed, o.seconds.Sync(), o.seconds.Close()); err != nil {
		return err
	}
	if err := o.writeMeasured(testError); err != nil {
		return err
	}
	return o.delivery.send(o.folder)
}
