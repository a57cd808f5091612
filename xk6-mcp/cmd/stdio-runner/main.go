//go:build linux

// Command stdio-runner runs a program in a different container than its client. In the program's container, it listens on a socket and starts
// programs. In the client's container, it replaces the program: it passes its standard streams to the program, which reads and writes them
// directly. It also forwards signals, and exits as the program does.
//
//	stdio-runner -listen SOCKET
//	stdio-runner -connect SOCKET [-env NAME,...] COMMAND [ARGUMENT...]
package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"strings"
)

// notStarted is the exit code if the program cannot be started, as in a shell.
const notStarted = 127

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func run(words []string) (code int, err error) {
	flags := flag.NewFlagSet("stdio-runner", flag.ContinueOnError)
	listen := flags.String("listen", "", "the `socket` to start programs for")
	connect := flags.String("connect", "", "the `socket` of the stdio-runner that starts the program")
	names := flags.String("env", "", "`names` of the variables that the program gets in addition to those of that stdio-runner, separated by commas")
	if err := flags.Parse(words); err != nil {
		return 2, err
	}
	switch {
	case *listen != "" && flags.NArg() == 0:
		return 1, serve(*listen)
	case *connect != "" && flags.NArg() > 0:
		return start(*connect, order{Command: flags.Args(), Env: variables(*names)})
	}
	return 2, errors.New("got neither -listen nor a command; valid: -listen SOCKET, or -connect SOCKET COMMAND")
}

// variables returns the named variables that are set, as NAME=value.
func variables(names string) []string {
	var found []string
	for name := range strings.SplitSeq(names, ",") {
		if value, isSet := os.LookupEnv(name); isSet {
			found = append(found, name+"="+value)
		}
	}
	return found
}

func unixSocket(path string) *net.UnixAddr { return &net.UnixAddr{Name: path, Net: "unix"} }

// order is the request of a client. It follows one byte that carries the file descriptors of the client's standard streams. Each byte after it
// is a signal for the program's process group.
type order struct {
	Command []string `json:"command"`
	Env     []string `json:"env"`
}

// outcome is the reply to an order, sent when the program has ended.
type outcome struct {
	// Why the program could not be started.
	Error string `json:"error,omitempty"`
	Code  int    `json:"code"`
	// The signal that ended the program; 0 if none did.
	Signal int `json:"signal"`
}
