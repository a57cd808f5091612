package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// endTimeout is how long a server may take to exit after its standard input is closed, and again after SIGTERM.
	endTimeout = 2 * time.Second
	// pipeTimeout is how long the outputs of a server that has exited are still read.
	pipeTimeout = time.Second
	// maxStderr is how much of the end of a server's standard error is kept, in bytes.
	maxStderr = 4 << 10
	// lineBuffer is the size of the read buffer, in bytes.
	lineBuffer = 64 << 10
)

// process is a server that runs as a child process. It reads messages from its standard input and writes messages to its standard output, one
// per line.
type process struct {
	cmd   *exec.Cmd
	input *os.File
	began time.Time
	// A semaphore for writing to input.
	writing chan struct{}
	stderr  tail
	// Closes both outputs, which ends the reading.
	closeOutputs func()
	// Closed when the process has ended and all of its output has been delivered. From then on, fault says how it ended.
	over  chan struct{}
	fault *failure
	// Whether the exit was counted, and whether the process has answered a call successfully.
	isCounted, hasAnswered atomic.Bool
	// Lines that were not JSON-RPC messages and arrived while no request was open.
	invalid invalidMessages
	// Shared by all clients of the process: the last request ID, and the lock that its first client holds while it negotiates.
	lastID  atomic.Int64
	opening sync.Mutex
	// The protocol version, and the server's information, as negotiated by the first client.
	negotiated atomic.Pointer[negotiated]
	// The client of a process that is not shared; nil once that client ends it.
	owner atomic.Pointer[Client]
	// When another client may take over the process, as Unix time in milliseconds; 0 means never.
	reuseAfter atomic.Int64

	guard   sync.Mutex
	inboxes map[int64]*inbox
	// Calls without an answer, by request ID.
	working map[int64]*workingCall
	// When the process last answered, when the latest of the answered calls was sent, and the calls since the last answer.
	lastAnswer, answeredSent time.Time
	silence                  Silence
}

// running is the set of processes that have not ended.
var running sync.Map

// EndProcesses ends all servers that clients have started, and waits until they have exited.
func EndProcesses() {
	var ending sync.WaitGroup
	running.Range(func(one, _ any) bool {
		ending.Go(one.(*process).end)
		return true
	})
	ending.Wait()
}

// inbox receives the messages for one request or one held stream.
type inbox struct {
	number int64
	// The call's last successful answer. It is cleared when the call is answered, because the call then changes it.
	memo   *memo
	holds  bool
	lines  chan line
	closed chan struct{}
}

// line is a line of a server's standard output.
type line struct {
	at   time.Time
	text []byte
	// The parsed message. It is empty if isKnown is set: the line equals the call's last answer.
	said    incoming
	isKnown bool
}

// startProcess starts a server. A message of more than maxLine bytes ends the process; maxNesting is the maximum nesting of a message.
func startProcess(cmd *exec.Cmd, maxLine, maxNesting int64) (*process, error) {
	input, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer input.Close()
	cmd.Stdin = input
	p := &process{
		cmd: cmd, input: ours, began: time.Now(), writing: make(chan struct{}, 1), over: make(chan struct{}), inboxes: make(map[int64]*inbox),
		working: make(map[int64]*workingCall),
	}
	p.silence.Since = p.began.UnixMilli()
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	errorOutput, err := cmd.StderrPipe()
	if err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	if err := startInGroup(cmd); err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	// A descendant that has left the process group may hold the pipes open forever.
	p.closeOutputs = func() { _ = errors.Join(output.Close(), errorOutput.Close()) }
	guardGroup(cmd.Process.Pid)
	running.Store(p, true)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		// A full pipe would block the server.
		_, _ = io.Copy(&p.stderr, errorOutput)
	}()
	go p.readUntilExit(output, maxLine, maxNesting, drained)
	return p, nil
}

