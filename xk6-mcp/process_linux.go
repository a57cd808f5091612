package mcp

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"mcp-load-lab/xk6-mcp/internal/child"
)

// starting runs functions on one thread that lives as long as k6: the kernel sends a child its Pdeathsig when the thread that started it ends.
var starting = sync.OnceValue(func() chan<- func() {
	starts := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range starts {
			start()
		}
	}()
	return starts
})

// startInGroup starts a process in its own process group. The process is killed when k6 ends.
func startInGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = inGroup()
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	done := make(chan error)
	starting() <- func() { done <- cmd.Start() }
	return <-done
}

// awaitExit waits until a process has ended, without reaping it.
func awaitExit(pid int, _ <-chan struct{}) { child.AwaitExit(pid) }
