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

func inGroup() *syscall.SysProcAttr { return nil }
