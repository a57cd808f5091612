// Command rusage runs a command and writes what the kernel counted for it: CPU time and peak memory.
//
//	rusage FILE COMMAND [ARGUMENT ...]
//
// FILE gets one JSON object. The exit code is the command's.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

func main() {
	if len(os.Args) < 3 {
		fail("usage: rusage FILE COMMAND [ARGUMENT ...]")
	}
	// The kernel ends the child with the thread that started it.
	runtime.LockOSThread()
	command := exec.Command(os.Args[2], os.Args[3:]...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	// A bench that is ended takes what it measures with it.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err := command.Run()
	if command.ProcessState == nil {
		fail(err.Error())
	}
	usage := command.ProcessState.SysUsage().(*syscall.Rusage)
	figures, err := json.Marshal(map[string]int64{
		"user_us":     usage.Utime.Nano() / 1000,
		"system_us":   usage.Stime.Nano() / 1000,
		"max_rss_kib": usage.Maxrss,
	})
	if err == nil {
		err = os.WriteFile(os.Args[1], figures, 0o600)
	}
	if err != nil {
		fail(err.Error())
	}
	code := command.ProcessState.ExitCode()
	if code < 0 {
		code = 1
	}
	os.Exit(code)
}

func fail(text string) {
	fmt.Fprintln(os.Stderr, "rusage:", text)
	os.Exit(2)
}
