//go:build !linux

package mcp

import "os/exec"

// startInGroup starts a process in its own process group, if the platform has process groups.
func startInGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = inGroup()
	return cmd.Start()
}

// awaitExit waits for the end of the output, which it takes for the end of the process.
func awaitExit(_ int, outputEnded <-chan struct{}) { <-outputEnded }
