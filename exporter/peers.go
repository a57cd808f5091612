package main

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
)

const (
	maxPeerProcesses = 256
	maxServices      = 32
	// Finding a program requires reading the file descriptors of all processes.
	minSearchPause = 5 * time.Second
)

// peerFinder finds the programs on this machine that the server is connected to, for example its database, a browser or another server.
type peerFinder struct {
	// By the address they listen on: an IP address with a port, or the path of a Unix socket.
	roots    map[string][]root
	searched time.Time
}

// root is the first process of a program. Its start time distinguishes it from a later process with the same PID.
type root struct {
	pid     int
	started uint64
}

// end is the program's end of a connection to the server.
type end struct {
	inode uint64
	user  int
}

const unknownUser = -1

// processes returns the processes of the programs at these ends of connections.
func (f *peerFinder) processes(t *table, server map[int]bool, ends map[string]end) []process {
	ancestors := t.ancestorsOf(server)
	f.search(t, ends, func(pid int) bool { return server[pid] || ancestors[pid] })
	found := make(map[int]process)
	for _, roots := range f.roots {
		for _, one := range roots {
			// An ancestor of the server or of this exporter has descendants that are unrelated to the connection.
			if ancestors[one.pid] {
				found[one.pid] = t.processes[one.pid]
			} else {
				t.collectTree(one.pid, found)
			}
		}
	}
	var processes []process
	for pid, one := range found {
		if !server[pid] && one.PID == pid {
			processes = append(processes, one)
		}
	}
	slices.SortFunc(processes, func(a, b process) int { return a.PID - b.PID })
	return processes[:min(len(processes), maxPeerProcesses)]
}

// known returns the peers that are identified by the names of their programs, by the address they listen on.
func (f *peerFinder) known(t *table) map[netip.AddrPort]peer {
	found := make(map[netip.AddrPort]peer)
	for service, roots := range f.roots {
		address, err := netip.ParseAddrPort(service)
		if err != nil {
			continue
		}
		for _, one := range roots {
			if its, known := peersByProgram[t.processes[one.pid].stat.Comm]; known {
				found[address] = its
			}
		}
	}
	return found
}

// search finds the programs of peers that are unknown or have ended. The search for the root of a program stops before processes that are apart.
func (f *peerFinder) search(t *table, ends map[string]end, apart func(pid int) bool) {
	runs := func(one root) bool { return t.processes[one.pid].stat.Starttime == one.started }
	wanted := make(map[uint64]string)
	for service, one := range ends {
		known, found := f.roots[service]
		if !slices.ContainsFunc(known, runs) && (found || len(f.roots)+len(wanted) < maxServices) {
			wanted[one.inode] = service
		}
	}
	if len(wanted) == 0 || time.Since(f.searched) < minSearchPause {
		return
	}
	f.searched = time.Now()
	found := make(map[string][]root)
	for pid, one := range t.processes {
		for _, inode := range socketInodes(one.Proc) {
			if service, asked := wanted[inode]; asked {
				found[service] = append(found[service], t.rootOf(pid, apart))
			}
		}
	}
	if f.roots == nil {
		f.roots = make(map[string][]root)
	}
	for _, service := range wanted {
		f.roots[service] = found[service]
		if len(found[service]) == 0 {
			f.roots[service] = t.rootsOf(ends[service].user)
		}
	}
}

// rootOf returns the first ancestor of the same program: the backends of a database belong to the process that started them.
func (t *table) rootOf(pid int, apart func(pid int) bool) root {
	one := t.processes[pid]
	for {
		parent, runs := t.processes[one.stat.PPID]
		if !runs || apart(parent.PID) || parent.stat.Comm != one.stat.Comm {
			return root{one.PID, one.stat.Starttime}
		}
		one = parent
	}
}

// ancestorsOf returns the ancestors of these processes and of this exporter.
func (t *table) ancestorsOf(pids map[int]bool) map[int]bool {
	ancestors := make(map[int]bool)
	for pid := range pids {
		t.addAncestors(pid, ancestors)
	}
	t.addAncestors(os.Getpid(), ancestors)
	return ancestors
}

func (t *table) addAncestors(pid int, into map[int]bool) {
	for parent := t.processes[pid].stat.PPID; parent != 0 && !into[parent]; parent = t.processes[parent].stat.PPID {
		into[parent] = true
	}
}

// rootsOf returns all processes of a user whose file descriptors are not readable, because a database usually has its own user. It returns none for
// root and the exporter's own user, who also run other programs.
func (t *table) rootsOf(user int) []root {
	if user <= 0 || user == os.Getuid() {
		return nil
	}
	var roots []root
	for pid, one := range t.processes {
		info, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid)))
		if err != nil {
			continue
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) == user {
			roots = append(roots, root{pid, one.stat.Starttime})
		}
	}
	return roots
}

// connection is a connection from the perspective of one of its ends.
type connection struct{ from, to netip.AddrPort }

func connectionOf(socket *netlink.Socket) connection {
	source, _ := netip.AddrFromSlice(socket.ID.Source)
	destination, _ := netip.AddrFromSlice(socket.ID.Destination)
	return connection{
		from: netip.AddrPortFrom(source.Unmap(), socket.ID.SourcePort),
		to:   netip.AddrPortFrom(destination.Unmap(), socket.ID.DestinationPort),
	}
}

// endsOf returns, for each service, the peer's end of a server connection if the peer is on this machine. outgoing lists the connections that
// the server opened.
func endsOf(tcp []*netlink.InetDiagTCPInfoResp, outgoing []*netlink.Socket, own map[uint64]bool) map[string]end {
	ends := make(map[string]end)
	// There may be thousands of clients, but only few outgoing connections.
	wanted := make(map[connection]bool, len(outgoing))
	for _, one := range outgoing {
		own := connectionOf(one)
		wanted[connection{from: own.to, to: own.from}] = true
	}
	for _, one := range tcp {
		other := one.InetDiagMsg
		if its := connectionOf(other); wanted[its] {
			ends[its.from.String()] = end{uint64(other.INode), int(other.UID)}
		}
	}
	addUnixEnds(ends, own)
	return ends
}

// addUnixEnds adds the ends of Unix sockets: an accepted socket has the name of the listening socket.
func addUnixEnds(ends map[string]end, own map[uint64]bool) {
	sockets, err := netlink.UnixSocketDiagInfo()
	if err != nil {
		return
	}
	for _, one := range sockets {
		if one.Name != nil && *one.Name != "" && one.Peer != nil && own[uint64(*one.Peer)] && !own[uint64(one.DiagMsg.INode)] {
			ends[*one.Name] = end{uint64(one.DiagMsg.INode), unknownUser}
		}
	}
}
