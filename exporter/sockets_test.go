package main

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// connect opens a connection to the listener and returns both ends.
func connect(t *testing.T, listener net.Listener) (client, server net.Conn) {
	t.Helper()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	server, err = listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return client, server
}

func exchange(t *testing.T, from, to net.Conn) {
	t.Helper()
	if _, err := from.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := to.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
}

func gather(t *testing.T, c prometheus.Collector) []*dto.MetricFamily {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// expect compares the samples whose names have the prefix. Each sample is given as its name, label values and value.
func expect(t *testing.T, c prometheus.Collector, prefix string, expected ...string) {
	t.Helper()
	var got []string
	for _, family := range gather(t, c) {
		if !strings.HasPrefix(family.GetName(), prefix) {
			continue
		}
		for _, metric := range family.GetMetric() {
			var labels []string
			for _, label := range metric.GetLabel() {
				labels = append(labels, label.GetValue())
			}
			value := metric.GetGauge().GetValue() + metric.GetCounter().GetValue()
			got = append(got, fmt.Sprint(family.GetName(), labels, " ", value))
		}
	}
	if !slices.Equal(got, expected) {
		t.Errorf("got\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(expected, "\n"))
	}
}

func TestConnections(t *testing.T) {
	listener := listen(t)
	for range 2 {
		connect(t, listener)
	}
	client, server := connect(t, listener)
	c := collectorOf(t, listener.Addr().String(), 0)
	// This process is both server and client, so each connection counts once as incoming and once as outgoing.
	peer := "[port " + strings.Split(listener.Addr().String(), ":")[1] + " service]"
	connections := func(unread int) {
		expect(t, c, "target_connections", "target_connections_in[] 3", fmt.Sprint("target_connections_in_unread[] ", unread))
		expect(t, c, "target_peer_connections", "target_peer_connections"+peer+" 3")
	}
	connections(0)
	expect(t, c, "target_peer_sent", "target_peer_sent_segments_total"+peer+" 0")
	exchange(t, client, server)
	exchange(t, server, client)
	if _, err := client.Write([]byte("asked, and not read")); err != nil {
		t.Fatal(err)
	}
	connections(1)
	expect(t, c, "target_peer_sent", "target_peer_sent_segments_total"+peer+" 2")
	// Closing the connection does not change the counter.
	client.Close()
	server.Close()
	expect(t, c, "target_peer_sent", "target_peer_sent_segments_total"+peer+" 2")
}

func TestConnectionsAreWatchedAfterALongScrape(t *testing.T) {
	listener := listen(t)
	c := collectorOf(t, listener.Addr().String(), 0)
	connect(t, listener)
	testutil.CollectAndCount(c)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	c.mutex.Lock()
	go c.watch(ctx)
	time.Sleep(100 * time.Millisecond)
	c.mutex.Unlock()
	looked := func() time.Time {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		return c.sockets.looked
	}
	for range 3 {
		before := looked()
		for deadline := time.Now().Add(10 * time.Second); !looked().After(before); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the connections are not looked at any more")
			}
		}
	}
}

// A waiting connection is distinguished from an answered one, however short the pause before the request was, and however long it has waited.
func TestWaits(t *testing.T) {
	listener := listen(t)
	c := collectorOf(t, listener.Addr().String(), 0)
	own := c.sockets.peerAt(listener.Addr().(*net.TCPAddr).AddrPort())
	waiting := func() bool {
		tcp, err := tcpSockets()
		if err != nil {
			t.Fatal(err)
		}
		before := c.sockets.waited[own]
		c.sockets.look(tcp, c.sockets.listeners(tcp), c.sockets.looked.Add(time.Second))
		return c.sockets.waited[own] > before
	}
	for range 8 {
		client, server := connect(t, listener)
		testutil.CollectAndCount(c)
		if waiting() {
			t.Error("a connection on which nothing was sent waits")
		}
		exchange(t, client, server)
		if !waiting() {
			t.Error("a first request does not wait that was just sent")
		}
		delayAcknowledgements(t, server)
		exchange(t, server, client)
		exchange(t, client, server)
		time.Sleep(5 * time.Millisecond)
		if !waiting() {
			t.Error("a request does not wait that was sent at once after an answer")
		}
		time.Sleep(60 * time.Millisecond)
		if !waiting() {
			t.Error("a request does not wait any more after a while")
		}
		exchange(t, server, client)
		if waiting() {
			t.Error("a connection waits whose request was answered")
		}
		time.Sleep(60 * time.Millisecond)
		if waiting() {
			t.Error("a connection waits whose request was answered a while ago")
		}
		client.Close()
	}
}

