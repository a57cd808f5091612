package main

import (
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/procfs"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

var (
	ofPeer = []string{"destination", "role"}

	connectionsIn  = description("connections_in", "Established TCP connections of clients to the server.")
	unread         = description("connections_in_unread", "Those with bytes that the server has not read yet.")
	connectionsOut = description("connections_out", "Established TCP connections of the server to others.", ofPeer...)
	waiting        = description("connections_out_waiting", "Those on which the server sent something last: it waits for an answer.", ofPeer...)
	sent           = description("sent_segments_total", "Data segments that the server sent to others: one for a small request.", ofPeer...)
	sendQueue      = description("send_queue_bytes", "Bytes that the server sent and that were not acknowledged.")
	acceptQueue    = description("accept_queue_connections",
		"Connections that wait to be accepted by the server, in its fullest queue.")
	acceptLimit = description("accept_queue_limit_connections", "Limit of that queue (backlog).")
	overflows   = description("listen_overflows_total",
		"Connections that found an accept queue full, of all servers of the network namespace.")
)

// peer is whom the server is connected to.
type peer struct{ destination, role string }

// peers are what usually listens on a port.
var peers = map[uint16]peer{
	443: {"HTTPS", "service"}, 3306: {"MySQL", "database"}, 5432: {"PostgreSQL", "database"},
	6379: {"Redis", "cache"}, 9200: {"Elasticsearch", "service"}, 27017: {"MongoDB", "database"},
}

func peerOn(port uint16) peer {
	if one, known := peers[port]; known {
		return one
	}
	return peer{"port " + strconv.Itoa(int(port)), "service"}
}

// tcpSockets returns those of this network namespace, both address families (sock_diag(7)).
func tcpSockets() ([]*netlink.InetDiagTCPInfoResp, error) {
	v4, err := netlink.SocketDiagTCPInfo(unix.AF_INET)
	if err != nil {
		return nil, err
	}
	// A kernel may have no IPv6.
	v6, _ := netlink.SocketDiagTCPInfo(unix.AF_INET6)
	return append(v4, v6...), nil
}

// socketsCollector makes metrics of the server's sockets. Counts of segments outlive their connections.
type socketsCollector struct {
	segments map[uint32]uint32
	sent     map[peer]float64
}

func (c *socketsCollector) collect(metrics chan<- prometheus.Metric, tcp []*netlink.InetDiagTCPInfoResp, own map[uint64]bool) {
	listeners := make(map[uint16]bool)
	var fullest *netlink.Socket
	for _, one := range tcp {
		listener := one.InetDiagMsg
		if listener.State != netlink.TCP_LISTEN || !own[uint64(listener.INode)] {
			continue
		}
		listeners[listener.ID.SourcePort] = true
		if fullest == nil || fullness(listener) > fullness(fullest) {
			fullest = listener
		}
	}
	if fullest != nil {
		metrics <- gauge(acceptQueue, float64(fullest.RQueue))
		metrics <- gauge(acceptLimit, float64(fullest.WQueue))
	}
	var in, unreadIn, queued uint32
	out, waits := make(map[peer]int), make(map[peer]int)
	segments := make(map[uint32]uint32)
	for _, one := range tcp {
		socket := one.InetDiagMsg
		if socket.State != netlink.TCP_ESTABLISHED || !own[uint64(socket.INode)] {
			continue
		}
		queued += socket.WQueue
		if listeners[socket.ID.SourcePort] {
			in++
			if socket.RQueue > 0 {
				unreadIn++
			}
			continue
		}
		other := peerOn(socket.ID.DestinationPort)
		out[other]++
		if info := one.TCPInfo; info != nil {
			// Both are milliseconds ago.
			if info.Last_data_sent < info.Last_data_recv {
				waits[other]++
			}
			segments[socket.INode] = info.Data_segs_out
			c.sent[other] += float64(info.Data_segs_out - min(info.Data_segs_out, c.segments[socket.INode]))
		}
	}
	c.segments = segments
	metrics <- gauge(connectionsIn, float64(in))
	metrics <- gauge(unread, float64(unreadIn))
	metrics <- gauge(sendQueue, float64(queued))
	// Whom a server was connected to once it is not connected to now, rather than unknown.
	for other, count := range c.sent {
		metrics <- gauge(connectionsOut, float64(out[other]), other.destination, other.role)
		metrics <- gauge(waiting, float64(waits[other]), other.destination, other.role)
		metrics <- counter(sent, count, other.destination, other.role)
	}
}

// fullness of a listener's queue, 0 to 1.
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

// socketInodes returns the inodes of a process' sockets; none where its files may not be looked at.
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
