//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// maxOutcome is the maximum size of an outcome, in bytes. It comes from the server's container, which is not trusted.
const maxOutcome = 64 << 10

// passed are the signals that are forwarded: those that end a program and can be caught.
var passed = []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM}

// start asks a stdio-runner to run a program, and exits as the program does: with its exit code, or by its signal.
func start(socket string, wanted order) (code int, err error) {
	signals := make(chan os.Signal, len(passed))
	signal.Notify(signals, passed...)
	server, err := net.DialUnix("unix", nil, unixSocket(socket))
	if err != nil {
		return notStarted, fmt.Errorf("the container that starts the server does not answer: %w", err)
	}
	if _, _, err := server.WriteMsgUnix([]byte{0}, syscall.UnixRights(0, 1, 2), nil); err != nil {
		return notStarted, err
	}
	// Close these copies. While they are open, the client cannot detect that the program has closed its streams.
	_ = os.Stdin.Close()
	_ = os.Stdout.Close()
	if err := json.NewEncoder(server).Encode(wanted); err != nil {
		return notStarted, err
	}
	go func() {
		for one := range signals {
			number, _ := one.(syscall.Signal)
			_, _ = server.Write([]byte{byte(number)})
		}
	}()
	var end outcome
	if err := json.NewDecoder(io.LimitReader(server, maxOutcome)).Decode(&end); err != nil {
		return notStarted, errors.New("the container that starts the server has ended")
	}
	if end.Error != "" {
		return end.Code, errors.New(end.Error)
	}
	endBy(syscall.Signal(end.Signal))
	return end.Code, nil
}

// endBy ends this process by a signal, except for signals at which the Go runtime prints stack traces.
func endBy(number syscall.Signal) {
	if number != syscall.SIGKILL && !slices.Contains(passed, os.Signal(number)) {
		return
	}
	signal.Reset(number)
	_ = syscall.Kill(os.Getpid(), number)
	// The signal is delivered asynchronously.
	time.Sleep(time.Second)
}
