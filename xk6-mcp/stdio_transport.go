package mcp

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// restartPause is the minimum time between two starts of a server process by the same client.
	restartPause = time.Second
	// stdioDiscoverTimeout bounds server/discover: an older server may never answer it, and a server that is slow to start answers late.
	stdioDiscoverTimeout = 10 * time.Second
)

// inherited are the environment variables that a server inherits from k6. The official SDKs pass on the same ones. None of them holds a secret.
var inherited = []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}

type command struct {
	path string
	args []string
	env  map[string]string
	cwd  string
	// The socket of a stdio-runner in another container. The server then runs in that container.
	runner string
	// Number of processes that all VUs share; 0 means that each client has its own.
	processes int64
}

// stdioTransport carries the messages of one client over the pipes of a child process.
type stdioTransport struct {
	command *command
	// When the client last started a process; zero if it has not, or if it ended that process itself.
	started time.Time
}

// processes holds the server processes: shared ones by command and number, and ones of a single client by command.
type processes struct {
	sync.Mutex
	byKey map[string]*sharedProcess
	owned map[string][]*process
}

type sharedProcess struct {
	sync.Mutex
	process *process
	started time.Time
}

func (t *stdioTransport) name() string {
	words := []string{filepath.Base(t.command.path)}
	isSecret := false
	for _, word := range t.command.args {
		flag, _, hasValue := strings.Cut(word, "=")
		isFlag := strings.HasPrefix(word, "-")
		switch {
		case isFlag && hasValue && secretHeader.MatchString(flag):
			word = flag + "=" + redacted
		case !isFlag && isSecret:
			word = redacted
		}
		isSecret = isFlag && !hasValue && secretHeader.MatchString(flag)
		words = append(words, word)
	}
	return "stdio:" + t.command.secrets().hide(strings.Join(words, " "), false)
}

func (t *stdioTransport) key() string {
	c := t.command
	return fmt.Sprintf("stdio:%q %q %q %q %q", c.path, c.args, c.env, c.cwd, c.runner)
}

// secrets returns the values of the command's environment that must not be shown.
func (c *command) secrets() secrets {
	var all secrets
	for name, value := range c.env {
		if secretHeader.MatchString(name) || len(value) >= minUnnamed {
			all.add(value)
		}
	}
	return all
}

