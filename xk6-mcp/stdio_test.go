//go:build unix

package mcp

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stdioFixture returns a VU with a StdioClient, whose server behaves as the mode says.
func stdioFixture(t *testing.T, mode, options string) *fixture {
	t.Helper()
	f := newFixture(t, http.NotFoundHandler())
	program, _ := json.Marshal(os.Args[0])
	f.init(`const { StdioClient } = mcp;
		const server = (mode, options) => new StdioClient({ path: ` + string(program) + `, args: ['-test.run=none'], env: { ` + modeVariable + `: mode },
			timeout: '20s', ...options });
		const client = server(` + quote(mode) + `, ` + options + `);
		const say = (text) => client.callTool({ name: 'echo', arguments: { text } });`)
	t.Cleanup(func() {
		if f.VU.StateField != nil {
			f.run("client.close()")
		}
	})
	return f
}

// isGone reports whether a process ends within a few seconds.
func isGone(pid int) bool {
	for range 80 {
		if syscall.Kill(pid, 0) != nil {
			return true
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}

func TestStdioSpeaksEachEra(t *testing.T) {
	for mode, version := range map[string]string{"modern": "2026-07-28", "legacy": "2025-11-25"} {
		t.Run(mode, func(t *testing.T) {
			f := stdioFixture(t, mode, "{}")
			f.expect("client.connect().protocolVersion", quote(version))
			f.expect("const answer = say('hello'); [answer.ok, answer.result.content[0].text, answer.status]", `[true,"hello",200]`)
			f.expect("client.prepare('tools/call', { name: 'echo' }, { nonce: 'text' }).send({}).ok", "true")
			f.expect("client.request('tools/list').result", "{}")
		})
	}
}

func TestStdioCountsStarts(t *testing.T) {
	f := stdioFixture(t, "modern", "{}")
	f.run("client.connect(); say('a')")
	got := strings.Join(f.taken(), "\n")
	for _, expected := range []string{"mcp_process_starts{class=protocol,method=initialize,operation=initialize} 1", "mcp_process_start_duration{",
		"mcp_process_first_answer_duration{method=tools/call,operation=tools/call}"} {
		if !strings.Contains(got, expected) {
			t.Errorf("%s is missing in\n%s", expected, got)
		}
	}
}

// An older server may wait for initialize, and answer nothing before it.
func TestStdioServerThatIgnoresDiscover(t *testing.T) {
	f := stdioFixture(t, "silent", "{ protocolVersion: 'legacy' }")
	f.expect("client.connect().protocolVersion", `"2025-11-25"`)
}

// A slow start does not change a fixed protocol version.
func TestStdioServerThatIsSlowToStart(t *testing.T) {
	f := stdioFixture(t, "silent", "{ protocolVersion: '2026-07-28', timeout: '300ms' }")
	f.expect("try { client.connect() } catch (error) { error.kind }", `"timeout"`)
}

func TestStdioServerThatNeverStarts(t *testing.T) {
	f := stdioFixture(t, "broken", "{}")
	f.expect("try { client.connect() } catch (error) { [error.kind, error.message.includes('exit status 3: see the manual')] }", `["process",true]`)
	f.expect("try { new StdioClient({ path: '/no/such/program' }).connect() } catch (error) { error.kind }", `"process"`)
}

func TestStdioServerThatDies(t *testing.T) {
	f := stdioFixture(t, "crash", "{}")
	f.expect("const { failure } = say('a'); [failure.kind, failure.detail]", `["process","the server ended: exit status 7: out of memory"]`)
	began := time.Now()
	f.expect("say('b').failure.kind", `"process"`)
	f.expect("say('b').failure.kind", `"process"`)
	if took := time.Since(began); took < restartPause {
		t.Errorf("it was started again after %s", took)
	}
	got := strings.Join(f.taken(), "\n")
	for _, metric := range []string{"mcp_process_starts", "mcp_process_restarts", "mcp_process_exits"} {
		if count := strings.Count(got, metric+"{"); count < 2 {
			t.Errorf("%s: %d", metric, count)
		}
	}
}

// A line after an answer that the call recognized is not part of the next answer.
func TestStdioServerThatTalksAfterItsAnswer(t *testing.T) {
	f := stdioFixture(t, "talkative", "{}")
	f.expect(`const call = client.prepare('tools/call', { name: 'echo', arguments: { text: 'a' } });
		Array.from({ length: 50 }, () => call.send()).every(({ ok, result }) => ok && result.content[0].text === 'a')`, "true")
}

func TestStdioLinesThatAreNoMessages(t *testing.T) {
	f := stdioFixture(t, "log", "{}")
	f.expect("[1, 2, 3].map(() => say('a').ok)", "[true,true,true]")
	if got := strings.Count(strings.Join(f.taken(), "\n"), "mcp_invalid_messages{"); got != 3 {
		t.Errorf("got %d; expected 3", got)
	}
	shown := 0
	for _, entry := range f.log.AllEntries() {
		if strings.Contains(entry.Message, "handling echo") {
			shown++
		}
	}
	if shown != 1 {
		t.Errorf("shown %d times", shown)
	}
}

func TestStdioMessagesAreBounded(t *testing.T) {
	f := stdioFixture(t, "endless", "{ maxBodySize: 4 << 20 }")
	f.expect("say('a').failure.kind", `"too_large"`)
	half := stdioFixture(t, "partial", "{}")
	half.expect("say('a').failure.kind", `"process"`)
}

// A client does not wait for a server that does not read. A server that has read a part of a message is restarted.
func TestStdioServerThatDoesNotRead(t *testing.T) {
	f := stdioFixture(t, "deaf", "{ timeout: '500ms' }")
	f.expect("say('a').failure.kind", `"timeout"`)
	f.expect("say('x'.repeat(1 << 20)).failure.kind", `"stalled"`)
	f.expect("say('a').failure.kind", `"timeout"`)
}

func TestStdioErrorOutputIsDrained(t *testing.T) {
	f := stdioFixture(t, "chatty", "{}")
	f.expect("say('a').ok", "true")
}

// Only some variables are passed to the server, and their values are redacted.
func TestStdioEnvironment(t *testing.T) {
	t.Setenv("SECRET_OF_THE_RUN", "sesame")
	f := stdioFixture(t, "modern", "{}")
	f.expect("const found = client.callTool({ name: 'environment' }).result.content[0].text; [found.includes('sesame'), found.includes('PATH=')]", "[false,true]")
	f.init(`const shown = (options) => {
		try { new StdioClient({ path: '/bin/sh', ...options }).connect() } catch (error) { return error.message } };`)
	f.expect(`shown({ args: ['-c', 'echo $API_TOKEN >&2; exit 1'], env: { API_TOKEN: 'open-sesame' } }).includes('exit status 1: ***')`, "true")
	f.expect(`shown({ args: ['-c', 'exit 1', '--api-key', 'open', '--token=sesame'] }).includes('--api-key *** --token=***')`, "true")
}

func TestStdioOptions(t *testing.T) {
	f := stdioFixture(t, "modern", "{}")
	for options, message := range map[string]string{
		"{}": "path is missing", "{ path: 'x', cwd: 'y', runner: 'z' }": "set only one of cwd and runner", "{ path: 'x', processes: 0 }": "per-vu, per-call or a number", "{ path: 'x', base_url: 'y' }": `unknown option "base_url"`,
		"{ path: 'x', args: { a: 1 } }": "an array of strings",
	} {
		if _, err := f.try("new StdioClient(" + options + ")"); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", options, err)
		}
	}
}

func TestStdioFollowsProgress(t *testing.T) {
	f := stdioFixture(t, "progress", "{}")
	f.await(`const steps = [];
		client.requestAsync('tools/call', { name: 'a', arguments: { text: 'done' } }, { onNotification: (method, { progress }) => steps.push(progress) })
			.then(({ ok, events }) => steps.push(ok, events.length))`)
	f.expect("steps", "[0,1,2,true,4]")
}

func TestStdioListens(t *testing.T) {
	f := stdioFixture(t, "listen", "{}")
	f.await(`const heard = [];
		(async () => {
			const stream = client.listen({ notifications: {} }, { abandonAfter: '500ms', onNotification: (method) => heard.push(method) });
			const { ok } = await client.requestAsync('tools/call', { name: 'a', arguments: { text: 'b' } });
			heard.push(ok, (await stream).failure);
		})()`)
	f.expect("heard.sort()", `["notifications/subscriptions/acknowledged","notifications/tools/list_changed",null,true]`)
}

// Several clients share the pipes of one process, and each call gets its own answer.
func TestStdioSharesProcesses(t *testing.T) {
	f := stdioFixture(t, "late", "{ processes: 1 }")
	f.await(`const found = [];
		const other = server('late', { processes: 1 });
		const call = (client, name) => client.requestAsync('tools/call', { name, arguments: { text: name } }).then(({ result }) => found.push(result.content[0].text));
		Promise.all([call(client, 'slow'), call(other, 'fast'), call(client, 'fast')])`)
	f.expect("found", `["fast","fast","slow"]`)
	f.expect("const pidOf = (client) => client.callTool({ name: 'fast' }).result.pid; pidOf(client) === pidOf(other)", "true")
	f.expect("pidOf(server('late')) === pidOf(client)", "false")
	got := f.taken()
	if starts := len(slices.DeleteFunc(got, func(line string) bool { return !strings.HasPrefix(line, "mcp_process_starts") })); starts != 2 {
		t.Errorf("%d starts", starts)
	}
	// A client does not end a shared process.
	pid := int(f.run("pidOf(client)").(int64))
	_ = syscall.Kill(pid, syscall.SIGKILL)
	isGone(pid)
}

// A client without further calls leaves its process to another client.
func TestStdioProcessIsTakenOver(t *testing.T) {
	for _, mode := range []string{"modern", "legacy"} {
		f := stdioFixture(t, mode, "{}")
		t.Cleanup(EndProcesses)
		f.expect(`const pidOf = (client) => client.callTool({ name: 'a' }).result.pid;
			const first = pidOf(client);
			client.reuseAfter = Date.now() + 60_000;
			const early = server(`+quote(mode)+`);
			const later = server(`+quote(mode)+`);
			const found = [pidOf(early) === first];
			client.reuseAfter = Date.now();
			found.push(pidOf(later) === first, pidOf(later) === first, pidOf(client) === first, pidOf(client) === pidOf(early), client.reuseAfter > 0);
			found`, "[false,true,true,false,false,true]")
		if got := strings.Join(f.taken(), "\n"); strings.Contains(got, "mcp_process_restarts") {
			t.Error(got)
		}
	}
}

func TestStdioProcessOfEachCall(t *testing.T) {
	f := stdioFixture(t, "modern", "{ processes: 'per-call' }")
	first := f.run("client.callTool({ name: 'a' }).result.pid").(int64)
	f.expect("client.callTool({ name: 'a' }).result.pid === "+strconv.Itoa(int(first)), "false")
	if !isGone(int(first)) {
		t.Error("it is still there")
	}
}

// A server is ended as the specification requires, even if it ignores this, and so are its children.
func TestStdioEndsServers(t *testing.T) {
	f := stdioFixture(t, "stubborn", "{}")
	pid := int(f.run("say('a').result.pid").(int64))
	began := time.Now()
	f.run("client.close()")
	if took := time.Since(began); took < 2*endTimeout || !isGone(pid) {
		t.Errorf("it ended after %s", took)
	}
	parent := stdioFixture(t, "parent", "{}")
	parent.expect("const { pid, child } = say('a').result; child > 0", "true")
	_ = syscall.Kill(int(parent.run("pid").(int64)), syscall.SIGKILL)
	if !isGone(int(parent.run("child").(int64))) {
		t.Error("what it started is still there")
	}
	parent.expect("say('a').ok", "true")
}

// A daemon started by the server has left its process group and holds its pipes.
func TestStdioServerWhoseDaemonHoldsThePipes(t *testing.T) {
	f := stdioFixture(t, "daemon", "{}")
	pid := int(f.run("say('a').result.pid").(int64))
	began := time.Now()
	_ = syscall.Kill(pid, syscall.SIGKILL)
	f.expect("say('a').failure?.kind", `"process"`)
	f.expect("say('a').ok", "true")
	f.run("client.close()")
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("it took %s", took)
	}
}

// TestLastLine checks that the line that explains the end of the server is found in its standard error.
func TestLastLine(t *testing.T) {
	for said, expected := range map[string]string{
		"": "", "starting\nport is taken\n\n": "port is taken",
		"node:internal/modules:1\n\nError: Cannot find module 'x'\n    at y (z:1)\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v24.19.0\n": "Error: Cannot find module 'x'",
		"Traceback (most recent call last):\n  File x\nModuleNotFoundError: No module named 'y'\n":                                      "ModuleNotFoundError: No module named 'y'",
		"Exception in thread \"main\" java.lang.RuntimeException: a\n\tat b\nCaused by: java.io.IOException: c\n\tat d\n\t... 1 more":   "Caused by: java.io.IOException: c",
		"panic: a\n\ngoroutine 1 [running]:\nmain.main()\nexit status 2\n":                                                              "panic: a",
	} {
		var output tail
		_, _ = output.Write([]byte(said))
		if line := output.lastLine(); line != expected {
			t.Errorf("%q: got %q; expected %q", said, line, expected)
		}
	}
}
