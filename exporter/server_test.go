package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/procfs"
)

// listen returns a listener of this process.
func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener
}

// collectorOf returns a collector for the process that listens on the target, or that has the PID.
func collectorOf(t *testing.T, target string, pid int) *collector {
	t.Helper()
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		t.Fatal(err)
	}
	watched := &server{fs: fs, pid: pid}
	if err := watched.listensOn(target); err != nil {
		t.Fatal(err)
	}
	return newCollector(fs, watched)
}

func pidsOf(t *testing.T, c *collector) map[int]bool {
	t.Helper()
	tcp, err := tcpSockets()
	if err != nil {
		t.Fatal(err)
	}
	running, err := readTable(c.fs)
	if err != nil {
		t.Fatal(err)
	}
	pids := make(map[int]bool)
	for _, one := range c.server.processes(running, tcp) {
		pids[one.PID] = true
	}
	return pids
}

func TestTheListenerAndItsChildren(t *testing.T) {
	target := listen(t).Addr().String()
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.Process.Kill(); child.Wait() })
	pids := pidsOf(t, collectorOf(t, target, 0))
	if !pids[os.Getpid()] || !pids[child.Process.Pid] {
		t.Errorf("got %v; expected %d and its child %d", pids, os.Getpid(), child.Process.Pid)
	}
	if pids := pidsOf(t, collectorOf(t, target, child.Process.Pid)); len(pids) != 1 || !pids[child.Process.Pid] {
		t.Errorf("got %v; expected the named process alone", pids)
	}
}

// A server that is a program is k6's child. The test process acts as k6.
func TestWhatK6HasStarted(t *testing.T) {
	if os.Getenv("ACT_AS_K6") == "" {
		k6 := filepath.Join(t.TempDir(), "k6")
		program, err := os.ReadFile(os.Args[0])
		if err != nil || os.WriteFile(k6, program, 0o700) != nil {
			t.Fatal(err)
		}
		child := exec.Command(k6, "-test.run=^TestWhatK6HasStarted$")
		child.Env = append(os.Environ(), "ACT_AS_K6=1")
		if output, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%s", output)
		}
		return
	}
	server, guard := exec.Command("sleep", "60"), exec.Command("sleep", "60")
	guard.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	for _, one := range []*exec.Cmd{server, guard} {
		if err := one.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { one.Process.Kill(); one.Wait() })
	}
	c := collectorOf(t, "127.0.0.1:1", 0)
	c.server.generator = os.Getppid()
	if pids := pidsOf(t, c); len(pids) != 1 || !pids[server.Process.Pid] {
		t.Errorf("got %v; expected %d", pids, server.Process.Pid)
	}
}

// TestMain runs this program as a server if LISTEN_ON is set. The server connects to CONNECT_TO.
func TestMain(m *testing.M) {
	address := os.Getenv("LISTEN_ON")
	if address == "" {
		os.Exit(m.Run())
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		panic(err)
	}
	if network, peer, found := strings.Cut(os.Getenv("CONNECT_TO"), " "); found {
		if _, err := net.Dial(network, peer); err != nil {
			panic(err)
		}
	}
	fmt.Println(listener.Addr())
	io.Copy(io.Discard, os.Stdin)
}

// serve starts a server in a process of its own, and returns a function that stops it. The server may connect to a network and address.
func serve(t *testing.T, address string, connectTo ...string) (string, func()) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "LISTEN_ON="+address, "CONNECT_TO="+strings.Join(connectTo, " "))
	input, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() { input.Close(); child.Wait() })
	t.Cleanup(end)
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line), end
}

func TestAServerThatIsReplaced(t *testing.T) {
	address, end := serve(t, "127.0.0.1:0")
	c := collectorOf(t, address, 0)
	if pids := pidsOf(t, c); len(pids) != 1 {
		t.Fatalf("got %v; expected the server", pids)
	}
	end()
	expect(t, c, "target", "target_processes[] 0", "target_restarts_total[] 0")
	serve(t, address)
	expect(t, c, "target_processes", "target_processes[] 1")
	expect(t, c, "target_restarts", "target_restarts_total[] 1")
}

func peersOf(t *testing.T, c *collector) []string {
	t.Helper()
	var pids []string
	for _, family := range gather(t, c) {
		if family.GetName() != "target_peer_process_cpu_seconds_total" {
			continue
		}
		for _, metric := range family.GetMetric() {
			pids = append(pids, metric.GetLabel()[1].GetValue())
		}
	}
	return pids
}

func TestTheProgramThatTheServerIsConnectedTo(t *testing.T) {
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(t.TempDir(), "peer.sock")} {
		listener, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		target, end := serve(t, "127.0.0.1:0", network, listener.Addr().String())
		// Before it is accepted, the connection belongs to no process.
		accepted, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if pids := peersOf(t, collectorOf(t, target, 0)); !slices.Equal(pids, []string{strconv.Itoa(os.Getpid())}) {
			t.Errorf("%s: got %v; expected this process alone, not the server that it started", network, pids)
		}
		end()
		accepted.Close()
		listener.Close()
	}
}

func TestAnotherAddressWithTheSamePort(t *testing.T) {
	port := strings.Split(listen(t).Addr().String(), ":")[1]
	if pids := pidsOf(t, collectorOf(t, "127.0.0.2:"+port, 0)); len(pids) != 0 {
		t.Errorf("got %v; expected none: nothing listens on 127.0.0.2", pids)
	}
}

func TestADatabaseOnAnotherPortThanItsOwn(t *testing.T) {
	rename(t, "postgres")
	listener := listen(t)
	target, end := serve(t, "127.0.0.1:0", "tcp", listener.Addr().String())
	defer end()
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	expect(t, collectorOf(t, target, 0), "target_peer_connections", "target_peer_connections[PostgreSQL database] 1")
}

// rename changes the name of this process during the test.
func rename(t *testing.T, comm string) {
	t.Helper()
	name, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("/proc/self/comm", []byte(comm), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.WriteFile("/proc/self/comm", name, 0) })
}

func TestANameThatIsNoText(t *testing.T) {
	rename(t, "\xff\xfe")
	if got := testutil.CollectAndCount(collectorOf(t, listen(t).Addr().String(), 0), "target_process_cpu_seconds_total"); got < 1 {
		t.Errorf("got %d samples; expected one of each process", got)
	}
}

func TestWrongUse(t *testing.T) {
	for _, args := range [][]string{{}, {"-target", "127.0.0.1:70000"}, {"-target", "127.0.0.1"}, {"-target", "127.0.0.1:1", "-listen", "0.0.0.0:0"}, {"-pid", "-1"}} {
		if err := run(args); err == nil || !strings.Contains(err.Error(), "expected ") && !strings.Contains(err.Error(), "set -target") {
			t.Errorf("%v: got %v; expected an error that says how to call it", args, err)
		}
	}
}
