package lab

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/lib/types"
	"go.k6.io/k6/v2/metrics"
	"gopkg.in/guregu/null.v3"

	mcp "mcp-load-lab/xk6-mcp"
)

func constant(rate int64) *executor.ConstantArrivalRateConfig {
	config := executor.NewConstantArrivalRateConfig("s")
	config.Rate, config.Duration = null.IntFrom(rate), types.NullDurationFrom(time.Minute)
	config.PreAllocatedVUs, config.MaxVUs = null.IntFrom(6), null.IntFrom(6)
	return config
}

// rampingTo takes pairs of a duration in seconds and a rate.
func rampingTo(startRate int64, stages ...int64) *executor.RampingArrivalRateConfig {
	config := executor.NewRampingArrivalRateConfig("s")
	config.StartRate = null.IntFrom(startRate)
	for index := 0; index < len(stages); index += 2 {
		duration := types.NullDurationFrom(time.Duration(stages[index]) * time.Second)
		config.Stages = append(config.Stages, executor.Stage{Duration: duration, Target: null.IntFrom(stages[index+1])})
	}
	config.PreAllocatedVUs, config.MaxVUs = null.IntFrom(6), null.IntFrom(6)
	return config
}

func tupleOf(t *testing.T, segment, sequence string) *lib.ExecutionTuple {
	t.Helper()
	own, err := lib.NewExecutionSegmentFromString(segment)
	all, sequenceErr := lib.NewExecutionSegmentSequenceFromString(sequence)
	tuple, tupleErr := lib.NewExecutionTuple(own, &all)
	if err != nil || sequenceErr != nil || tupleErr != nil {
		t.Fatal(err, sequenceErr, tupleErr)
	}
	return tuple
}

// The times are worked out by hand.
func TestPlans(t *testing.T) {
	for name, one := range map[string]struct {
		config            lib.ExecutorConfig
		segment, sequence string
		slots             []int64
		seconds           []float64
	}{
		"constant":           {constant(4), "", "", []int64{0, 1, 9}, []float64{0, 0.25, 2.25}},
		"a period that ends": {constant(3), "", "", []int64{3_000_000}, []float64{3_000_000 * 0.333333333}},
		"flat, then up":      {rampingTo(2, 5, 2, 5, 3), "", "", []int64{0, 9, 11, 21, 22, 23}, []float64{0.5, 5, 5 + 5*(math.Sqrt(4+0.4*2)-2), 5 + 5*(math.Sqrt(4+0.4*12)-2), math.Inf(1), math.Inf(1)}},
		"up from nothing":    {rampingTo(0, 10, 20), "", "", []int64{0, 3, 99, 100}, []float64{1, 2, 10, math.Inf(1)}},
		"down to nothing":    {rampingTo(20, 10, 0), "", "", []int64{0, 98, 99}, []float64{10 - math.Sqrt(99), 9, 10}},
		"a jump":             {rampingTo(1, 3, 1, 0, 10, 1, 10), "", "", []int64{2, 3, 12}, []float64{3, 3.1, 4}},
		"nothing meanwhile":  {rampingTo(0, 5, 0, 0, 2, 5, 2), "", "", []int64{0, 1}, []float64{5.5, 6}},
		"the first third":    {constant(1), "0:1/3", "0,1/3,1", []int64{0, 1, 2}, []float64{1, 4, 7}},
		"the other two":      {constant(1), "1/3:1", "0,1/3,1", []int64{0, 1, 2, 3}, []float64{0, 2, 3, 5}},
		"a ramp's half":      {rampingTo(0, 10, 20), "1/2:1", "0,1/2,1", []int64{0, 7}, []float64{math.Sqrt(2), 4}},
	} {
		planned := planOf(one.config, tupleOf(t, one.segment, one.sequence))
		for index, slot := range one.slots {
			if got := planned(slot) / 1e9; got != one.seconds[index] && math.Abs(got-one.seconds[index]) > 1e-6 {
				t.Errorf("%s: slot %d is at %v s; expected %v s", name, slot, got, one.seconds[index])
			}
		}
	}
	if planOf(executor.NewConstantVUsConfig("s"), tupleOf(t, "", "")) != nil {
		t.Error("VUs that loop have a plan")
	}
}

// k6's own loop over the slots of a segment, as it is in cal() of its ramping_arrival_rate.go.
func loopOfK6(config *executor.RampingArrivalRateConfig, tuple *lib.ExecutionTuple) (times []time.Duration) {
	start, offsets, _ := tuple.GetStripedOffsets()
	unit := float64(config.TimeUnit.Duration)
	from, i, doneSoFar, endCount := float64(config.StartRate.Int64)/unit, float64(start+1), 0.0, 0.0
	var stageStart time.Duration
	for _, stage := range config.Stages {
		to, dur := float64(stage.Target.Int64)/unit, float64(stage.Duration.Duration)
		endCount += dur * ((to-from)/2 + from)
		for ; i <= endCount; i += float64(offsets[(len(times)-1)%len(offsets)]) {
			x := (i - doneSoFar) / to
			if from != to {
				x = (from*dur - math.Sqrt(max(0, dur*(from*from*dur+2*(i-doneSoFar)*(to-from))))) / (from - to)
			}
			times = append(times, time.Duration(x)+stageStart)
		}
		doneSoFar, from = endCount, to
		stageStart += stage.Duration.TimeDuration()
	}
	return times
}

