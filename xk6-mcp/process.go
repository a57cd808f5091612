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
	// How long a server may take to end after its input was closed, and again after SIGTERM.
	endTimeout = 2 * time.Second
	// How long the outputs of a server that ended are read.
	pipeTimeout = time.Second
	// Of what a server writes to its standard error.
	maxStderr = 4 << 10
	// Of the buffer that lines are read into.
	lineBuffer = 64 << 10
)

// process is a server that is a program. It takes messages on its standard input and gives them on its standard output, one a line.
type process struct {
	cmd   *exec.Cmd
	input *os.File
	began time.Time
	// Whoever puts something in may write.
	writing chan struct{}
	stderr  tail
	// Ends the reading of both outputs.
	closeOutputs func()
	// Closed when it has ended, and everything it said was delivered. Then fault says how.
	over  chan struct{}
	fault *failure
	// Whether its end was counted, and whether it has answered a call well.
	isCounted, hasAnswered atomic.Bool
	// Lines that were no message, while no call was open.
	invalid invalidMessages
	// Of all clients that share it.
	lastID  atomic.Int64
	opening sync.Mutex
	// What its first client found out.
	negotiated atomic.Pointer[negotiated]
	// Of a process that is not shared; nil if it has none any more.
	owner atomic.Pointer[Client]
	// When another client may take it over; Unix time in milliseconds, 0: never.
	reuseAfter atomic.Int64

	guard   sync.Mutex
	inboxes map[int64]*inbox
	// Calls without an answer, by their ids.
	working map[int64]*workingCall
	// When it answered last, what has come of calls since, and when the last of the answered calls was sent.
	lastAnswer, answeredSent time.Time
	silence                  Silence
}

// running has the processes that have not ended.
var running sync.Map

// EndProcesses ends all servers that clients have started, and waits for their end.
func EndProcesses() {
	var ending sync.WaitGroup
	running.Range(func(one, _ any) bool {
		ending.Go(one.(*process).end)
		return true
	})
	ending.Wait()
}

// inbox takes what a process says to one request, or to whoever listens.
type inbox struct {
	number int64
	// What its call remembers, until it is answered: then the call changes it.
	memo   *memo
	holds  bool
	lines  chan line
	closed chan struct{}
}

// line is one of a server's output.
type line struct {
	at   time.Time
	text []byte
	// What it says; nothing if the request has a memo that knows it.
	said    incoming
	isKnown bool
}

// startProcess starts a server. maxLine: bytes of a message, a longer one ends the process; maxNesting: its levels
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
	// What has left the group may hold the pipes for ever.
	p.closeOutputs = func() { _ = errors.Join(output.Close(), errorOutput.Close()) }
	guardGroup(cmd.Process.Pid)
	running.Store(p, true)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		// A full pipe would stop the server.
		_, _ = io.Copy(&p.stderr, errorOutput)
	}()
	go p.readUntilExit(output, maxLine, maxNesting, drained)
	return p, nil
}

// readUntilExit reads until the process has ended, and sees that nothing of it is left.
func (p *process) readUntilExit(output io.Reader, maxLine, maxNesting int64, drained <-chan struct{}) {
	pid := p.cmd.Process.Pid
	outputEnded, exited := make(chan struct{}), make(chan struct{})
	go func() {
		awaitExit(pid, outputEnded)
		// What it started holds its pipes open.
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
		// It is about to end, most often, and says how.
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

// faultOf is how a process ended. readError: why it had to
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

// readLines delivers each line; what has no line end is none.
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

// deliver gives a line to the request that it is for, and waits until that has room for it.
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

// waitingFor is the only open request, if the line is the answer that it got before.
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

// addressee is whom a line is for: the request that it answers or is about, else whoever listens, else the oldest request. nil: there is none
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

// open takes what is said to a request. One that listens (noReply) has no number of its own.
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

// close ends it. isTold, isLate: as giveUp has them
func (p *process) close(in *inbox, isTold, isLate bool) {
	p.guard.Lock()
	defer p.guard.Unlock()
	delete(p.inboxes, in.number)
	close(in.closed)
	p.giveUp(in.number, isTold, isLate)
}

// write gives the server a message. One that does not read until the context ends has stalled; with a part of a message it is of no use any more.
// begin is called when nothing else is written before it.
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

// end ends a server as the specification says: its input is closed, then SIGTERM, then SIGKILL.
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

// isIdle tells whether no request is open.
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

// tail keeps the end of what is written to it.
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

// errorLine is how Node.js, Python, Java and Go begin to say what ended a program. Most go on with a stack.
var errorLine = regexp.MustCompile(`(?m)^(Caused by: |Exception in thread .*)?(panic: |[\w.]*(Error|Exception)\b).*$`)

// lastLine is the last error, or the last line that is not empty.
func (t *tail) lastLine() string {
	t.guard.Lock()
	defer t.guard.Unlock()
	text := strings.TrimSpace(string(t.kept))
	if found := errorLine.FindAllString(text, -1); len(found) > 0 {
		return strings.TrimSpace(found[len(found)-1])
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// invalidMessages counts what a server said that is no JSON-RPC message.
type invalidMessages struct {
	count atomic.Int64
	first atomic.Pointer[string]
}

func (m *invalidMessages) add(text string) {
	m.count.Add(1)
	m.first.CompareAndSwap(nil, &text)
}

// moveTo adds what was counted to another count.
func (m *invalidMessages) moveTo(other *invalidMessages) {
	if count := m.count.Swap(0); count > 0 {
		other.count.Add(count)
		other.first.CompareAndSwap(nil, m.first.Load())
	}
}

// addressee is the number of the request that a message is about, 0 for none; isReply: it answers that request, and is for nobody else
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
