package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// collected implements prometheus.Collector with a function.
type collected func(chan<- prometheus.Metric)

func (collected) Describe(chan<- *prometheus.Desc)           {}
func (c collected) Collect(metrics chan<- prometheus.Metric) { c(metrics) }

// hierarchy writes the files to a temporary directory and returns its path.
func hierarchy(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestCgroupLimits(t *testing.T) {
	for name, test := range map[string]struct {
		version  cgroupVersion
		files    map[string]string
		expected []string
	}{
		"version 2, the limit is a pod's": {cgroupV2, map[string]string{
			"pod/memory.max": "1000\n", "pod/memory.current": "900\n", "pod/memory.stat": "anon 700\ninactive_file 150\n",
			"pod/memory.events": "low 0\noom_kill 2\n", "pod/server/memory.max": "max\n", "pod/server/memory.current": "1\n",
			"pod/cpu.max": "50000 100000\n", "pod/cpu.stat": "usage_usec 5\nnr_periods 40\nnr_throttled 10\n", "pod/server/cpu.max": "max 100000\n",
		}, []string{"target_cgroup_cpu_limit_cores[] 0.5", "target_cgroup_cpu_periods_total[] 40", "target_cgroup_cpu_throttled_periods_total[] 10",
			"target_cgroup_memory_bytes[] 750", "target_cgroup_memory_limit_bytes[] 1000", "target_cgroup_oom_kills_total[] 2"}},
		"version 1": {cgroupV1, map[string]string{
			"pod/server/memory.limit_in_bytes": "1000\n", "pod/server/memory.usage_in_bytes": "900\n", "pod/server/memory.stat": "total_inactive_file 150\n",
			"pod/server/memory.oom_control": "oom_kill_disable 0\noom_kill 2\n", "pod/server/cpu.cfs_quota_us": "150000\n",
			"pod/server/cpu.cfs_period_us": "100000\n", "pod/server/cpu.stat": "nr_periods 40\nnr_throttled 10\n",
		}, []string{"target_cgroup_cpu_limit_cores[] 1.5", "target_cgroup_cpu_periods_total[] 40", "target_cgroup_cpu_throttled_periods_total[] 10",
			"target_cgroup_memory_bytes[] 750", "target_cgroup_memory_limit_bytes[] 1000", "target_cgroup_oom_kills_total[] 2"}},
		"version 1 without limits": {cgroupV1, map[string]string{
			"pod/server/memory.limit_in_bytes": "9223372036854771712\n", "pod/server/cpu.cfs_quota_us": "-1\n", "pod/server/cpu.cfs_period_us": "100000\n",
		}, nil},
	} {
		root := hierarchy(t, test.files)
		test.version.memoryRoot, test.version.cpuRoot = root, root
		t.Run(name, func(t *testing.T) {
			expect(t, collected(func(metrics chan<- prometheus.Metric) {
				test.version.collectMemory(metrics, "/pod/server")
				test.version.collectCPU(metrics, "/pod/server")
			}), "target", test.expected...)
		})
	}
}
