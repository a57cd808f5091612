package main

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/procfs"
)

// listen returns a listener of this process and its port.
func listen(t *testing.T) (net.Listener, uint64) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener, uint64(listener.Addr().(*net.TCPAddr).Port)
}

func collectorOf(t *testing.T, port uint64, pid int) *collector {
	t.Helper()
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		t.Fatal(err)
	}
	return &collector{fs: fs, server: &server{fs: fs, port: port, pid: pid}}
}

func pidsOf(t *testing.T, c *collector) map[int]bool {
	t.Helper()
	found, err := c.server.processes(tcpSockets(c.fs))
	if err != nil {
		t.Fatal(err)
	}
	pids := make(map[int]bool)
	for _, one := range found {
		pids[one.PID] = true
	}
	return pids
}

func TestTheListenerAndItsChildren(t *testing.T) {
	_, port := listen(t)
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.Process.Kill(); child.Wait() })
	pids := pidsOf(t, collectorOf(t, port, 0))
	if !pids[os.Getpid()] || !pids[child.Process.Pid] {
		t.Errorf("got %v; expected %d and its child %d", pids, os.Getpid(), child.Process.Pid)
	}
	if pids := pidsOf(t, collectorOf(t, port, child.Process.Pid)); len(pids) != 1 || !pids[child.Process.Pid] {
		t.Errorf("got %v; expected the named process alone", pids)
	}
}

func TestAServerThatIsGoneAndComesBack(t *testing.T) {
	listener, port := listen(t)
	c := collectorOf(t, port, 0)
	if pids := pidsOf(t, c); !pids[os.Getpid()] {
		t.Fatalf("got %v", pids)
	}
	address := listener.Addr().String()
	listener.Close()
	if pids := pidsOf(t, c); len(pids) != 0 {
		t.Errorf("got %v; expected none: nothing listens there", pids)
	}
	if got := testutil.CollectAndCount(c); got != 1 {
		t.Errorf("got %d samples; expected target_processes alone", got)
	}
	again, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if pids := pidsOf(t, c); !pids[os.Getpid()] {
		t.Errorf("got %v after the restart", pids)
	}
}

func TestConnectionsByDirectionAndPort(t *testing.T) {
	listener, port := listen(t)
	for range 3 {
		client, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		server, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
	}
	c := collectorOf(t, port, 0)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	// This process is server and client: each connection is one in and one out.
	expected := "# HELP target_connections Established TCP connections of the server: in, and out by the port of the other side.\n" +
		"# TYPE target_connections gauge\n" +
		"target_connections{direction=\"in\",port=\"\"} 3\n" +
		"target_connections{direction=\"out\",port=\"" + strings.Split(listener.Addr().String(), ":")[1] + "\"} 3\n"
	if err := testutil.GatherAndCompare(registry, strings.NewReader(expected), "target_connections"); err != nil {
		t.Error(err)
	}
}

func TestANameThatIsNoText(t *testing.T) {
	name, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("/proc/self/comm", []byte("\xff\xfe"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.WriteFile("/proc/self/comm", name, 0) })
	_, port := listen(t)
	if got := testutil.CollectAndCount(collectorOf(t, port, 0), "target_process_cpu_seconds_total"); got < 1 {
		t.Errorf("got %d samples; expected one of each process", got)
	}
}

func TestWrongUse(t *testing.T) {
	for _, args := range [][]string{{}, {"-port", "70000"}, {"-port", "1", "-listen", "0.0.0.0:0"}, {"-pid", "-1"}} {
		if err := run(args); err == nil || !strings.Contains(err.Error(), "valid: ") {
			t.Errorf("%v: got %v; expected what is valid", args, err)
		}
	}
}
