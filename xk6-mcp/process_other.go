//go:build !linux

package mcp

import "os/exec"

// startInGroup starts a process in a group of its own, where there are any.
func startInGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = inGroup()
	return cmd.Start()
}

// awaitExit knows of an end by that of the output.
func awaitExit(_ int, outputEnded <-chan struct{}) { <-outputEnded }
