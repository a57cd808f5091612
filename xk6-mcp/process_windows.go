package mcp

import (
	"os"
	"syscall"
)

func terminateGroup(pid int) { killGroup(pid) }

func killGroup(pid int) {
	if process, err := os.FindProcess(pid); err == nil {
		_ = process.Kill()
	}
}

func inSession() *syscall.SysProcAttr { return nil }

func inGroup() *syscall.SysProcAttr { return nil }
