package main

import (
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/procfs"
)

const (
	// A JVM may have hundreds of threads; the busiest are hardly ever beyond these.
	maxThreads = 512
	// Clock ticks a second in /proc: 100 on every Linux that Go runs on.
	ticks = 100
)

var (
	ofProcess = []string{"pid", "comm"}
	ofThread  = []string{"pid", "tid", "comm"}

	processes   = description("processes", "Processes of the server.")
	cpu         = description("process_cpu_seconds_total", "CPU time of a process, user and system.", ofProcess...)
	memory      = description("process_resident_memory_bytes", "Resident memory of a process.", ofProcess...)
	openFiles   = description("process_open_fds", "Open file descriptors of a process.", ofProcess...)
	maxFiles    = description("process_max_fds", "Limit of the open file descriptors of a process.", ofProcess...)
	threads     = description("process_threads", "Threads of a process.", ofProcess...)
	majorFaults = description("process_major_page_faults_total", "Page faults of a process that read from disk.", ofProcess...)
	threadCPU   = description("thread_cpu_seconds_total", "CPU time of a thread, user and system.", ofThread...)
	threadWait  = description("thread_run_queue_wait_seconds_total",
		"Time in which a thread was ready to run and waited for a CPU.", ofThread...)
	connections = description("connections", "Established TCP connections of the server: in, and out by the port of the other side.",
		"direction", "port")
	sendQueue = description("send_queue_bytes", "Bytes that the server sent and that were not acknowledged.")
)

func description(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("target_"+name, help, labels, nil)
}

// collector reads /proc at each scrape.
type collector struct {
	fs     procfs.FS
	server *server
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{
		processes, cpu, memory, openFiles, maxFiles, threads, majorFaults, threadCPU, threadWait, connections, sendQueue,
	} {
		descriptions <- one
	}
}

// Collect implements prometheus.Collector. Without a process there is `target_processes 0` and nothing else.
func (c *collector) Collect(metrics chan<- prometheus.Metric) {
	tcp := tcpSockets(c.fs)
	found, err := c.server.processes(tcp)
	if err != nil {
		metrics <- prometheus.NewInvalidMetric(processes, err)
		return
	}
	metrics <- gauge(processes, len(found))
	sockets := make(map[uint64]bool)
	for _, one := range found {
		c.collectProcess(metrics, one)
		for _, inode := range one.sockets {
			sockets[inode] = true
		}
	}
	if len(found) > 0 {
		collectSockets(metrics, tcp, sockets)
	}
}

func (c *collector) collectProcess(metrics chan<- prometheus.Metric, one process) {
	labels := []string{strconv.Itoa(one.PID), label(one.stat.Comm)}
	metrics <- counter(cpu, one.stat.CPUTime(), labels...)
	metrics <- gauge(memory, one.stat.ResidentMemory(), labels...)
	metrics <- gauge(threads, one.stat.NumThreads, labels...)
	metrics <- counter(majorFaults, float64(one.stat.MajFlt), labels...)
	// Files of another user's process may not be looked at.
	if open, err := one.FileDescriptorsLen(); err == nil {
		metrics <- gauge(openFiles, open, labels...)
	}
	if limits, err := one.Limits(); err == nil {
		metrics <- gauge(maxFiles, limits.OpenFiles, labels...)
	}
	all, err := c.fs.AllThreads(one.PID)
	if err != nil {
		return
	}
	for _, thread := range all[:min(len(all), maxThreads)] {
		stat, err := thread.Stat()
		if err != nil {
			continue
		}
		labels := []string{strconv.Itoa(one.PID), strconv.Itoa(thread.PID), label(stat.Comm)}
		metrics <- counter(threadCPU, float64(stat.UTime+stat.STime)/ticks, labels...)
		if schedule, err := thread.Schedstat(); err == nil {
			metrics <- counter(threadWait, float64(schedule.WaitingNanoseconds)/1e9, labels...)
		}
	}
}

// label makes a label's value of a name that the server chose: any bytes, of which one that is no UTF-8 is an error.
func label(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }

func collectSockets(metrics chan<- prometheus.Metric, tcp procfs.NetTCP, own map[uint64]bool) {
	type key struct{ direction, port string }
	counts := map[key]int{{"in", ""}: 0}
	listeners := make(map[uint64]bool)
	for _, one := range tcp {
		if one.St == listening && own[one.Inode] {
			listeners[one.LocalPort] = true
		}
	}
	var queued uint64
	for _, one := range tcp {
		if one.St != established || !own[one.Inode] {
			continue
		}
		queued += one.TxQueue
		if listeners[one.LocalPort] {
			counts[key{"in", ""}]++
		} else {
			counts[key{"out", strconv.FormatUint(one.RemPort, 10)}]++
		}
	}
	for which, count := range counts {
		metrics <- gauge(connections, count, which.direction, which.port)
	}
	metrics <- gauge(sendQueue, queued)
}

func gauge[Number int | uint64](description *prometheus.Desc, value Number, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(description, prometheus.GaugeValue, float64(value), labels...)
}

func counter(description *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(description, prometheus.CounterValue, value, labels...)
}
