package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"
	"gopkg.in/guregu/null.v3"

	"go.k6.io/k6/v2/js/modulestest"

	mcp "mcp-load-lab/xk6-mcp"
)

// fixture is an output and the registry with a script's metrics.
type fixture struct {
	*Output
	t    *testing.T
	root *metrics.TagSet
}

func newFixture(t *testing.T, folder, summary string) *fixture {
	t.Helper()
	runtime := modulestest.NewRuntime(t)
	mcp.New().NewModuleInstance(runtime.VU)
	made, err := newOutput(output.Params{ConfigArgument: folder, RuntimeOptions: lib.RuntimeOptions{SummaryMode: null.StringFrom(summary)}})
	if err != nil {
		t.Fatal(err)
	}
	made.SetBuiltinMetrics(runtime.BuiltinMetrics)
	made.SetTestRunStopCallback(func(error) {})
	return &fixture{made, t, mcp.Registry().RootTagSet()}
}

func (f *fixture) metric(key string) *metrics.Metric {
	return mcp.Registry().Get(mcp.Names.Metrics[key].Name)
}

func (f *fixture) add(at time.Time, metric *metrics.Metric, value float64, tags ...string) {
	set := f.root
	for index := 0; index < len(tags); index += 2 {
		set = set.With(tags[index], tags[index+1])
	}
	sample := metrics.Sample{TimeSeries: metrics.TimeSeries{Metric: metric, Tags: set}, Time: at, Value: value}
	f.AddMetricSamples([]metrics.SampleContainer{sample})
}

func (f *fixture) measured() (document struct {
	End        end
	Groups     []map[string]any
	Thresholds []threshold
}) {
	text, err := os.ReadFile(filepath.Join(f.folder, "measured.json"))
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return document
}

func TestCounts(t *testing.T) {
	f := newFixture(t, t.TempDir(), "disabled")
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for index := range 30 {
		at := now.Add(time.Duration(index-20) * 100 * time.Millisecond)
		operation := []string{"a", "b"}[index%2]
		f.add(at, f.metric("requests"), 1, "phase", "load", "operation", operation)
		f.add(at, f.metric("requestDuration"), 10+float64(index), "phase", "load", "operation", operation)
		f.add(at, f.metric("requestFailed"), float64(index%2), "phase", "load", "operation", operation)
		f.add(at, f.metric("slow"), float64(index/15), "phase", "load", "operation", operation, "limit", "25")
		if index%2 == 1 {
			f.add(at, f.metric("failures"), 1, "phase", "load", "operation", operation, "kind", "timeout")
		}
		f.add(at, f.builtin.Iterations, 1, "phase", "load")
		f.add(at, f.builtin.DroppedIterations, float64(index%2), "phase", "load")
	}
	// A sample that arrives after its second was written.
	time.Sleep(300 * time.Millisecond)
	f.add(now.Add(-time.Hour), f.metric("requests"), 1, "scenario", "s", "operation", "late", "class", "read")
	if err := f.StopWithTestError(nil); err != nil {
		t.Fatal(err)
	}
	document := f.measured()
	if document.End.Reason != "finished" || len(document.Groups) != 4 {
		t.Errorf("got %+v", document)
	}
	for index, expected := range []string{
		`{"operation":"a","phase":"load","requests":15,"slow":{"25":{"total":15,"trues":7}}}`,
		`{"dropped":15,"iterations":30,"operation":"","phase":"load"}`,
		`{"failed":15,"failures":{"timeout":15},"operation":"b","phase":"load","requests":15,"slow":{"25":{"total":15,"trues":8}}}`,
		`{"class":"read","operation":"late","phase":"s","requests":1}`,
	} {
		total := document.Groups[index]
		durations, _ := total["durations"].(map[string]any)
		text, _ := durations["ok"].(string)
		delete(total, "durations")
		if times, ok := total["failedAt"].(map[string]any); ok {
			at, _ := times["timeout"].([]any)
			if len(at) != 2 || at[1].(float64)-at[0].(float64) != 2800 {
				t.Errorf("got %v", times)
			}
			delete(total, "failedAt")
		}
		if _, counts := middles(t, text); total["operation"] != "late" && total["operation"] != "" && len(counts) != 15 {
			t.Errorf("got %d durations", len(counts))
		}
		if got, _ := json.Marshal(total); string(got) != expected {
			t.Errorf("got %s; expected %s", got, expected)
		}
	}
	// The seconds add up to the total.
	text, _ := os.ReadFile(filepath.Join(f.folder, "seconds.jsonl"))
	requests, lines := 0.0, 0
	for line := range strings.Lines(string(text)) {
		var read struct {
			At     int64
			Group  *int
			Groups map[string]map[string]any
		}
		if err := json.Unmarshal([]byte(line), &read); err != nil || (read.Group == nil) == (read.At == 0) {
			t.Fatalf("got %s: %v", line, err)
		}
		lines++
		for _, of := range read.Groups {
			one, _ := of["requests"].(float64)
			requests += one
		}
	}
	if requests != 31 || lines < 4 {
		t.Errorf("got %v requests in %d lines", requests, lines)
	}
}

