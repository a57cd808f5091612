package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/procfs"
)

var (
	cgroupMemory = description("cgroup_memory_bytes",
		"Memory usage of the server's cgroup, excluding memory that the kernel can reclaim immediately (working set), if the cgroup has a limit.")
	cgroupMemoryLimit = description("cgroup_memory_limit_bytes", "Memory limit of the server's cgroup.")
	oomKills          = description("cgroup_oom_kills_total", "Processes that the kernel ended for the memory limit of the cgroup.")
	cpuPeriods        = description("cgroup_cpu_periods_total", "Periods of the CPU quota of the server's cgroup.")
	cpuThrottled      = description("cgroup_cpu_throttled_periods_total", "Periods in which that quota was used up.")
	cpuLimit          = description("cgroup_cpu_limit_cores", "CPU quota of the server's cgroup, in cores.")
)

// cgroupVersion contains the file names of a cgroup version (Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst).
type cgroupVersion struct {
	memory, memoryLimit, inactive, memoryEvents string
	memoryRoot, cpuRoot                         string
}

var (
	cgroupV1 = cgroupVersion{
		memory: "memory.usage_in_bytes", memoryLimit: "memory.limit_in_bytes", inactive: "total_inactive_file",
		memoryEvents: "memory.oom_control", memoryRoot: "/sys/fs/cgroup/memory", cpuRoot: "/sys/fs/cgroup/cpu",
	}
	cgroupV2 = cgroupVersion{
		memory: "memory.current", memoryLimit: "memory.max", inactive: "inactive_file",
		memoryEvents: "memory.events", memoryRoot: "/sys/fs/cgroup", cpuRoot: "/sys/fs/cgroup",
	}
)

// collectCgroup exports the limits of a process's cgroup, or of its nearest ancestor with a limit. Without limits, it exports no metrics.
func collectCgroup(metrics chan<- prometheus.Metric, proc procfs.Proc) {
	groups, err := proc.Cgroups()
	if err != nil {
		return
	}
	version, memoryPath, cpuPath := cgroupV2, "", ""
	for _, group := range groups {
		for _, controller := range group.Controllers {
			switch controller {
			case "memory":
				version, memoryPath = cgroupV1, group.Path
			case "cpu":
				version, cpuPath = cgroupV1, group.Path
			}
		}
		if group.HierarchyID == 0 && version == cgroupV2 {
			memoryPath, cpuPath = group.Path, group.Path
		}
	}
	version.collectMemory(metrics, memoryPath)
	version.collectCPU(metrics, cpuPath)
}

func (v cgroupVersion) collectMemory(metrics chan<- prometheus.Metric, path string) {
	for folder := range upTo(v.memoryRoot, path) {
		limit, limited := number(filepath.Join(folder, v.memoryLimit))
		// Version 1 represents "no limit" as the largest number of pages.
		if !limited || limit > 1<<62 {
			continue
		}
		used, _ := number(filepath.Join(folder, v.memory))
		metrics <- gauge(cgroupMemory, used-min(used, fields(filepath.Join(folder, "memory.stat"))[v.inactive]))
		metrics <- gauge(cgroupMemoryLimit, limit)
		metrics <- counter(oomKills, fields(filepath.Join(folder, v.memoryEvents))["oom_kill"])
		return
	}
}

func (v cgroupVersion) collectCPU(metrics chan<- prometheus.Metric, path string) {
	for folder := range upTo(v.cpuRoot, path) {
		cores, limited := quota(folder)
		if !limited {
			continue
		}
		stat := fields(filepath.Join(folder, "cpu.stat"))
		metrics <- gauge(cpuLimit, cores)
		metrics <- counter(cpuPeriods, stat["nr_periods"])
		metrics <- counter(cpuThrottled, stat["nr_throttled"])
		return
	}
}

// quota returns a cgroup's CPU quota in cores; false if it has none.
func quota(folder string) (float64, bool) {
	if text, err := os.ReadFile(filepath.Join(folder, "cpu.max")); err == nil {
		parts := strings.Fields(string(text))
		if len(parts) != 2 {
			return 0, false
		}
		allowed, notAllowed := strconv.ParseFloat(parts[0], 64)
		period, wrong := strconv.ParseFloat(parts[1], 64)
		return allowed / period, notAllowed == nil && wrong == nil
	}
	allowed, hasQuota := number(filepath.Join(folder, "cpu.cfs_quota_us"))
	period, hasPeriod := number(filepath.Join(folder, "cpu.cfs_period_us"))
	return allowed / period, hasQuota && hasPeriod && allowed > 0
}

// upTo yields a cgroup's directory and those of its ancestors, the nearest first.
func upTo(root, path string) func(func(string) bool) {
	return func(yield func(string) bool) {
		// The path of another cgroup namespace begins with "..".
		for path = filepath.Join("/", path); yield(filepath.Join(root, path)) && path != "/"; path = filepath.Dir(path) {
		}
	}
}

// number reads a file that contains a number; false if the file does not exist or contains "max".
func number(file string) (float64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	return value, err == nil
}

// fields reads a file with a name and a number per line.
func fields(file string) map[string]float64 {
	found := make(map[string]float64)
	open, err := os.Open(file)
	if err != nil {
		return found
	}
	defer open.Close()
	for lines := bufio.NewScanner(open); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), " ")
		if value, err := strconv.ParseFloat(text, 64); err == nil {
			found[name] = value
		}
	}
	return found
}
