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

// Bytes of an outcome: what sends it runs where the server runs.
const maxOutcome = 64 << 10

// passed are the signals that end a program, and can be taken.
var passed = []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM}

// start has a program started, and ends as it does: with its exit code, or by its signal.
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
	// Its end would not be seen otherwise.
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

// endBy ends this process by a signal, but for those that Go prints its stacks at.
func endBy(number syscall.Signal) {
	if number != syscall.SIGKILL && !slices.Contains(passed, os.Signal(number)) {
		return
	}
	signal.Reset(number)
	_ = syscall.Kill(os.Getpid(), number)
	// It comes, but not at once.
	time.Sleep(time.Second)
}