// A call counts in the second in which it began, and its answer in the second in which it arrived.
func TestSecondsOfRequests(t *testing.T) {
	f := newFixture(t, t.TempDir(), "disabled")
	if err := f.open(); err != nil {
		t.Fatal(err)
	}
	defer f.starts.Close()
	const start = 1_700_000_000
	at := func(second float64) time.Time { return time.UnixMilli(start*1000 + int64(second*1000)) }
	add := func(began, ended float64, outcome string) {
		tags := f.root.With("phase", "load").With("operation", "a")
		sample := func(key string, value float64, tags *metrics.TagSet) metrics.Sample {
			return metrics.Sample{TimeSeries: metrics.TimeSeries{Metric: f.metric(key), Tags: tags}, Time: at(ended), Value: value}
		}
		waited := time.Duration((ended - began) * float64(time.Second))
		f.AddMetricSamples([]metrics.SampleContainer{&mcp.Request{
			Samples: metrics.Samples{
				sample("requests", 1, tags), sample("requestDuration", metrics.D(waited), tags.With("outcome", outcome)),
			},
			Began: at(began), Ended: at(ended), IsCall: true, Outcome: outcome, Parts: mcp.Parts{Connecting: waited / 4, Waiting: 3 * waited / 4},
		}})
	}
	// In the order in which the calls end. Each flush comes 3 s after the second that it writes.
	add(0.1, 0.2, "ok")
	f.flush(start + 1)
	add(0.5, 3.5, "ok")
	add(0.6, 3.6, "failed")
	f.flush(start + 1)
	f.flush(start + 4)
	add(1, 11, "unanswered")
	f.flush(math.MaxInt64)
	if err := f.close(nil); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(filepath.Join(f.folder, "seconds.jsonl"))
	got := ""
	for line := range strings.Lines(string(text)) {
		var read struct {
			At     int64
			Vus    *int
			Groups map[int]struct {
				Requests  int
				Durations map[string]string
				Answered  map[string]int
			}
		}
		if err := json.Unmarshal([]byte(line), &read); err != nil || read.At == 0 {
			continue
		}
		of := read.Groups[0]
		got += fmt.Sprint(read.At-start, read.Vus != nil, of.Requests, of.Answered, len(of.Durations), "; ")
	}
	expected := "0 true 1 map[ok:1] 1; 0 false 2 map[] 2; 3 true 0 map[failed:1 ok:1] 0; 1 false 1 map[] 1; "
	if got != expected {
		t.Errorf("got %s; expected %s", got, expected)
	}
	total := f.measured().Groups[0]
	if parts, _ := json.Marshal(total["parts"]); string(parts) != `{"blocked":0,"connecting":4025,"receiving":0,"sending":0,"tls":0,"waiting":12075}` {
		t.Errorf("got %s", parts)
	}
	connected, _ := total["untilConnected"].(string)
	if _, counts := middles(t, connected); len(counts) < 3 {
		t.Errorf("got %s", connected)
	}
}

// Calls are counted by the operations in flight when they began, and failures by when their request began.
func TestOverlapsOfRequests(t *testing.T) {
	f := newFixture(t, t.TempDir(), "disabled")
	if err := f.open(); err != nil {
		t.Fatal(err)
	}
	defer f.starts.Close()
	const start = 1_700_000_000_000
	add := func(beganMs int64, outcome string, isSent bool, overlap mcp.Overlap) {
		tags := f.root.With("phase", "load").With("operation", "a")
		began := time.UnixMilli(start + beganMs)
		sample := func(key string, tags *metrics.TagSet) metrics.Sample {
			return metrics.Sample{TimeSeries: metrics.TimeSeries{Metric: f.metric(key), Tags: tags}, Time: began.Add(5 * time.Second), Value: 1}
		}
		samples := metrics.Samples{sample("requests", tags)}
		if outcome != "ok" {
			samples = append(samples, sample("failures", tags.With("kind", "timeout")))
		}
		f.AddMetricSamples([]metrics.SampleContainer{&mcp.Request{
			Samples: samples, Began: began, Ended: began, IsCall: true, Outcome: outcome, IsSent: isSent, Overlap: overlap,
		}})
	}
	add(100, "ok", true, 0)
	add(300, "unanswered", true, 0)
	add(700, "unanswered", true, 0)
	add(900, "unanswered", false, 0)
	f.flush(math.MaxInt64)
	if err := f.close(nil); err != nil {
		t.Fatal(err)
	}
	total := f.measured().Groups[0]
	overlaps, _ := json.Marshal(total["overlaps"])
	if string(overlaps) != `{"":{"at":[1700000000100,1700000000700],"calls":3,"failed":2}}` {
		t.Errorf("got %s", overlaps)
	}
	failedAt, _ := json.Marshal(total["failedAt"])
	if string(failedAt) != `{"timeout":[1700000000300,1700000000900]}` {
		t.Errorf("got %s", failedAt)
	}
}

