//go:build unix

package mcp

import "syscall"

// terminateGroup asks a process and what it started to end.
func terminateGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }

// killGroup ends a process that was not waited for yet, so that its number is no other one's, and what it started.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// inSession is for what the terminal's Ctrl-C does not reach.
func inSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func inGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
