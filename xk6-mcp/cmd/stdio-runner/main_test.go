//go:build linux

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary runs as stdio-runner if this variable is set.
const isRunner = "STDIO_RUNNER_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(isRunner) != "" {
		main()
	}
	os.Exit(m.Run())
}

func runner(words ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], words...)
	cmd.Env = append(os.Environ(), isRunner+"=1")
	return cmd
}

// listening starts a stdio-runner that starts programs, until the test ends.
func listening(t *testing.T) (socket string) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "socket")
	cmd := runner("-listen", socket)
	cmd.Env = append(cmd.Env, "OF=image")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	eventually(t, func() bool {
		_, err := os.Stat(socket)
		return err == nil
	})
	return socket
}

func eventually(t *testing.T, isSo func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if isSo() {
			return
		}
	}
	t.Fatal("it did not become so in 10 s")
}

// TestStreams checks that the program gets the client's streams and only its named variables, and that its exit code is returned.
func TestStreams(t *testing.T) {
	cmd := runner("-connect", listening(t), "-env", "KEY,UNSET", "sh", "-c", `cat; echo "$OF $KEY $OTHER" >&2; exit 7`)
	cmd.Env = append(cmd.Env, "KEY=open", "OTHER=none", "OF=client")
	cmd.Stdin = strings.NewReader("hello\n")
	var output, faults bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &faults
	err := cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 7 || output.String() != "hello\n" || faults.String() != "image open \n" {
		t.Errorf("got %v, %q and %q; expected exit code 7, its input, and the variables of both", err, output.String(), faults.String())
	}
}

// TestOutputEnds checks that the client notices that a program has closed its output while it is still running.
func TestOutputEnds(t *testing.T) {
	cmd := runner("-connect", listening(t), "sh", "-c", "exec >&-; read -r line")
	input, _ := cmd.StdinPipe()
	output, err := cmd.StdoutPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(output); err != nil || len(text) > 0 {
		t.Errorf("got %q, %v; expected the end", text, err)
	}
	if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("got %v; expected that it still runs", err)
	}
	_ = input.Close()
	_ = cmd.Wait()
}

// TestSignals checks that a signal reaches the program and its children, and that the client ends by the signal that ended the program.
func TestSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		mark := filepath.Join(t.TempDir(), "pid")
		cmd := runner("-connect", listening(t), "sh", "-c", `sleep 1000 & echo $! >"$0.new"; mv "$0.new" "$0"; wait`, mark)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var pid []byte
		eventually(t, func() (isThere bool) {
			var err error
			pid, err = os.ReadFile(mark)
			return err == nil
		})
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if status.Signal() != signal {
			t.Errorf("%v: got %v", signal, cmd.ProcessState)
		}
		eventually(t, func() bool { return !runs(strings.TrimSpace(string(pid))) })
	}
}

// runs reports whether a process exists and has not ended.
func runs(pid string) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}

// TestNotStarted checks that a program that cannot be started is reported, with the exit code of a shell.
func TestNotStarted(t *testing.T) {
	for socket, says := range map[string]string{
		listening(t): "no-such-program", filepath.Join(t.TempDir(), "none"): "the container that starts the server does not answer",
	} {
		cmd := runner("-connect", socket, "no-such-program")
		text, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != notStarted || !strings.Contains(string(text), says) {
			t.Errorf("got %v and %q; expected 127 and %q", cmd.ProcessState, text, says)
		}
	}
	for _, words := range [][]string{{}, {"-listen", "a", "b"}, {"-connect", "a"}} {
		if code, err := run(words); code != 2 || err == nil {
			t.Errorf("%q: got %d, %v; expected 2", words, code, err)
		}
	}
}