func TestRampsAreThoseOfK6(t *testing.T) {
	config := rampingTo(3, 7, 50, 5, 50, 0, 120, 4, 7, 3, 0, 2, 0, 5, 33)
	for _, segment := range []string{"0:1", "0:1/5", "1/5:1/2", "1/2:1"} {
		tuple := tupleOf(t, segment, map[bool]string{true: "", false: "0,1/5,1/2,1"}[segment == "0:1"])
		own, err := tuple.GetNewExecutionTupleFromValue(config.MaxVUs.Int64)
		if err != nil {
			t.Fatal(err)
		}
		planned, times := planOf(config, tuple), loopOfK6(config, own)
		for slot, at := range times {
			if got := planned(int64(slot)); got != float64(at) {
				t.Fatalf("%s: slot %d is at %v; expected %d", segment, slot, got, at)
			}
		}
		if len(times) < 50 || !math.IsInf(planned(int64(len(times))), 1) {
			t.Errorf("%s: there is a slot after %d", segment, len(times))
		}
	}
}

// simulation is what an output is told about a run, and how late its iterations were.
type simulation struct {
	starts []mcp.Start
	drops  []time.Time
	ends   []metrics.Sample
	late   []float64
}

// simulate is an executor of k6: iterations last so long that VUs are missing, and each works before its first call. stalls: how long k6 does
// not run, now and then
func simulate(planned plan, began time.Time, activation, duration, work, stalls time.Duration) (w simulation) {
	random := rand.New(rand.NewPCG(1, 2))
	vus := make([]float64, 6)
	var loop float64
	for slot := int64(0); !math.IsInf(planned(slot), 1) && planned(slot) < 30e9; slot++ {
		at := float64(activation) + planned(slot)
		loop = max(loop, at+random.ExpFloat64()*1e5)
		if slot%500 == 499 {
			loop += float64(stalls)
		}
		free := slices.IndexFunc(vus, func(until float64) bool { return until <= loop })
		if free < 0 {
			w.drops = append(w.drops, began.Add(time.Duration(loop)))
			continue
		}
		vus[free] = loop + float64(duration)*(0.8+0.4*random.Float64())
		start := loop + 5e4 + float64(work)*random.ExpFloat64()
		number := int64(len(w.late))
		w.late = append(w.late, (start-at)/1e6)
		w.ends = append(w.ends, metrics.Sample{Time: began.Add(time.Duration(vus[free])), Value: (vus[free] - loop) / 1e6})
		// Some iterations make no call.
		if number%50 == 7 {
			w.late = w.late[:number]
			w.late = append(w.late, -1)
			continue
		}
		w.starts = append(w.starts, mcp.Start{Scenario: "s", Number: number, Time: began.Add(time.Duration(start)), ScenarioStart: began})
	}
	return w
}

// latenessOf gives a scenario what happened, in steps of 200 ms and each in any order, and returns its lateness by number.
func latenessOf(s *scenario, w simulation) (late []float64) {
	last := w.starts[0].ScenarioStart
	for step := 1; step < 200; step++ {
		now := last.Add(200 * time.Millisecond)
		isNow := func(at time.Time) bool { return !at.Before(last) && at.Before(now) }
		for _, index := range rand.Perm(len(w.starts)) {
			if isNow(w.starts[index].Time) {
				s.addStart(w.starts[index])
			}
		}
		for _, at := range w.drops {
			if isNow(at) {
				s.addDrop(at)
			}
		}
		for _, end := range w.ends {
			if isNow(end.Time) {
				s.addEnd(&end)
			}
		}
		s.settle(now.Add(-settledAfter), func(_ time.Time, one time.Duration) { late = append(late, metrics.D(one)) })
		last = now
	}
	return late
}

