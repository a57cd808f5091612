package main

import (
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/procfs"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

var (
	ofPeer = []string{"destination", "role"}

	connectionsIn  = description("connections_in", "Established TCP connections of clients to the server.")
	unread         = description("connections_in_unread", "Those with bytes that the server has not read yet.")
	connectionsOut = description("peer_connections", "Established TCP connections of the server to others.", ofPeer...)
	waited         = description("peer_wait_seconds_total",
		"Total time that the server's outgoing connections waited for an answer.", ofPeer...)
	sent        = description("peer_sent_segments_total", "Data segments that the server sent to others: one for a small request.", ofPeer...)
	sendQueue   = description("send_queue_bytes", "Bytes that the server sent and that were not acknowledged.")
	acceptQueue = description("accept_queue_connections",
		"Connections that wait in the server's fullest accept queue.")
	acceptLimit = description("accept_queue_limit_connections", "Limit of that queue (backlog).")
	overflows   = description("listen_overflows_total",
		"Connections that arrived while an accept queue was full, for all servers in the network namespace.")
)

// peer describes a program that the server is connected to.
type peer struct{ destination, role string }

// peers contains the programs that usually listen on a port.
var peers = map[uint16]peer{
	443: {"HTTPS", "service"}, 3306: {"MySQL", "database"}, 5432: {"PostgreSQL", "database"},
	6379: {"Redis", "cache"}, 9200: {"Elasticsearch", "service"}, 27017: {"MongoDB", "database"},
}

// peersByProgram contains programs that may listen on any port, by command.
var peersByProgram = map[string]peer{
	"postgres": peers[5432], "mysqld": peers[3306], "mariadbd": peers[3306],
	"redis-server": peers[6379], "valkey-server": peers[6379], "mongod": peers[27017],
}

// Maximum number of peers with their own series: a server may connect to any number of ports. Further peers share a series.
const maxPeers = 32

var otherPorts = peer{"other ports", "service"}

func (c *socketsCollector) peerAt(address netip.AddrPort) peer {
	if one, known := peers[address.Port()]; known {
		return one
	}
	if one, known := c.programs[address]; known {
		return one
	}
	return peer{"port " + strconv.Itoa(int(address.Port())), "service"}
}

// tcpSockets returns the TCP sockets of this network namespace, for both address families (sock_diag(7)).
func tcpSockets() ([]*netlink.InetDiagTCPInfoResp, error) {
	v4, err := netlink.SocketDiagTCPInfo(unix.AF_INET)
	if err != nil {
		return nil, err
	}
	// The kernel may not support IPv6.
	v6, _ := netlink.SocketDiagTCPInfo(unix.AF_INET6)
	return append(v4, v6...), nil
}

// socketsCollector exports metrics of the server's sockets. Its counters outlive the connections.
type socketsCollector struct {
	// Inodes of the server's sockets, as of the last scrape.
	own map[uint64]bool
	// Local peers whose programs are known, as of the last scrape.
	programs map[netip.AddrPort]peer
	looked   time.Time
	segments map[uint32]uint32
	sent     map[peer]float64
	waited   map[peer]float64
}

func newSocketsCollector() *socketsCollector {
	return &socketsCollector{sent: make(map[peer]float64), waited: make(map[peer]float64)}
}

// look counts what was sent to peers and which connections wait for an answer. It returns the number of connections to each peer.
func (c *socketsCollector) look(tcp []*netlink.InetDiagTCPInfoResp, listeners map[uint16]*netlink.Socket, now time.Time) map[peer]int {
	var passed float64
	if !c.looked.IsZero() {
		passed = now.Sub(c.looked).Seconds()
	}
	c.looked = now
	out := make(map[peer]int)
	segments := make(map[uint32]uint32)
	for _, one := range tcp {
		socket, info := one.InetDiagMsg, one.TCPInfo
		if info == nil || !c.isConnection(socket) || listeners[socket.ID.SourcePort] != nil {
			continue
		}
		other := c.peerAt(connectionOf(socket).to)
		if _, known := c.sent[other]; !known && len(c.sent) >= maxPeers {
			other = otherPorts
		}
		out[other]++
		segments[socket.INode] = info.Data_segs_out
		c.sent[other] += float64(info.Data_segs_out - min(info.Data_segs_out, c.segments[socket.INode]))
		if waits(info) {
			c.waited[other] += passed
		}
	}
	c.segments = segments
	return out
}

func (c *socketsCollector) isConnection(socket *netlink.Socket) bool {
	return socket.State == netlink.TCP_ESTABLISHED && c.own[uint64(socket.INode)]
}

// waits returns whether a connection waits for an answer: the last sent segment is newer than the last received one. The kernel reports the age of
// both in milliseconds, with the resolution of a jiffy (4 ms). If both have the same age, the request is newer if it is not acknowledged yet, or if
// the last acknowledgement contained no data. Before the first answer, the kernel reports the time since the connection was opened.
func waits(info *netlink.TCPInfo) bool {
	if info.Data_segs_in == 0 {
		return info.Data_segs_out > 0
	}
	if info.Last_data_sent != info.Last_data_recv {
		return info.Last_data_sent < info.Last_data_recv
	}
	return info.Unacked > 0 || info.Last_ack_recv < info.Last_data_recv
}

// listeners returns the server's listening sockets by port. If several listen on a port, it returns the one with the fullest queue.
func (c *socketsCollector) listeners(tcp []*netlink.InetDiagTCPInfoResp) map[uint16]*netlink.Socket {
	found := make(map[uint16]*netlink.Socket)
	for _, one := range tcp {
		socket := one.InetDiagMsg
		if socket.State != netlink.TCP_LISTEN || !c.own[uint64(socket.INode)] {
			continue
		}
		known := found[socket.ID.SourcePort]
		if known == nil || fullness(socket) > fullness(known) {
			found[socket.ID.SourcePort] = socket
		}
	}
	return found
}

// outgoing returns the connections that the server opened.
func (c *socketsCollector) outgoing(tcp []*netlink.InetDiagTCPInfoResp, listeners map[uint16]*netlink.Socket) []*netlink.Socket {
	var opened []*netlink.Socket
	for _, one := range tcp {
		if socket := one.InetDiagMsg; c.isConnection(socket) && listeners[socket.ID.SourcePort] == nil {
			opened = append(opened, socket)
		}
	}
	return opened
}

func (c *socketsCollector) collect(metrics chan<- prometheus.Metric, tcp []*netlink.InetDiagTCPInfoResp, listeners map[uint16]*netlink.Socket) {
	out := c.look(tcp, listeners, time.Now())
	var fullest *netlink.Socket
	for _, one := range listeners {
		if fullest == nil || fullness(one) > fullness(fullest) {
			fullest = one
		}
	}
	if fullest != nil {
		metrics <- gauge(acceptQueue, float64(fullest.RQueue))
		metrics <- gauge(acceptLimit, float64(fullest.WQueue))
	}
	var in, unreadIn, queued uint32
	for _, one := range tcp {
		socket := one.InetDiagMsg
		if !c.isConnection(socket) {
			continue
		}
		queued += socket.WQueue
		if listeners[socket.ID.SourcePort] != nil {
			in++
			if socket.RQueue > 0 {
				unreadIn++
			}
		}
	}
	metrics <- gauge(connectionsIn, float64(in))
	metrics <- gauge(unread, float64(unreadIn))
	metrics <- gauge(sendQueue, float64(queued))
	// Peers that the server is no longer connected to are exported with 0 connections.
	for other, count := range c.sent {
		metrics <- gauge(connectionsOut, float64(out[other]), other.destination, other.role)
		metrics <- counter(waited, c.waited[other], other.destination, other.role)
		metrics <- counter(sent, count, other.destination, other.role)
	}
}

// fullness returns the utilization of a listener's queue, 0 to 1.
func fullness(listener *netlink.Socket) float64 {
	return float64(listener.RQueue) / float64(max(1, listener.WQueue))
}

func collectOverflows(metrics chan<- prometheus.Metric, fs procfs.FS) {
	self, err := fs.Self()
	if err != nil {
		return
	}
	if netstat, err := self.Netstat(); err == nil && netstat.ListenOverflows != nil {
		metrics <- counter(overflows, *netstat.ListenOverflows)
	}
}

// socketInodes returns the inodes of a process's sockets; none if its file descriptors are not readable.
func socketInodes(proc procfs.Proc) []uint64 {
	targets, _ := proc.FileDescriptorTargets()
	var inodes []uint64
	for _, target := range targets {
		if text, ok := strings.CutPrefix(target, "socket:["); ok {
			if inode, err := strconv.ParseUint(strings.TrimSuffix(text, "]"), 10, 64); err == nil {
				inodes = append(inodes, inode)
			}
		}
	}
	return inodes
}
