package lab

import (
	"math"

	"go.k6.io/k6/v2/metrics"
)

// other holds a group's values of a metric that has no field in counts: one of the script, or an additional one of the client.
type other struct {
	// For a Counter.
	Sum float64 `json:"sum,omitempty"`
	// For a Rate.
	Share *share `json:"share,omitempty"`
	// For a Gauge: its minimum and maximum.
	Range *[2]float64 `json:"range,omitempty"`
	// For a Trend.
	Values histogram `json:"values,omitempty"`
}

// builtins are the names of k6's own metrics. Only the ones that have a counter are counted.
var builtins = func() map[string]bool {
	registry := metrics.NewRegistry()
	metrics.RegisterBuiltinMetrics(registry)
	names := map[string]bool{}
	for _, metric := range registry.All() {
		names[metric.Name] = true
	}
	return names
}()

func (c *counts) other(name string) *other {
	if c.Metrics == nil {
		c.Metrics = map[string]*other{}
	}
	found := c.Metrics[name]
	if found == nil {
		found = &other{}
		c.Metrics[name] = found
	}
	return found
}

// countOther counts a sample of a metric that has no field in counts. It ignores infinite values, which JSON cannot represent.
func (c *counts) countOther(s *metrics.Sample) {
	if math.IsInf(s.Value, 0) {
		return
	}
	counted := c.other(s.Metric.Name)
	switch s.Metric.Type {
	case metrics.Counter:
		counted.Sum += s.Value
	case metrics.Rate:
		counted.add(&other{Share: &share{int64(metrics.B(s.Value != 0)), 1}})
	case metrics.Gauge:
		counted.add(&other{Range: &[2]float64{s.Value, s.Value}})
	case metrics.Trend:
		if counted.Values == nil {
			counted.Values = histogram{}
		}
		counted.Values.count(s.Value)
	}
}

func (o *other) add(more *other) {
	o.Sum += more.Sum
	if more.Share != nil {
		if o.Share == nil {
			o.Share = &share{}
		}
		o.Share.Trues += more.Share.Trues
		o.Share.Total += more.Share.Total
	}
	if more.Range != nil {
		if o.Range == nil {
			o.Range = &[2]float64{more.Range[0], more.Range[1]}
		}
		o.Range[0], o.Range[1] = min(o.Range[0], more.Range[0]), max(o.Range[1], more.Range[1])
	}
	if more.Values != nil {
		if o.Values == nil {
			o.Values = histogram{}
		}
		o.Values.add(more.Values)
	}
}
