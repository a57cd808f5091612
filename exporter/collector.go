package main

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/procfs"
)

const (
	// Limits on the processes and threads that are read and exported: a server may have thousands, and each is a series.
	maxProcesses    = 256
	maxThreads      = 512
	maxThreadsShown = 32
	// Clock ticks per second in /proc: 100 on every Linux that Go supports.
	ticks = 100
	// The mean pause between two looks at the connections, and its minimum as a multiple of a look's duration (0.2 % of a core).
	meanPause   = 100 * time.Millisecond
	pauseFactor = 500
	// A look may take long because it waits for CPU. With longer pauses, short phases would have no data.
	maxPause = 500 * time.Millisecond
)

var (
	ofProcess = []string{"pid", "comm"}
	ofThread  = []string{"pid", "tid", "comm"}

	processes = description("processes", "Processes of the server.")
	restarts  = description("restarts_total", "Times that other processes had taken over the server's port.")
	cpu       = description("process_cpu_seconds_total", "CPU time of a process, user and system.", ofProcess...)
	memory    = description("process_resident_memory_bytes", "Resident memory of a process.", ofProcess...)
	openFiles = description("process_open_fds", "Open file descriptors of a process.", ofProcess...)
	maxFiles  = description("process_max_fds", "Limit of the open file descriptors of a process.", ofProcess...)
	peerCPU   = description("peer_process_cpu_seconds_total",
		"CPU time of a process of this machine that the server is connected to, or of one that belongs to it, user and system.", ofProcess...)
	threads     = description("process_threads", "Threads of a process.", ofProcess...)
	majorFaults = description("process_major_page_faults_total", "Page faults of a process that read from disk.", ofProcess...)
	diskRead    = description("process_read_bytes_total", "Bytes that a process read from disk.", ofProcess...)
	diskWritten = description("process_written_bytes_total", "Bytes that a process had written to disk.", ofProcess...)
	threadCPU   = description("thread_cpu_seconds_total", "CPU time of a thread, user and system.", ofThread...)
	threadWait  = description("thread_run_queue_wait_seconds_total",
		"Time that a thread was runnable but waited for a CPU.", ofThread...)
)

func description(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("target_"+name, help, labels, nil)
}

// collector reads /proc, the sockets and the cgroup at each scrape.
type collector struct {
	fs      procfs.FS
	server  *server
	sockets *socketsCollector
	peers   peerFinder
	// Several clients may scrape at the same time.
	mutex sync.Mutex
}

func newCollector(fs procfs.FS, server *server) *collector {
	return &collector{fs: fs, server: server, sockets: newSocketsCollector()}
}

// watch looks at the connections between scrapes, at random times, because a load with a constant rate would be in the same state at regular times.
// It uses at most a small share of a core.
func (c *collector) watch(ctx context.Context) {
	for ctx.Err() == nil {
		c.mutex.Lock()
		// Measured after Lock, so that waiting for a slow scrape does not count as the duration of the look.
		began := time.Now()
		if len(c.sockets.sent) > 0 {
			if tcp, err := tcpSockets(); err == nil {
				c.sockets.look(tcp, c.sockets.listeners(tcp), began)
			}
		}
		c.mutex.Unlock()
		pause := min(max(meanPause, time.Since(began)*pauseFactor), maxPause)
		time.Sleep(time.Duration(rand.Int64N(2 * int64(pause))))
	}
}

