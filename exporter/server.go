package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// States of a socket in /proc/net/tcp.
const (
	established = 1
	listening   = 10
)

// server finds the processes of the server: those that listen on its port, or one that is named, and their descendants.
type server struct {
	fs    procfs.FS
	port  uint64
	pid   int
	roots []int
}

// process is one of the server's, with the inodes of its sockets.
type process struct {
	procfs.Proc
	stat    procfs.ProcStat
	sockets []uint64
}

// processes returns those that run now, of the sockets that there are. A server that was restarted is found again; none is no error.
func (s *server) processes(tcp procfs.NetTCP) ([]process, error) {
	all, err := s.fs.AllProcs()
	if err != nil {
		return nil, err
	}
	stats := make(map[int]process, len(all))
	children := make(map[int][]int)
	for _, proc := range all {
		// Processes come and go.
		if stat, err := proc.Stat(); err == nil && stat.State != "Z" {
			stats[proc.PID] = process{Proc: proc, stat: stat}
			children[stat.PPID] = append(children[stat.PPID], proc.PID)
		}
	}
	// Once for each process: a server may have thousands.
	sockets := make(map[int][]uint64)
	socketsOf := func(pid int) []uint64 {
		if _, known := sockets[pid]; !known {
			sockets[pid] = readSockets(stats[pid].Proc)
		}
		return sockets[pid]
	}
	var found []process
	seen := make(map[int]bool)
	queue := slices.Clone(s.rootsAmong(stats, tcp, socketsOf))
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
	return found, nil
}

// rootsAmong returns the processes that the others come from: looked for again once none of them listens on the port.
func (s *server) rootsAmong(stats map[int]process, tcp procfs.NetTCP, socketsOf func(int) []uint64) []int {
	if s.pid != 0 {
		return []int{s.pid}
	}
	listeners := make(map[uint64]bool)
	for _, one := range tcp {
		if one.St == listening && one.LocalPort == s.port {
			listeners[one.Inode] = true
		}
	}
	listens := func(pid int) bool {
		_, runs := stats[pid]
		return runs && slices.ContainsFunc(socketsOf(pid), func(inode uint64) bool { return listeners[inode] })
	}
	if !slices.ContainsFunc(s.roots, listens) {
		s.roots = slices.Collect(maps.Keys(stats))
		s.roots = slices.DeleteFunc(s.roots, func(pid int) bool { return !listens(pid) })
	}
	return s.roots
}

// tcpSockets returns those of both address families.
func tcpSockets(fs procfs.FS) procfs.NetTCP {
	// A kernel may have no IPv6.
	v4, _ := fs.NetTCP()
	v6, _ := fs.NetTCP6()
	return append(v4, v6...)
}

// readSockets returns the inodes of a process' sockets; none where its files may not be looked at.
func readSockets(proc procfs.Proc) []uint64 {
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