// The connection was opened, and the request sent and acknowledged, within one jiffy.
func TestFirstRequestWaits(t *testing.T) {
	if !waits(&netlink.TCPInfo{Data_segs_out: 1, Last_data_sent: 4, Last_data_recv: 4, Last_ack_recv: 4}) {
		t.Error("a first request does not wait")
	}
}

// delayAcknowledgements ensures that a request is not acknowledged before its answer, as on a connection that has been in use.
func delayAcknowledgements(t *testing.T, conn net.Conn) {
	t.Helper()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	if err := raw.Control(func(descriptor uintptr) {
		failed = unix.SetsockoptInt(int(descriptor), unix.IPPROTO_TCP, unix.TCP_QUICKACK, 0)
	}); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
}

func TestPeersWithoutEnd(t *testing.T) {
	c := newSocketsCollector()
	var tcp []*netlink.InetDiagTCPInfoResp
	c.own = make(map[uint64]bool)
	for number := range uint32(3 * maxPeers) {
		c.own[uint64(number)] = true
		tcp = append(tcp, &netlink.InetDiagTCPInfoResp{
			InetDiagMsg: &netlink.Socket{State: netlink.TCP_ESTABLISHED, INode: number, ID: netlink.SocketID{DestinationPort: uint16(10_000 + number)}},
			TCPInfo:     &netlink.TCPInfo{Data_segs_out: 1},
		})
	}
	out := c.look(tcp, c.listeners(tcp), time.Now())
	if len(out) != maxPeers+1 || out[otherPorts] != 2*maxPeers || c.sent[otherPorts] != 2*maxPeers {
		t.Errorf("got %d peers, of which %d connections and %v segments are of others; expected %d, %d and %d",
			len(out), out[otherPorts], c.sent[otherPorts], maxPeers+1, 2*maxPeers, 2*maxPeers)
	}
}

func TestPeers(t *testing.T) {
	c := newSocketsCollector()
	at := func(port uint16) netip.AddrPort { return netip.AddrPortFrom(netip.IPv6Unspecified(), port) }
	c.programs = map[netip.AddrPort]peer{at(15433): peersByProgram["postgres"], at(6379): peersByProgram["mongod"]}
	for port, expected := range map[uint16]peer{
		5432: {"PostgreSQL", "database"}, 6379: {"Redis", "cache"}, 15432: {"port 15432", "service"}, 15433: {"PostgreSQL", "database"},
	} {
		if got := c.peerAt(at(port)); got != expected {
			t.Errorf("%d: got %v; expected %v", port, got, expected)
		}
	}
}

func TestAcceptQueue(t *testing.T) {
	// Go's own listeners always use the maximum backlog.
	listener, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(listener) })
	if err := unix.Bind(listener, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(listener, 2); err != nil {
		t.Fatal(err)
	}
	address, err := unix.Getsockname(listener)
	if err != nil {
		t.Fatal(err)
	}
	target := fmt.Sprintf("127.0.0.1:%d", address.(*unix.SockaddrInet4).Port)
	c := collectorOf(t, target, os.Getpid())
	if got := testutil.CollectAndCount(c, "target_listen_overflows_total"); got != 1 {
		t.Errorf("got %d samples of overflows; expected 1", got)
	}
	for range 2 {
		client, err := net.Dial("tcp", target)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
	}
	expect(t, c, "target_accept",
		"target_accept_queue_connections[] 2", "target_accept_queue_limit_connections[] 2")
}
