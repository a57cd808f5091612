package mcp

import (
	"reflect"
	"testing"

	"go.k6.io/k6/v2/metrics"
)

// Each field has a metric in names.json. Without one it would be nil, and the run would panic.
func TestNames(t *testing.T) {
	registered, err := registerMetrics(metrics.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	fields := reflect.ValueOf(registered).Elem()
	for i := range fields.NumField() {
		if fields.Field(i).IsNil() {
			t.Errorf("names.json has no metric %s", fields.Type().Field(i).Name)
		}
	}
	if fields.NumField() != len(Names.Metrics) {
		t.Errorf("got %d fields for %d metrics", fields.NumField(), len(Names.Metrics))
	}
}