func TestClockIsSetBack(t *testing.T) {
	f := newFixture(t, t.TempDir(), "disabled")
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	f.add(later, f.metric("requests"), 1, "phase", "load")
	f.flush(later.Unix() + 1)
	f.add(time.Now(), f.metric("requests"), 1, "phase", "load")
	if err := f.StopWithTestError(nil); err != nil {
		t.Fatal(err)
	}
	if groups := f.measured().Groups; len(groups) != 1 || groups[0]["requests"] != 2.0 {
		t.Errorf("got %v", groups)
	}
}

func TestMetricsOfScripts(t *testing.T) {
	f := newFixture(t, t.TempDir(), "disabled")
	made := map[metrics.MetricType]*metrics.Metric{}
	for kind, name := range map[metrics.MetricType]string{
		metrics.Counter: "items", metrics.Rate: "hits", metrics.Gauge: "depth", metrics.Trend: "wait",
	} {
		made[kind] = mcp.Registry().MustNewMetric(name, kind)
	}
	if err := f.open(); err != nil {
		t.Fatal(err)
	}
	for index, value := range []float64{2, 0, 1, math.Inf(1)} {
		// In different seconds, which are added up.
		at := time.Unix(int64(1000+index), 0)
		for _, metric := range made {
			f.add(at, metric, value, "phase", "load", "operation", "a")
		}
		f.add(at, f.builtin.DataSent, 75, "phase", "load")
		f.add(at, f.builtin.HTTPReqs, 1, "phase", "load")
	}
	f.flush(2000)
	if err := f.close(nil); err != nil {
		t.Fatal(err)
	}
	groups := f.measured().Groups
	of, _ := groups[0]["metrics"].(map[string]any)
	wait, _ := of["wait"].(map[string]any)
	text, _ := wait["values"].(string)
	if _, counts := middles(t, text); len(counts) != 3 {
		t.Errorf("got %s", text)
	}
	delete(of, "wait")
	got, _ := json.Marshal(groups)
	expected := `[{"metrics":{"depth":{"range":[0,2]},"hits":{"share":{"total":3,"trues":2}},"items":{"sum":3}},"operation":"a","phase":"load"},` +
		`{"bytesSent":300,"operation":"","phase":"load"}]`
	if string(got) != expected {
		t.Errorf("got %s; expected %s", got, expected)
	}
}

func TestGroupsAreBounded(t *testing.T) {
	f := newFixture(t, t.TempDir(), "disabled")
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	for index := range 20 * maxGroups {
		f.add(time.Now(), f.metric("requests"), 1, "operation", fmt.Sprint(index))
	}
	if err := f.Stop(); err != nil {
		t.Fatal(err)
	}
	groups := f.measured().Groups
	if last := groups[len(groups)-1]; len(groups) != maxGroups+1 || last["requests"] != 19_000.0 {
		t.Errorf("got %d groups, the last %v", len(groups), last)
	}
	if len(f.ledger.known) > 10*maxGroups+1 {
		t.Errorf("%d sets of tags are kept", len(f.ledger.known))
	}
}

// A Trend with a threshold keeps its values. The others do not if k6 prints no summary.
func TestTrends(t *testing.T) {
	for summary, kept := range map[string]bool{"disabled": false, "compact": true} {
		f := newFixture(t, t.TempDir(), summary)
		judged := f.metric("requestDuration")
		judged.Thresholds = metrics.NewThresholds([]string{"p(95)<1"})
		sub, err := f.metric("eventGap").AddSubmetric("operation:a")
		if err != nil {
			t.Fatal(err)
		}
		sub.Metric.Thresholds = metrics.NewThresholds([]string{"max<1"})
		if err := f.Start(); err != nil {
			t.Fatal(err)
		}
		for metric, expected := range map[*metrics.Metric]bool{judged: true, sub.Metric: true, f.metric("eventGap"): kept, f.builtin.IterationDuration: kept} {
			if _, isKept := metric.Sink.(*metrics.TrendSink); isKept != expected {
				t.Errorf("%s: %s is kept: %v", summary, metric.Name, isKept)
			}
		}
		_ = f.Stop()
	}
}

