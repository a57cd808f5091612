package lab

import (
	"compress/gzip"
	"encoding/csv"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"go.k6.io/k6/v2/metrics"

	mcp "mcp-load-lab/xk6-mcp"
)

// recorded has the names that metrics had in a recorded run, where they are others now.
var recorded = map[string]string{"mcp_refused": "rejected", "mcp_further_requests": "additionalRequests"}

// ofScripts are the metrics that scripts had, by their types.
var ofScripts = map[string]metrics.MetricType{
	"mcp_items": metrics.Counter, "mcp_exceptions": metrics.Counter, "mcp_step_iterations": metrics.Counter,
	"mcp_started_seconds": metrics.Gauge, "mcp_phase_start_seconds": metrics.Gauge, "mcp_phase_end_seconds": metrics.Gauge,
	"mcp_sequence_duration": metrics.Trend,
}

// TestReplay counts samples that runs once had: of REPLAY_FROM/*/samples.csv.gz it makes REPLAY_TO/*/measured.json and seconds.jsonl. What is
// in them is compared by tests/recorded.
func TestReplay(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(os.Getenv("REPLAY_FROM"), "*", "samples.csv.gz"))
	if len(files) == 0 {
		t.Skip("REPLAY_FROM has no recorded runs")
	}
	for _, file := range files {
		replay(t, file, filepath.Join(os.Getenv("REPLAY_TO"), filepath.Base(filepath.Dir(file))))
	}
}

func replay(t *testing.T, file, folder string) {
	t.Helper()
	f := newFixture(t, folder, "disabled")
	if err := f.open(); err != nil {
		t.Fatal(err)
	}
	defer f.starts.Close()
	known := f.recordedMetrics()
	var last int64
	for _, row := range rowsOf(t, file) {
		metric := known[row[0]]
		milliseconds, timeErr := strconv.ParseInt(row[1], 10, 64)
		value, valueErr := strconv.ParseFloat(row[2], 64)
		tags, tagsErr := url.ParseQuery(row[4])
		if timeErr != nil || valueErr != nil || tagsErr != nil {
			t.Fatalf("%s: %q is no sample", file, row)
		}
		if metric == nil {
			continue
		}
		words := []string{"scenario", row[3]}
		for name := range tags {
			words = append(words, name, tags.Get(name))
		}
		last = max(last, milliseconds/1000)
		f.add(time.UnixMilli(milliseconds), metric, value, words...)
	}
	f.flush(last+1, time.UnixMilli(0))
	if err := f.close(nil); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) recordedMetrics() map[string]*metrics.Metric {
	all := map[string]*metrics.Metric{
		"iterations": f.builtin.Iterations, "dropped_iterations": f.builtin.DroppedIterations, "vus": f.builtin.VUs, "vus_max": f.builtin.VUsMax,
		"iteration_duration": f.builtin.IterationDuration, "data_sent": f.builtin.DataSent, "data_received": f.builtin.DataReceived,
	}
	for key, of := range mcp.Names.Metrics {
		all[of.Name] = f.metric(key)
	}
	for name, key := range recorded {
		all[name] = f.metric(key)
	}
	for name, kind := range ofScripts {
		all[name] = mcp.Registry().MustNewMetric(name, kind)
	}
	return all
}

// rowsOf reads a recorded run's samples, without their header.
func rowsOf(t *testing.T, file string) [][]string {
	t.Helper()
	opened, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	unpacked, err := gzip.NewReader(opened)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(unpacked).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%s has no samples: %v", file, err)
	}
	return rows[1:]
}