// cmd returns the command to run. It is not run in a shell.
func (c *command) cmd() *exec.Cmd {
	cmd := exec.Command(c.path, c.args...)
	if c.runner != "" {
		names := slices.Sorted(maps.Keys(c.env))
		words := []string{"-connect", c.runner, "-env", strings.Join(names, ","), "--", c.path}
		cmd = exec.Command("stdio-runner", append(words, c.args...)...)
	}
	cmd.Dir = c.cwd
	cmd.Env = []string{}
	for _, name := range inherited {
		if value, isSet := os.LookupEnv(name); isSet {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for name, value := range c.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// prepare starts a process if the client has none that is running. The first client of a shared process negotiates, while the others wait.
func (t *stdioTransport) prepare(c *Client) (bool, *failure) {
	lives := c.process != nil && !c.process.isOver()
	if t.command.processes > 0 {
		// A client without an open session may have to wait for the first client's handshake.
		if lives && c.isOpen {
			return false, nil
		}
		return t.join(c)
	}
	if lives && c.process.owner.Load() == c {
		return false, nil
	}
	t.countEnd(c)
	// Another client has taken over the process, so the next start is not a restart.
	if lives {
		t.started = time.Time{}
	}
	if p := c.instance.root.takeOver(c); p != nil {
		t.started = p.began
		c.use(p, p.negotiated.Load())
		return false, nil
	}
	p, f := t.start(c, t.started)
	t.started = time.Now()
	if f != nil {
		return false, f
	}
	p.owner.Store(c)
	p.reuseAfter.Store(c.reuseAfter)
	c.process, c.lastID = p, &p.lastID
	return true, nil
}

// use adopts a process and what another client has negotiated with it.
func (c *Client) use(p *process, known *negotiated) {
	c.process, c.lastID = p, &p.lastID
	if c.version, c.info = known.version, known.info; !c.isOpen {
		c.epoch++
	}
	c.isOpen = true
}

// takeOver gives a client the process of another client that has finished its calls. It returns nil if there is none.
func (r *RootModule) takeOver(c *Client) *process {
	if c.options.sessions == sessionPerCall {
		return nil
	}
	r.processes.Lock()
	defer r.processes.Unlock()
	key, now := c.negotiatedKey(), time.Now().UnixMilli()
	for _, p := range r.processes.owned[key] {
		before, until := p.owner.Load(), p.reuseAfter.Load()
		// A process without an owner is being ended.
		mayTake := before != nil && until > 0 && until <= now
		if mayTake && !p.isOver() && p.isIdle() && p.owner.CompareAndSwap(before, c) {
			p.reuseAfter.Store(c.reuseAfter)
			return p
		}
	}
	return nil
}

// own registers a process that another client may take over later.
func (r *RootModule) own(key string, p *process) {
	r.processes.Lock()
	defer r.processes.Unlock()
	if r.processes.owned == nil {
		r.processes.owned = make(map[string][]*process)
	}
	// Remove the processes that have ended.
	r.processes.owned[key] = append(slices.DeleteFunc(r.processes.owned[key], (*process).isOver), p)
}

// join gives a client the process that it shares with other clients.
func (t *stdioTransport) join(c *Client) (bool, *failure) {
	number := c.instance.vu.State().VUID % uint64(t.command.processes)
	shared := c.instance.root.sharedProcess(fmt.Sprint(t.key(), number))
	shared.Lock()
	defer shared.Unlock()
	if shared.process == nil || shared.process.isOver() {
		t.countEnd(c)
		p, f := t.start(c, shared.started)
		shared.started = time.Now()
		if f != nil {
			return false, f
		}
		shared.process = p
	}
	p := shared.process
	p.opening.Lock()
	known := p.negotiated.Load()
	if known == nil {
		c.process, c.lastID = p, &p.lastID
		return true, nil
	}
	defer p.opening.Unlock()
	c.use(p, known)
	return false, nil
}

func (r *RootModule) sharedProcess(key string) *sharedProcess {
	r.processes.Lock()
	defer r.processes.Unlock()
	if r.processes.byKey == nil {
		r.processes.byKey = make(map[string]*sharedProcess)
	}
	if r.processes.byKey[key] == nil {
		r.processes.byKey[key] = &sharedProcess{}
	}
	return r.processes.byKey[key]
}

// start starts a process, at least restartPause after the last start (before).
func (t *stdioTransport) start(c *Client, before time.Time) (*process, *failure) {
	ctx, m, k := c.instance.vu.Context(), c.instance.metrics, c.protocolCall("initialize")
	if !before.IsZero() {
		select {
		case <-time.After(time.Until(before.Add(restartPause))):
		case <-ctx.Done():
			return nil, failed(kinds.Process, "the server ended")
		}
		c.measure(k, m.ProcessRestarts, 1)
		record.count(&record.Restarts)
	}
	p, err := startProcess(t.command.cmd(), c.options.maxBodySize, c.options.maxNesting)
	if err != nil {
		return nil, failed(kinds.Process, "%v", err)
	}
	c.measure(k, m.ProcessStarts, 1)
	record.count(&record.Starts)
	return p, nil
}

// countEnd counts a process that ended without the client's request. It counts each process only once.
func (t *stdioTransport) countEnd(c *Client) {
	if p := c.process; p != nil && p.isOver() && p.isCounted.CompareAndSwap(false, true) {
		c.measure(c.protocolCall("initialize"), c.instance.metrics.ProcessExits, 1)
		record.count(&record.Exits)
	}
}

func (t *stdioTransport) opened(c *Client, isOpen bool) {
	p := c.process
	if isOpen {
		c.measure(c.protocolCall("initialize"), c.instance.metrics.ProcessStartDuration, milliseconds(time.Since(p.began)))
	}
	if isOpen {
		p.negotiated.Store(&negotiated{c.version, c.info})
	}
	if t.command.processes > 0 {
		p.opening.Unlock()
	} else if isOpen && c.options.sessions != sessionPerCall {
		c.instance.root.own(c.negotiatedKey(), p)
	}
}

// leave ends the client's process unless it is shared.
func (t *stdioTransport) leave(c *Client) {
	if c.process == nil || t.command.processes > 0 {
		return
	}
	t.countEnd(c)
	// Another client may have taken over the process.
	if c.process.owner.CompareAndSwap(c, nil) {
		c.process.end()
	}
	c.process, c.isOpen, t.started = nil, false, time.Time{}
	c.epoch++
}

func (t *stdioTransport) roundTrip(ctx context.Context, cancel context.CancelFunc, c *Client, r request, x *exchange) {
	p := c.process
	p.invalid.moveTo(c.invalid)
	x.isConnected = true
	defer func() {
		x.last = max(x.last, x.firstByte)
		if x.failure != nil && !x.complete {
			x.last = time.Since(x.began)
		}
		if x.failure != nil && x.failure.kind == kinds.Process {
			t.countEnd(c)
		}
	}()
	var in *inbox
	if r.id != 0 {
		in = p.open(&r)
		// A call that is cut off by the end of the run is not counted against the server.
		defer func() { p.close(in, r.givesUp(), x.ranOutOfTime() && c.instance.vu.Context().Err() == nil) }()
	}
	if len(r.body) > 0 {
		begin := func() {
			if in != nil && !in.holds {
				p.begin(in.number, &workingCall{operation: r.operation, isMeasured: c.isMeasured()})
			}
		}
		if x.failure = p.write(ctx, r.body, begin); x.failure != nil {
			return
		}
	}
	x.written = time.Since(x.began)
	if in == nil {
		x.complete, x.status, x.firstByte = true, http.StatusOK, x.written
		return
	}
	if r.holds() && !c.isModern() {
		r.open()
	}
	var watchdog *time.Timer
	if stall := c.options.stallTimeout; stall > 0 {
		watchdog = time.AfterFunc(noEnd, cancel)
		defer watchdog.Stop()
	}
	for {
		var one line
		select {
		case one = <-in.lines:
		case <-p.over:
			select {
			case one = <-in.lines:
			default:
				x.failure = p.fault
				return
			}
		case <-ctx.Done():
			onTimeout := kinds.Timeout
			if watchdog != nil && len(x.events) > 0 {
				onTimeout = kinds.Stalled
			}
			x.failure = connectionFailure(ctx.Err(), onTimeout)
			return
		}
		if t.take(c, &r, x, one, watchdog) {
			return
		}
	}
}

// take handles one line, and reports whether the exchange is over.
func (t *stdioTransport) take(c *Client, r *request, x *exchange, one line, watchdog *time.Timer) bool {
	x.last = one.at.Sub(x.began)
	if x.firstByte == 0 {
		x.firstByte = x.last
	}
	x.responseBytes += int64(len(one.text))
	if one.isKnown {
		x.status = http.StatusOK
		return r.memo.recall(x, one.text, r.id)
	}
	if !one.said.answers(r.id) {
		if int64(len(x.events)) >= c.options.maxEvents {
			x.failure = failed(kinds.TooLarge, "more than %d notifications", c.options.maxEvents)
			return true
		}
		x.events = append(x.events, event{at: x.last, data: one.text})
	}
	if watchdog != nil {
		watchdog.Stop()
	}
	isOver := c.hear(x, r, one.said)
	if watchdog != nil {
		watchdog.Reset(c.options.stallTimeout)
	}
	if isOver {
		x.status = http.StatusOK
	}
	return isOver
}