func TestThresholds(t *testing.T) {
	f := newFixture(t, t.TempDir(), "disabled")
	for key, source := range map[string]string{"slow": "rate<=0.01", "requests": "count>10", "requestDuration": "p(95)<1"} {
		f.metric(key).Thresholds = metrics.NewThresholds([]string{source})
	}
	sub, _ := f.metric("slow").AddSubmetric("operation:a")
	sub.Metric.Thresholds = metrics.NewThresholds([]string{"rate<0.5"})
	sub.Metric.Thresholds.Thresholds[0].LastFailed = true
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	for _, value := range []float64{1, 0, 0} {
		f.metric("slow").Sink.Add(metrics.Sample{Value: value})
	}
	f.metric("requests").Sink.Add(metrics.Sample{Value: 3, Time: time.Now()})
	if err := f.Stop(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range f.measured().Thresholds {
		text, _ := json.Marshal(one)
		got = append(got, string(text))
	}
	slices.Sort(got)
	expected := []string{
		`{"metric":"mcp_request_duration","threshold":"p(95)\u003c1","passed":true,"hasSamples":false}`,
		`{"metric":"mcp_requests","threshold":"count\u003e10","passed":true,"hasSamples":true,"value":3}`,
		`{"metric":"mcp_slow","threshold":"rate\u003c=0.01","passed":true,"hasSamples":true,"share":{"trues":1,"total":3}}`,
		`{"metric":"mcp_slow{operation:a}","threshold":"rate\u003c0.5","passed":false,"hasSamples":false,"share":{"trues":0,"total":0}}`,
	}
	if !slices.Equal(got, expected) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestEnds(t *testing.T) {
	for expected, err := range map[end]error{
		{Reason: "finished"}: nil,
		{"signal", 105, "x"}: errext.WithAbortReasonIfNone(errext.WithExitCodeIfNone(errors.New("x"), exitcodes.ExternalAbort), errext.AbortedByUser),
		{"finished", 99, "x"}: errext.WithAbortReasonIfNone(
			errext.WithExitCodeIfNone(errors.New("x"), exitcodes.ThresholdsHaveFailed), errext.AbortedByThresholdsAfterTestEnd),
		{"error", 110, "x"}: errext.WithExitCodeIfNone(errors.New("x"), exitcodes.MarkedAsFailed),
		{"error", 255, "x"}: errors.New("x"),
	} {
		if got := endOf(err); got != expected {
			t.Errorf("got %+v; expected %+v", got, expected)
		}
	}
	if got := endOf(errors.New(strings.Repeat("é", maxMessage))); len(got.Message) > maxMessage {
		t.Errorf("got %d bytes", len(got.Message))
	}
}

// If the files cannot be written, it is an error, and no document that says otherwise is left behind.
func TestFolders(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "measured.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, folder, "disabled")
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Error("the document of an earlier run is there while one goes on")
	}
	stopped := make(chan error, 1)
	f.SetTestRunStopCallback(func(err error) { stopped <- err })
	_ = f.seconds.Close()
	f.add(time.Now().Add(-time.Minute), f.metric("requests"), 1)
	if err := <-stopped; !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := f.Stop(); err == nil {
		t.Error("got no error")
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Error("there is a document")
	}
	if err := newFixture(t, filepath.Join(file, "x"), "disabled").Start(); err == nil && os.Getuid() != 0 {
		t.Error("got no error")
	}
	if _, err := newOutput(output.Params{}); err == nil || !strings.Contains(err.Error(), "expected a folder") {
		t.Errorf("got %v", err)
	}
}

func TestInASCII(t *testing.T) {
	for text, expected := range map[string]string{
		`{"a":"plain \" \u001b"}`: `{"a":"plain \" \u001b"}`, "\"\u009b31m\u202e\"": `"\u009b31m\u202e"`, "\"\U0001f600\x7f\"": `"\ud83d\ude00\u007f"`,
	} {
		if got := string(inASCII([]byte(text))); got != expected {
			t.Errorf("%q: got %s; expected %s", text, got, expected)
		}
	}
}
