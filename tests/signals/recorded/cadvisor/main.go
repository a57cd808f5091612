// cAdvisor's own manager and Prometheus collector, for the cgroups of this machine, at /metrics of 127.0.0.1. The
// program cadvisor itself is in no Go module that can be had by version; this is what it does, without its web pages.
// See ../record.
package main

import (
	"flag"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/google/cadvisor/lib/cache/memory"
	"github.com/google/cadvisor/lib/container"
	"github.com/google/cadvisor/lib/container/raw"
	"github.com/google/cadvisor/lib/manager"
	"github.com/google/cadvisor/lib/metrics"
	info "github.com/google/cadvisor/lib/model"
	"github.com/google/cadvisor/lib/utils/sysfs"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/utils/clock"
)

func main() {
	listen := flag.String("listen", "", "host:port")
	cgroups := flag.String("cgroups", "/", "prefixes of the cgroups to watch, with commas between")
	flag.Parse()

	kinds := container.MetricSet{
		container.CpuUsageMetrics:     struct{}{},
		container.MemoryUsageMetrics:  struct{}{},
		container.NetworkUsageMetrics: struct{}{},
		container.DiskIOMetrics:       struct{}{},
	}
	interval, dynamic := time.Second, false
	housekeeping := manager.HousekeepingConfig{Interval: &interval, AllowDynamic: &dynamic}
	watched, err := manager.New(memory.New(time.Minute, nil), sysfs.NewRealSysFs(), housekeeping, kinds, strings.Split(*cgroups, ","), nil, "", 0)
	if err != nil {
		log.Fatal(err)
	}
	_ = raw.Register
	if err := watched.Start(); err != nil {
		log.Fatal(err)
	}
	options := info.RequestOptions{IdType: info.TypeName, Count: 1, Recursive: true}
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics.NewPrometheusCollector(watched, nil, kinds, clock.RealClock{}, options))
	registry.MustRegister(metrics.NewPrometheusMachineCollector(watched, kinds))
	http.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	log.Fatal(http.ListenAndServe(*listen, nil))
}
