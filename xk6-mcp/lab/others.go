package lab

import (
	"math"

	"go.k6.io/k6/v2/metrics"
)

// other is what a group has of a metric that is not the client's own: of a script, or of the client for those who want to know more.
type other struct {
	// Of a Counter.
	Sum float64 `json:"sum,omitempty"`
	// Of a Rate.
	Share *share `json:"share,omitempty"`
	// Of a Gauge: the least and the most that it was.
	Range *[2]float64 `json:"range,omitempty"`
	// Of a Trend.
	Values histogram `json:"values,omitempty"`
}

// builtins are the names of k6's own metrics: those that are wanted of them are counted by themselves.
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
	of := c.Metrics[name]
	if of == nil {
		of = &other{}
		c.Metrics[name] = of
	}
	return of
}

// countOther leaves out what JSON has no number for: a script may add 1/0.
func (c *counts) countOther(s *metrics.Sample) {
	if math.IsInf(s.Value, 0) {
		return
	}
	of := c.other(s.Metric.Name)
	switch s.Metric.Type {
	case metrics.Counter:
		of.Sum += s.Value
	case metrics.Rate:
		of.add(&other{Share: &share{int64(metrics.B(s.Value != 0)), 1}})
	case metrics.Gauge:
		of.add(&other{Range: &[2]float64{s.Value, s.Value}})
	case metrics.Trend:
		if of.Values == nil {
			of.Values = histogram{}
		}
		of.Values.count(s.Value)
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
