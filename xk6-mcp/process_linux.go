package mcp

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"mcp-load-lab/xk6-mcp/internal/child"
)

// starting runs on one thread that lives as long as k6: the kernel sends a child its signal when the thread that started it ends.
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

// startInGroup starts a process in a group of its own, which is killed when k6 is.
func startInGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = inGroup()
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	done := make(chan error)
	starting() <- func() { done <- cmd.Start() }
	return <-done
}

// awaitExit waits until a process has ended, and leaves it to be waited for.
func awaitExit(pid int, _ <-chan struct{}) { child.AwaitExit(pid) }