func TestPairing(t *testing.T) {
	for name, one := range map[string]struct {
		config                             lib.ExecutorConfig
		activation, duration, work, stalls time.Duration
		minDropped                         float64
	}{
		"no drops":           {constant(200), 0, 20 * time.Millisecond, 2 * time.Millisecond, 0, 0},
		"drops":              {constant(200), 0, 45 * time.Millisecond, 0, 0, 0.3},
		"drops and work":     {constant(200), 0, 45 * time.Millisecond, 20 * time.Millisecond, 0, 0.3},
		"drops and stalls":   {constant(200), 0, 45 * time.Millisecond, 2 * time.Millisecond, 80 * time.Millisecond, 0.3},
		"a fast rate":        {constant(1000), 0, 9 * time.Millisecond, 3 * time.Millisecond, 0, 0.3},
		"a ramp":             {rampingTo(0, 10, 200, 15, 200, 5, 0), 7 * time.Millisecond, 45 * time.Millisecond, 2 * time.Millisecond, 0, 0.2},
		"a ramp with stalls": {rampingTo(0, 10, 200, 15, 200, 5, 0), 7 * time.Millisecond, 45 * time.Millisecond, 2 * time.Millisecond, 80 * time.Millisecond, 0.2},
	} {
		planned := planOf(one.config, tupleOf(t, "", ""))
		w := simulate(planned, time.Now(), one.activation, one.duration, one.work, one.stalls)
		truth := slices.DeleteFunc(w.late, func(late float64) bool { return late < 0 })
		s := scenariosOf(lib.Options{Scenarios: lib.ScenarioConfigs{"s": one.config}})["s"]
		late := latenessOf(s, w)
		if dropped := float64(len(w.drops)) / float64(len(w.drops)+len(w.ends)); dropped < one.minDropped || len(late) != len(truth) {
			t.Fatalf("%s: %.3f are dropped, %d of %d have a lateness", name, dropped, len(late), len(truth))
		}
		slices.Sort(truth)
		slices.Sort(late)
		for _, share := range []float64{0.5, 0.99, 1} {
			index := int(share * float64(len(truth)-1))
			t.Logf("%s: p%v: %.4f ms of %.4f ms", name, 100*share, late[index], truth[index])
			// A ramp's zero is known to a tenth of a millisecond.
			if off := math.Abs(late[index] - truth[index]); off > 0.02*truth[index] && (one.activation == 0 || off > 0.1) {
				t.Errorf("%s: p%v: got %.4f ms; expected %.4f ms", name, 100*share, late[index], truth[index])
			}
		}
	}
}

// What is kept is bounded; a start from before it has no lateness.
func TestDropsAreBounded(t *testing.T) {
	before := maxDrops
	defer func() { maxDrops = before }()
	maxDrops = 100
	config := constant(200)
	w := simulate(planOf(config, tupleOf(t, "", "")), time.Now(), 0, 45*time.Millisecond, 0, 0)
	options := lib.Options{Scenarios: lib.ScenarioConfigs{"s": config}}
	s := scenariosOf(options)["s"]
	if late := latenessOf(s, w); len(late) != len(w.starts) || cap(s.startedBefore) > 1000 || s.forgotten == 0 {
		t.Errorf("got %d of %d, %d are kept", len(late), len(w.starts), cap(s.startedBefore))
	}
	s.addStart(w.starts[0])
	s.settle(time.Now().Add(time.Hour), func(time.Time, time.Duration) { t.Error("the start of a slot that is forgotten has a lateness") })
	// Without starts nothing can be decided.
	s = scenariosOf(options)["s"]
	for range maxDrops + 1 {
		s.addDrop(time.Now())
	}
	if s.plan != nil || s.drops != nil {
		t.Error("drops are kept without end")
	}
	tags := metrics.SystemTagSet(0)
	options.SystemTags = &tags
	if scenariosOf(options)["s"].plan != nil {
		t.Error("drops cannot be of a scenario without the tag")
	}
}

func TestStartsAreCounted(t *testing.T) {
	f := newFixture(t, t.TempDir(), "disabled")
	config, loop := constant(10), executor.NewConstantVUsConfig("loop")
	config.Tags = map[string]string{"phase": "load"}
	f.scenarios = scenariosOf(lib.Options{Scenarios: lib.ScenarioConfigs{"s": config, "loop": loop}})
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	f.counting.Lock()
	for index, at := range []time.Duration{30, 330, 230} {
		number := []int64{0, 2, 1}[index]
		f.countStarts([]mcp.Start{
			{Scenario: "s", Number: number, Time: now.Add(at * time.Millisecond), ScenarioStart: now},
			{Scenario: "loop", Number: number, Time: now, ScenarioStart: now},
		})
	}
	f.counting.Unlock()
	f.add(now.Add(101*time.Millisecond), f.builtin.DroppedIterations, 1, "scenario", "s")
	time.Sleep(350 * time.Millisecond)
	if err := f.Stop(); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(f.measuredPath())
	var document struct {
		Groups []struct {
			Phase            string
			Started, Dropped int64
			Lateness         string
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for _, of := range document.Groups {
		values, counts := middles(t, of.Lateness)
		isRight := of.Started == 3 && of.Lateness == ""
		if of.Phase == "load" {
			isRight = of.Started == 3 && of.Dropped == 1 && len(values) == 1 && counts[0] == 3 && math.Abs(values[0]-30) < 0.1
		}
		if !isRight {
			t.Errorf("got %+v", of)
		}
	}
	mcp.CollectStarts().Close()
}
