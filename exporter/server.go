package main

import (
	"maps"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/procfs"
	"github.com/vishvananda/netlink"
)

// server finds the server's processes and their descendants. The server's processes are the ones that listen on its address, that have a given PID,
// or that k6 has started.
type server struct {
	fs        procfs.FS
	addresses []net.IP
	port      uint16
	pid       int
	// PID of an ancestor of k6; k6's children are the server.
	generator int
	roots     []int
	restarts  int
	sockets   map[int]*openSockets
}

// openSockets contains the inodes of a process's sockets.
type openSockets struct {
	inodes []uint64
	// The start time of the process, which distinguishes it from a later one with the same PID, and the number of its open files when the inodes were
	// read.
	started uint64
	files   int
	scrapes int
}

// The inodes are re-read after this number of scrapes even if the number of open files is unchanged.
const maxScrapes = 5

// process is a process with the time at which it was read and, for the server's processes, the inodes of its sockets.
type process struct {
	procfs.Proc
	stat    procfs.ProcStat
	read    time.Time
	sockets []uint64
}

// table contains all running processes by PID.
type table struct {
	processes map[int]process
	children  map[int][]int
}

func readTable(fs procfs.FS) (*table, error) {
	all, err := fs.AllProcs()
	if err != nil {
		return nil, err
	}
	t := &table{processes: make(map[int]process, len(all)), children: make(map[int][]int)}
	for _, proc := range all {
		// Processes may have exited in the meantime.
		if stat, err := proc.Stat(); err == nil && stat.State != "Z" {
			t.processes[proc.PID] = process{Proc: proc, stat: stat, read: time.Now()}
			t.children[stat.PPID] = append(t.children[stat.PPID], proc.PID)
		}
	}
	return t, nil
}

// collectTree adds a process and its descendants.
func (t *table) collectTree(pid int, into map[int]process) {
	one, runs := t.processes[pid]
	if _, known := into[pid]; known || !runs {
		return
	}
	into[pid] = one
	for _, child := range t.children[pid] {
		t.collectTree(child, into)
	}
}

// processes returns the server's running processes. A restarted server is found again. It is not an error if there are none.
func (s *server) processes(t *table, tcp []*netlink.InetDiagTCPInfoResp) []process {
	stats, children := t.processes, t.children
	sockets := make(map[int]*openSockets)
	socketsOf := func(pid int) []uint64 {
		if _, known := sockets[pid]; !known {
			sockets[pid] = s.socketsOf(stats[pid])
		}
		return sockets[pid].inodes
	}
	defer func() { s.sockets = sockets }()
	var found []process
	seen := make(map[int]bool)
	roots := s.rootsAmong(stats, tcp, socketsOf)
	if s.generator != 0 {
		roots = t.startedByK6(s.generator)
	}
	queue := slices.Clone(roots)
	for len(queue) > 0 {
		pid := queue[0]
		queue = queue[1:]
		if one, ok := stats[pid]; ok && !seen[pid] {
			seen[pid] = true
			one.sockets = socketsOf(pid)
			found = append(found, one)
			queue = append(queue, children[pid]...)
		}
	}
	return found
}

// startedByK6 returns the children of each k6 below a process, except for the child that outlives k6, which has its own session. In a container,
// xk6-mcp/cmd/stdio-runner starts them for k6.
func (t *table) startedByK6(pid int) []int {
	below := make(map[int]process)
	t.collectTree(pid, below)
	var found []int
	for _, one := range below {
		parent, known := below[one.stat.PPID]
		if known && (parent.stat.Comm == "k6" || parent.stat.Comm == "stdio-runner") && one.stat.Session == parent.stat.Session {
			found = append(found, one.PID)
		}
	}
	slices.Sort(found)
	return found
}

// socketsOf reads the inodes of a process's sockets. This takes long with thousands of open files, so the previous result is reused if it is probably
// unchanged.
func (s *server) socketsOf(one process) *openSockets {
	files, _ := one.FileDescriptorsLen()
	if known := s.sockets[one.PID]; known != nil && known.started == one.stat.Starttime && known.files == files && known.scrapes < maxScrapes {
		known.scrapes++
		return known
	}
	return &openSockets{inodes: socketInodes(one.Proc), started: one.stat.Starttime, files: files}
}

// rootsAmong returns the root processes of the server. It searches again when none of them listens any more.
func (s *server) rootsAmong(stats map[int]process, tcp []*netlink.InetDiagTCPInfoResp, socketsOf func(int) []uint64) []int {
	if s.pid != 0 {
		return []int{s.pid}
	}
	listeners := make(map[uint64]bool)
	for _, one := range tcp {
		if s.isListener(one.InetDiagMsg) {
			listeners[uint64(one.InetDiagMsg.INode)] = true
		}
	}
	listens := func(pid int) bool {
		_, runs := stats[pid]
		return runs && slices.ContainsFunc(socketsOf(pid), func(inode uint64) bool { return listeners[inode] })
	}
	if slices.ContainsFunc(s.roots, listens) {
		return s.roots
	}
	found := slices.Sorted(maps.Keys(stats))
	found = slices.DeleteFunc(found, func(pid int) bool { return !listens(pid) })
	if len(found) > 0 {
		if len(s.roots) > 0 {
			s.restarts++
		}
		s.roots = found
	}
	return found
}

// listensOn sets the address of the server: host:port.
func (s *server) listensOn(target string) error {
	host, service, err := net.SplitHostPort(target)
	if err != nil {
		return err
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return err
	}
	s.port = uint16(port)
	s.addresses, err = net.LookupIP(host)
	return err
}

func (s *server) isListener(socket *netlink.Socket) bool {
	address := socket.ID.Source
	return socket.State == netlink.TCP_LISTEN && socket.ID.SourcePort == s.port &&
		(address.IsUnspecified() || slices.ContainsFunc(s.addresses, address.Equal))
}
