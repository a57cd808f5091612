//go:build unix

package mcp

import "syscall"

// terminateGroup sends SIGTERM to a process and its descendants.
func terminateGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }

// killGroup kills a process and its descendants. The process must not have been reaped, so that its PID cannot have been reused.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// inSession puts a process into its own session, where Ctrl-C in the terminal does not reach it.
func inSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func inGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
