//go:build unix

package mcp

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// modeVariable makes the test binary run as a server.
const modeVariable = "STDIO_TEST_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVariable); mode != "" {
		serve(mode)
		return
	}
	os.Exit(m.Run())
}

// childID is the PID of the process that the server started, if it started one.
var childID int

// serve runs a server that misbehaves in the way that the mode says.
func serve(mode string) {
	switch mode {
	case "broken":
		fmt.Fprintln(os.Stderr, "cannot find module 'x'\nsee the manual")
		os.Exit(3)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
	case "chatty":
		fmt.Fprintln(os.Stderr, strings.Repeat("a line\n", 100_000))
	case "parent":
		child := exec.Command("sleep", "300")
		child.Stdout = os.Stdout
		_ = child.Start()
		childID = child.Process.Pid
	case "daemon":
		child := exec.Command("sleep", "5")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		_ = child.Start()
	}
	reader := bufio.NewReader(os.Stdin)
	for {
		text, err := reader.ReadString('\n')
		if err != nil {
			break
		}
		answerLine(mode, text)
	}
	for mode == "stubborn" {
		time.Sleep(time.Second)
	}
}

func answerLine(mode, text string) {
	id, method, params := gjson.Get(text, "id").Raw, gjson.Get(text, "method").Str, gjson.Get(text, "params")
	isLegacy := mode != "modern" && mode != "listen"
	switch {
	case id == "":
		fmt.Fprintln(os.Stderr, method, params.Raw)
	case method == "server/discover" && mode == "silent":
	case method == "server/discover" && !isLegacy:
		fmt.Println(reply(id, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"_meta":{"`+serverInfoKey+`":{"name":"s","version":"1"}}}`))
	case method == "server/discover":
		fmt.Println(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32601,"message":"Method not found"}}`)
	case method == "initialize":
		fmt.Println(reply(id, `{"protocolVersion":`+params.Get("protocolVersion").Raw+`,"capabilities":{},"serverInfo":{"name":"old","version":"2"}}`))
	case method == "subscriptions/listen":
		meta := `"_meta":{"` + subscriptionKey + `":` + id + `}`
		fmt.Println(`{"jsonrpc":"2.0","method":"` + acknowledged + `","params":{` + meta + `}}`)
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{` + meta + `}}`)
	case method == "tools/call":
		answerCall(mode, id, params)
	case method == "":
	default:
		fmt.Println(reply(id, `{}`))
	}
}

// working is the number of calls in progress. In the mode "lock", the server is stuck once there are two.
var (
	working atomic.Int32
	isStuck atomic.Bool
)

const workTime = 40 * time.Millisecond

// workOn answers after a while, and continues to read meanwhile. A forgetful server only answers the last of several simultaneous calls.
func workOn(mode, answer string) {
	if working.Add(1) > 1 && mode == "lock" {
		isStuck.Store(true)
		time.Sleep(time.Hour)
	}
	go func() {
		time.Sleep(workTime)
		if left := working.Add(-1); !isStuck.Load() && (left == 0 || mode != "forgetful") {
			fmt.Println(answer)
		}
	}()
}

func answerCall(mode, id string, params gjson.Result) {
	switch mode {
	case "crash":
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(7)
	case "log":
		fmt.Println("handling", params.Get("name"))
	case "endless":
		for range 1 << 30 {
			if _, err := os.Stdout.WriteString(strings.Repeat("x", 1<<20)); err != nil {
				os.Exit(0)
			}
		}
	case "deaf":
		time.Sleep(time.Hour)
	case "progress":
		token := params.Get("_meta.progressToken").Raw
		for step := range 3 {
			fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`+"\n", token, step)
		}
		fmt.Println(`{"jsonrpc":"2.0","id":"own","method":"ping"}`)
	case "partial":
		fmt.Print(`{"jsonrpc":"2.0","id":` + id)
		os.Exit(0)
	case "serial":
		time.Sleep(workTime)
	case "parallel", "lock", "forgetful":
		workOn(mode, reply(id, `{"content":[]}`))
		return
	case "late":
		if params.Get("name").Str == "slow" {
			go func() {
				time.Sleep(300 * time.Millisecond)
				fmt.Println(reply(id, `{"content":[{"type":"text","text":"slow"}]}`))
			}()
			return
		}
	}
	if mode == "talkative" {
		defer fmt.Print(strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"done"}}`+"\n", 20))
	}
	text := params.Get("arguments.text").Str
	if params.Get("name").Str == "environment" {
		text = strings.Join(os.Environ(), " ")
	}
	fmt.Println(reply(id, `{"content":[{"type":"text","text":`+quote(text)+`}],"pid":`+fmt.Sprint(os.Getpid())+`,"child":`+fmt.Sprint(childID)+`}`))
}