// Describe implements prometheus.Collector. The metrics depend on the server, so the collector is unchecked.
func (c *collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector. Without a process, it exports only `target_processes 0` and `target_restarts_total`.
func (c *collector) Collect(metrics chan<- prometheus.Metric) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	tcp, err := tcpSockets()
	if err != nil {
		metrics <- prometheus.NewInvalidMetric(processes, err)
		return
	}
	running, err := readTable(c.fs)
	if err != nil {
		metrics <- prometheus.NewInvalidMetric(processes, err)
		return
	}
	found := c.server.processes(running, tcp)
	metrics <- gauge(processes, float64(len(found)))
	metrics <- counter(restarts, float64(c.server.restarts))
	if len(found) == 0 {
		return
	}
	sockets, server := make(map[uint64]bool), make(map[int]bool)
	for _, one := range found {
		server[one.PID] = true
	}
	var threads []thread
	for _, one := range found[:min(len(found), maxProcesses)] {
		c.collectProcess(metrics, one)
		threads = append(threads, c.threadsOf(one)...)
		for _, inode := range one.sockets {
			sockets[inode] = true
		}
	}
	slices.SortFunc(threads, func(a, b thread) int { return cmp.Compare(b.cpu, a.cpu) })
	for _, one := range threads[:min(len(threads), maxThreadsShown)] {
		metrics <- prometheus.NewMetricWithTimestamp(one.read, counter(threadCPU, one.cpu, one.labels...))
		metrics <- prometheus.NewMetricWithTimestamp(one.read, counter(threadWait, one.wait, one.labels...))
	}
	c.sockets.own = sockets
	listeners := c.sockets.listeners(tcp)
	outgoing := c.sockets.outgoing(tcp, listeners)
	for _, one := range c.peers.processes(running, server, endsOf(tcp, outgoing, sockets)) {
		metrics <- prometheus.NewMetricWithTimestamp(one.read, counter(peerCPU, one.stat.CPUTime(), strconv.Itoa(one.PID), label(one.stat.Comm)))
	}
	c.sockets.programs = c.peers.known(running)
	c.sockets.collect(metrics, tcp, listeners)
	collectOverflows(metrics, c.fs)
	collectCgroup(metrics, found[0].Proc)
}

func (c *collector) collectProcess(metrics chan<- prometheus.Metric, one process) {
	labels := []string{strconv.Itoa(one.PID), label(one.stat.Comm)}
	metrics <- prometheus.NewMetricWithTimestamp(one.read, counter(cpu, one.stat.CPUTime(), labels...))
	metrics <- gauge(memory, float64(one.stat.ResidentMemory()), labels...)
	metrics <- gauge(threads, float64(one.stat.NumThreads), labels...)
	metrics <- counter(majorFaults, float64(one.stat.MajFlt), labels...)
	// The file descriptors of another user's process are not readable.
	if open, err := one.FileDescriptorsLen(); err == nil {
		metrics <- gauge(openFiles, float64(open), labels...)
	}
	if limits, err := one.Limits(); err == nil {
		metrics <- gauge(maxFiles, float64(limits.OpenFiles), labels...)
	}
	if io, err := one.IO(); err == nil {
		metrics <- counter(diskRead, float64(io.ReadBytes), labels...)
		metrics <- counter(diskWritten, float64(io.WriteBytes), labels...)
	}
}

// thread contains a thread's seconds on a CPU and in the run queue, and the time at which they were read. If a scrape has to wait for CPU, the time
// of the scrape would distort rates.
type thread struct {
	labels    []string
	cpu, wait float64
	read      time.Time
}

func (c *collector) threadsOf(one process) []thread {
	all, err := c.fs.AllThreads(one.PID)
	if err != nil {
		return nil
	}
	var threads []thread
	for _, proc := range all[:min(len(all), maxThreads)] {
		stat, err := proc.Stat()
		if err != nil {
			continue
		}
		own := thread{
			labels: []string{strconv.Itoa(one.PID), strconv.Itoa(proc.PID), label(stat.Comm)},
			cpu:    float64(stat.UTime+stat.STime) / ticks,
			read:   time.Now(),
		}
		// Some kernels do not count the time in the run queue. Those that do report the time on the CPU more precisely.
		if schedule, err := proc.Schedstat(); err == nil && schedule.RunningNanoseconds > 0 {
			own.cpu, own.wait = float64(schedule.RunningNanoseconds)/1e9, float64(schedule.WaitingNanoseconds)/1e9
		}
		threads = append(threads, own)
	}
	return threads
}

// label returns a valid label value. The server chose the name, so it may contain any bytes, but invalid UTF-8 is an error.
func label(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }

func gauge(description *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(description, prometheus.GaugeValue, value, labels...)
}

func counter(description *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(description, prometheus.CounterValue, value, labels...)
}