// readUntilExit reads the output until the process has ended, and kills what is left of its process group.
func (p *process) readUntilExit(output io.Reader, maxLine, maxNesting int64, drained <-chan struct{}) {
	pid := p.cmd.Process.Pid
	outputEnded, exited := make(chan struct{}), make(chan struct{})
	go func() {
		awaitExit(pid, outputEnded)
		// Descendants of the process hold its pipes open.
		killGroup(pid)
		close(exited)
		select {
		case <-outputEnded:
			time.Sleep(pipeTimeout)
		case <-time.After(pipeTimeout):
		}
		p.closeOutputs()
	}()
	readError := p.readLines(output, maxLine, maxNesting)
	close(outputEnded)
	if readError == nil {
		// A process that closes its output usually exits soon. Wait for it, to report its own exit status and not SIGKILL.
		_ = p.input.Close()
		select {
		case <-exited:
		case <-time.After(endTimeout):
		}
	}
	killGroup(pid)
	<-exited
	<-drained
	err := p.cmd.Wait()
	unguardGroup(pid)
	_ = p.input.Close()
	p.fault = p.faultOf(readError, err)
	running.Delete(p)
	record.Lock()
	record.add(p)
	record.Unlock()
	close(p.over)
}

// faultOf returns how a process ended. If the client killed it because of its output, readError is the reason.
func (p *process) faultOf(readError, exit error) *failure {
	if errors.Is(readError, errTooLarge) {
		return failed(kinds.TooLarge, "a line without an end: the server was ended")
	}
	text := "the server ended"
	var ended *exec.ExitError
	if errors.As(exit, &ended) {
		text = "the server ended: " + ended.String()
	}
	if last := p.stderr.lastLine(); last != "" {
		text += ": " + last
	}
	return failed(kinds.Process, "%s", text)
}

// readLines delivers each complete line. A last line without a line end is discarded.
func (p *process) readLines(output io.Reader, maxLine, maxNesting int64) error {
	reader := bufio.NewReaderSize(output, lineBuffer)
	for {
		text, err := readLine(reader, maxLine)
		if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(text)) > 0 {
			p.deliver(line{at: time.Now(), text: text}, maxNesting)
		}
	}
}

func readLine(reader *bufio.Reader, limit int64) ([]byte, error) {
	var text []byte
	for {
		part, err := reader.ReadSlice('\n')
		if int64(len(text)+len(part)) > limit {
			return nil, errTooLarge
		}
		text = append(text, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, err
		}
	}
}

// deliver passes a line to the request that it is for, and waits until that request has room for it.
func (p *process) deliver(one line, maxNesting int64) {
	to := p.waitingFor(one)
	if one.isKnown = to != nil; !one.isKnown {
		one.said = receive(string(one.text), maxNesting)
		to = p.addressee(one)
	}
	if to == nil {
		if !one.said.isMessage() {
			p.invalid.add(one.said.text)
		}
		return
	}
	select {
	case to.lines <- one:
	case <-to.closed:
	}
}

// waitingFor returns the only open request if the line equals its call's last answer, otherwise nil.
func (p *process) waitingFor(one line) *inbox {
	p.guard.Lock()
	defer p.guard.Unlock()
	if len(p.inboxes) != 1 {
		return nil
	}
	for number, only := range p.inboxes {
		if only.memo.knows(one.text, number) {
			only.memo = nil
			p.answer(number, one.at)
			return only
		}
	}
	return nil
}

// addressee returns the request that a line is for: the one that it answers or names, else a held stream, else the oldest request. It returns
// nil if no request is open.
func (p *process) addressee(one line) *inbox {
	p.guard.Lock()
	defer p.guard.Unlock()
	number, isReply := one.said.addressee()
	to := p.inboxes[number]
	if isReply {
		p.answer(number, one.at)
		if to != nil {
			to.memo = nil
		}
	}
	if to != nil || isReply {
		return to
	}
	var oldest *inbox
	for _, in := range p.inboxes {
		isBetter := oldest == nil || in.holds && !oldest.holds || in.holds == oldest.holds && in.number < oldest.number
		if isBetter {
			oldest = in
		}
	}
	return oldest
}

// open registers a request and returns its inbox. A held stream without an ID (noReply) gets a negative number.
func (p *process) open(r *request) *inbox {
	p.guard.Lock()
	defer p.guard.Unlock()
	number := r.id
	if number == noReply {
		number = -p.lastID.Add(1)
	}
	in := &inbox{number: number, memo: r.memo, holds: r.holds(), lines: make(chan line, 16), closed: make(chan struct{})}
	p.inboxes[number] = in
	return in
}

