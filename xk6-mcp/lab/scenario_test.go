package lab

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/lib/types"
	"gopkg.in/guregu/null.v3"

	mcp "mcp-load-lab/xk6-mcp"
)

func TestStartsDropsAndLateEndsAreCounted(t *testing.T) {
	f := newFixture(t, t.TempDir(), "disabled")
	config, loop := executor.NewConstantArrivalRateConfig("s"), executor.NewConstantVUsConfig("loop")
	config.Rate, config.Duration = null.IntFrom(10), types.NullDurationFrom(time.Second)
	config.PreAllocatedVUs, config.MaxVUs = null.IntFrom(6), null.IntFrom(6)
	config.Tags = map[string]string{"phase": "load"}
	f.scenarios = scenariosOf(lib.Options{Scenarios: lib.ScenarioConfigs{"s": config, "loop": loop}})
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	f.counting.Lock()
	for _, at := range []time.Duration{30, 330, 230} {
		f.countStarts([]mcp.Start{
			{Scenario: "s", Time: now.Add(at * time.Millisecond), ScenarioStart: now},
			{Scenario: "loop", Time: now, ScenarioStart: now},
		})
	}
	f.counting.Unlock()
	f.add(now.Add(101*time.Millisecond), f.builtin.DroppedIterations, 1, "scenario", "s")
	f.add(now.Add(900*time.Millisecond), f.builtin.Iterations, 1, "scenario", "s", "phase", "load")
	f.add(now.Add(1100*time.Millisecond), f.builtin.Iterations, 1, "scenario", "s", "phase", "load")
	if err := f.Stop(); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(f.measuredPath())
	var document struct {
		Groups []struct {
			Phase                              string
			Started, Dropped, Iterations, Late int64
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for _, of := range document.Groups {
		isRight := of.Started == 3 && of.Dropped == 0
		if of.Phase == "load" {
			isRight = of.Started == 3 && of.Dropped == 1 && of.Iterations == 2 && of.Late == 1
		}
		if !isRight {
			t.Errorf("got %+v", of)
		}
	}
	mcp.CollectStarts().Close()
}
