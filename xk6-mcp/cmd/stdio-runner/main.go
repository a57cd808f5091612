//go:build linux

// Command stdio-runner starts programs in another container than that of the client that uses them. In the one it listens on a socket; in the
// other it stands for the program: it hands over its standard streams, which the program then reads and writes itself, passes signals on, and
// ends as the program does.
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

// As a shell has it, where a program could not be started.
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
	names := flags.String("env", "", "`names` of the variables that the program gets besides those of that stdio-runner, separated by commas")
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

// variables returns those of these names that are set, as NAME=value.
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

// order is what a client asks for, after one byte that brings its standard streams. Each byte after it is a signal for the program's group.
type order struct {
	Command []string `json:"command"`
	Env     []string `json:"env"`
}

// outcome is the answer, once the program has ended.
type outcome struct {
	// Why it could not be started.
	Error string `json:"error,omitempty"`
	Code  int    `json:"code"`
	// That ended it; 0: none.
	Signal int `json:"signal"`
}
