//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"syscall"

	"mcp-load-lab/xk6-mcp/internal/child"
)

// streams is the number of standard streams: input, output and error.
const streams = 3

// serve starts programs until it fails.
func serve(socket string) error {
	// A container that was ended leaves its socket behind.
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	listener, err := net.ListenUnix("unix", unixSocket(socket))
	if err != nil {
		return err
	}
	// The client runs as another user. The permissions of the folder decide who can reach the socket.
	if err := os.Chmod(socket, 0o666); err != nil {
		return err
	}
	for {
		client, err := listener.AcceptUnix()
		if err != nil {
			return err
		}
		go func() {
			defer client.Close()
			_ = json.NewEncoder(client).Encode(runFor(client))
		}()
	}
}

// runFor runs a client's program until it ends. If the client disconnects, the program is killed.
func runFor(client *net.UnixConn) outcome {
	files, err := receiveFiles(client)
	defer func() {
		for _, file := range files {
			_ = file.Close()
		}
	}()
	if err != nil {
		return outcome{Error: err.Error(), Code: notStarted}
	}
	var asked order
	words := bufio.NewReader(client)
	if line, err := words.ReadBytes('\n'); err != nil || json.Unmarshal(line, &asked) != nil || len(asked.Command) == 0 {
		return outcome{Error: "got no command", Code: notStarted}
	}
	cmd := exec.Command(asked.Command[0], asked.Command[1:]...)
	cmd.Env = append(os.Environ(), asked.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return outcome{Error: err.Error(), Code: notStarted}
	}
	for _, file := range files {
		_ = file.Close()
	}
	group := -cmd.Process.Pid
	ended := make(chan struct{})
	passed := make(chan struct{})
	go func() {
		defer close(passed)
		passSignals(words, group, ended)
	}()
	child.AwaitExit(cmd.Process.Pid)
	close(ended)
	_ = client.CloseRead()
	<-passed
	// Until the process is reaped, its group's ID is not reused.
	_ = syscall.Kill(group, syscall.SIGKILL)
	_ = cmd.Wait()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return outcome{Code: 128 + int(status.Signal()), Signal: int(status.Signal())}
	}
	return outcome{Code: status.ExitStatus()}
}

// receiveFiles receives the client's standard streams.
func receiveFiles(client *net.UnixConn) (files []*os.File, err error) {
	space := make([]byte, syscall.CmsgSpace(streams*4))
	_, size, _, _, err := client.ReadMsgUnix(make([]byte, 1), space)
	if err != nil {
		return nil, err
	}
	messages, err := syscall.ParseSocketControlMessage(space[:size])
	if err != nil {
		return nil, err
	}
	for i := range messages {
		numbers, err := syscall.ParseUnixRights(&messages[i])
		if err != nil {
			return files, err
		}
		for _, number := range numbers {
			syscall.CloseOnExec(number)
			files = append(files, os.NewFile(uintptr(number), "stream"))
		}
	}
	if len(files) != streams {
		return files, errors.New("got no standard streams")
	}
	return files, nil
}

// passSignals forwards signals to a process group until the program has ended. If the client disconnects, it sends SIGKILL.
func passSignals(from *bufio.Reader, group int, ended <-chan struct{}) {
	for {
		number, err := from.ReadByte()
		signal := syscall.Signal(number)
		if err != nil {
			signal = syscall.SIGKILL
		}
		select {
		case <-ended:
			return
		default:
			_ = syscall.Kill(group, signal)
		}
		if err != nil {
			return
		}
	}
}
