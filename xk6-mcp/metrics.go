package mcp

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"go.k6.io/k6/v2/metrics"
)

// instanceMetrics are the metrics of names.json. The field names are the keys in names.json.
type instanceMetrics struct {
	Requests, RequestFailed, RequestDuration, RequestBlocked, RequestConnecting, RequestTLS, Slow, Failures, Rejected, AdditionalRequests,
	Abandoned, Interrupted, StreamsOpened, StreamsClosed, TimeToFirstEvent, EventGap, SessionDuration, SessionsExpired, WarmupRequests,
	CacheHits, RequestBytes, ResponseBytes, Compressed, Connections, Reconnections, KeepAlive, ProcessStarts, ProcessRestarts, ProcessExits,
	ProcessStartDuration, ProcessFirstAnswer, InvalidMessages, TaskDuration, TaskPolls, TasksAbandoned *metrics.Metric
}

func registerMetrics(registry *metrics.Registry) (*instanceMetrics, error) {
	registered := &instanceMetrics{}
	fields := reflect.ValueOf(registered).Elem()
	for key, name := range Names.Metrics {
		var kind metrics.MetricType
		if err := kind.UnmarshalText([]byte(name.Type)); err != nil {
			return nil, fmt.Errorf("%s: %w", name.Name, err)
		}
		valueType := metrics.Default
		if name.Unit == "ms" {
			valueType = metrics.Time
		}
		metric, err := registry.NewMetric(name.Name, kind, valueType)
		if err != nil {
			return nil, err
		}
		field := fields.FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, key) })
		field.Set(reflect.ValueOf(metric))
	}
	return registered, nil
}

// batch collects the samples of one request, which are sent to k6 together.
type batch struct {
	samples metrics.Samples
	tags    metrics.TagsAndMeta
	time    time.Time
}

func (b *batch) add(metric *metrics.Metric, value float64) { b.addTagged(metric, b.tags.Tags, value) }

func (b *batch) addTagged(metric *metrics.Metric, tags *metrics.TagSet, value float64) {
	b.samples = append(b.samples, metrics.Sample{
		TimeSeries: metrics.TimeSeries{Metric: metric, Tags: tags},
		Time:       b.time,
		Value:      value,
		Metadata:   b.tags.Metadata,
	})
}

func milliseconds(duration time.Duration) float64 { return metrics.D(duration) }
