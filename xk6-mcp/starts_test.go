package mcp

import (
	"context"
	"net/http"
	"testing"
	"time"

	"go.k6.io/k6/v2/lib"
)

func TestStarts(t *testing.T) {
	f := newFixture(t, modern(func(w http.ResponseWriter, r received) { writeJSON(w, reply(r.id(), `{}`)) }))
	f.init("const client = new StreamableHTTPClient({ base_url: url });")
	f.run("client.ping()")
	starts := CollectStarts()
	began := time.Now()
	iterate := func() {
		f.state.Iteration++
		f.run("client.ping(); client.ping();")
	}
	// setup is not part of a scenario.
	if iterate(); len(starts.Drain()) != 0 {
		t.Error("what is in no scenario has begun")
	}
	ctx, cancel := context.WithCancel(f.VU.CtxField)
	f.VU.CtxField = lib.WithScenarioState(ctx, &lib.ScenarioState{Name: "s", StartTime: began})
	iterate()
	iterate()
	got := starts.Drain()
	if len(got) != 2 || got[0].Scenario != "s" || got[0].ScenarioStart != began || got[0].Time.Before(began) {
		t.Errorf("got %+v", got)
	}
	cancel()
	if iterate(); len(starts.Drain()) != 0 {
		t.Error("an iteration has begun that was cut off before")
	}
	f.VU.CtxField = lib.WithScenarioState(context.Background(), &lib.ScenarioState{Name: "s", StartTime: began})
	starts.Close()
	if iterate(); len(starts.Drain()) != 0 {
		t.Error("starts are kept that nobody takes")
	}
}
