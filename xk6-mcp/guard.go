package mcp

import (
	"fmt"
	"io"
	"os/exec"
	"sync"
)

// guardScript keeps a list of process groups, and ends them when its standard input is closed. This leaves no server behind, however k6 ends.
// The groups get as much time to exit as a server whose standard input was closed.
const guardScript = `live=' '
while read -r change group; do
	case $change in
	+) live="$live$group " ;;
	-) live="${live%% $group *} ${live##* $group }" ;;
	esac
done
send() { for group in $live; do kill -s "$1" -- "-$group" 2>/dev/null; done; }
[ "$live" = ' ' ] && exit
sleep 2; send TERM
sleep 2; send KILL`

// guard is the process that outlives k6 and runs guardScript.
var guard struct {
	sync.Mutex
	input io.Writer
	isOff bool
}

// tellGuard sends a line to the guard, which it starts with the first line. If there is no shell, there is no guard.
func tellGuard(change string, group int) {
	guard.Lock()
	defer guard.Unlock()
	if guard.input == nil && !guard.isOff {
		cmd := exec.Command("sh", "-c", guardScript)
		cmd.Env = []string{"PATH=/usr/bin:/bin"}
		cmd.SysProcAttr = inSession()
		input, err := cmd.StdinPipe()
		if guard.isOff = err != nil || cmd.Start() != nil; !guard.isOff {
			guard.input = input
			go func() { _ = cmd.Wait() }()
		}
	}
	if guard.input != nil {
		_, _ = fmt.Fprintln(guard.input, change, group)
	}
}

func guardGroup(group int) { tellGuard("+", group) }

func unguardGroup(group int) { tellGuard("-", group) }