// close removes an inbox. isTold and isLate are passed to giveUp.
func (p *process) close(in *inbox, isTold, isLate bool) {
	p.guard.Lock()
	defer p.guard.Unlock()
	delete(p.inboxes, in.number)
	close(in.closed)
	p.giveUp(in.number, isTold, isLate)
}

// write sends a message to the server. If the server does not read it before the context ends, the server has stalled. If it has read only a
// part of it, the process is unusable and is killed. begin is called when the writer's turn has come, just before the message is written.
func (p *process) write(ctx context.Context, body []byte, begin func()) *failure {
	stalled := failed(kinds.Stalled, "the server does not read its standard input")
	select {
	case p.writing <- struct{}{}:
	case <-ctx.Done():
		return stalled
	case <-p.over:
		return p.fault
	}
	defer func() { <-p.writing }()
	begin()
	cut := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = p.input.SetWriteDeadline(time.Unix(1, 0))
		close(cut)
	})
	count, err := p.input.Write(append(body, '\n'))
	if !stop() {
		<-cut
		_ = p.input.SetWriteDeadline(time.Time{})
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		if count > 0 {
			killGroup(p.cmd.Process.Pid)
			<-p.over
		}
		return stalled
	}
	select {
	case <-p.over:
		return p.fault
	case <-ctx.Done():
		return stalled
	case <-time.After(endTimeout + time.Second):
		return failed(kinds.Process, "the server closed its standard input")
	}
}

// end ends the server as the specification requires: it closes the server's input, then sends SIGTERM, then SIGKILL.
func (p *process) end() {
	p.isCounted.Store(true)
	_ = p.input.Close()
	for _, signal := range []func(pid int){terminateGroup, killGroup} {
		select {
		case <-p.over:
			return
		case <-time.After(endTimeout):
			signal(p.cmd.Process.Pid)
		}
	}
	select {
	case <-p.over:
	case <-time.After(endTimeout):
		p.closeOutputs()
	}
}

// isIdle reports whether no request is open.
func (p *process) isIdle() bool {
	p.guard.Lock()
	defer p.guard.Unlock()
	return len(p.inboxes) == 0
}

func (p *process) isOver() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}

// tail keeps the last maxStderr bytes that are written to it.
type tail struct {
	guard sync.Mutex
	kept  []byte
}

func (t *tail) Write(part []byte) (int, error) {
	t.guard.Lock()
	defer t.guard.Unlock()
	t.kept = append(t.kept, part[max(0, len(part)-maxStderr):]...)
	if len(t.kept) > maxStderr {
		t.kept = append([]byte(nil), t.kept[len(t.kept)-maxStderr:]...)
	}
	return len(part), nil
}

// errorLine matches the line with which Node.js, Python, Java and Go report a fatal error. A stack trace often follows it.
var errorLine = regexp.MustCompile(`(?m)^(Caused by: |Exception in thread .*)?(panic: |[\w.]*(Error|Exception)\b).*$`)

// lastLine returns the last line that reports an error or, if there is none, the last line.
func (t *tail) lastLine() string {
	t.guard.Lock()
	defer t.guard.Unlock()
	text := strings.TrimSpace(string(t.kept))
	if found := errorLine.FindAllString(text, -1); len(found) > 0 {
		return strings.TrimSpace(found[len(found)-1])
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// invalidMessages counts the lines of a server that are not JSON-RPC messages.
type invalidMessages struct {
	count atomic.Int64
	first atomic.Pointer[string]
}

func (m *invalidMessages) add(text string) {
	m.count.Add(1)
	m.first.CompareAndSwap(nil, &text)
}

// moveTo moves the count to another counter.
func (m *invalidMessages) moveTo(other *invalidMessages) {
	if count := m.count.Swap(0); count > 0 {
		other.count.Add(count)
		other.first.CompareAndSwap(nil, m.first.Load())
	}
}

// addressee returns the ID of the request that a message names, or 0 if it names none. isReply reports whether the message is the reply to that
// request.
func (m message) addressee() (number int64, isReply bool) {
	switch {
	case !m.method.Exists():
		return m.id.Int(), m.id.Exists()
	case m.id.Exists():
		return 0, false
	}
	if token := member(m.params, "progressToken"); token.Exists() {
		return token.Int(), false
	}
	return member(member(m.params, "_meta"), subscriptionKey).Int(), false
}
