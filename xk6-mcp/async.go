package mcp

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
	"github.com/tidwall/gjson"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"
)

// loop runs functions on a VU's event loop, one after the other.
type loop struct {
	vu modules.VU
	// The queue.
	turns chan turn
	// Bytes of the events in the queue. drained receives a value after each turn.
	queued  atomic.Int64
	drained chan struct{}
	// The callback for the next turn. It is registered with the event loop during the previous turn, because the event loop ends when no callback is
	// registered.
	next func(func() error)
}

// turn is a function to run, and the size of the event that it holds, in bytes.
type turn struct {
	run  func() error
	size int64
}

// Limits of the queue of a script that is behind. When they are reached, the stream waits for the script. maxQueuedBytes applies to held
// streams: the answers of other calls have their own limit. A larger event is queued alone.
const (
	maxTurns       = 1000
	maxQueuedBytes = 256 << 10
)

func newLoop(vu modules.VU, queue int) *loop {
	return &loop{vu: vu, next: vu.RegisterCallback(), turns: make(chan turn, queue), drained: make(chan struct{}, 1)}
}

// add queues a turn, and reports whether it had to wait for space in the queue. Only one goroutine may call it.
func (l *loop) add(one turn) bool {
	hasWaited := false
	for queued := l.queued.Load(); queued > 0 && queued+one.size > maxQueuedBytes; queued = l.queued.Load() {
		hasWaited = true
		<-l.drained
	}
	l.queued.Add(one.size)
	select {
	case l.turns <- one:
	default:
		hasWaited = true
		l.turns <- one
	}
	return hasWaited
}

// runAll runs the queued turns until the queue is closed.
func (l *loop) runAll() {
	for one := range l.turns {
		l.run(one.run)
		l.queued.Add(-one.size)
		select {
		case l.drained <- struct{}{}:
		default:
		}
	}
}

// run runs a function on the event loop and waits until it has returned. It skips the function if the VU's context has ended: k6 still runs
// callbacks then, but would not interrupt them.
func (l *loop) run(turn func() error) {
	done := make(chan struct{})
	l.next(func() error {
		defer close(done)
		l.next = l.vu.RegisterCallback()
		if l.vu.Context().Err() != nil {
			return nil
		}
		return turn()
	})
	<-done
}

// requestAsync makes a call that does not block its VU.
func (c *Client) requestAsync(method string, params, options sobek.Value) (any, error) {
	k, err := c.makeAsyncCall(method, params, options)
	if err != nil {
		return nil, err
	}
	argument, nonce := k.withNonce(k.argument)
	return k.startAsync(nonce, func(l *loop) *exchange {
		return k.converse(argument, &watcher{heard: func(_ *exchange, said message) { k.notify(l, said, 0) }})
	}, func(*exchange) {})
}

// listen holds the stream on which a server sends messages that belong to no call. It is the stream of subscriptions/listen or, before 2026-07-28,
// of a GET.
func (c *Client) listen(params, options sobek.Value) (any, error) {
	if c.options.protocol != dialectMCP {
		return nil, errors.New("listen: only MCP has such a stream")
	}
	k, err := c.makeAsyncCall("subscriptions/listen", params, options)
	if err != nil {
		return nil, err
	}
	return k.startAsync("", k.hold, func(x *exchange) {
		refused := streams.ask()
		refused.asked = x.callBegan
		streams.lose(refused, c, x)
	})
}

// startAsync connects, and makes a call alongside the VU's other calls. The promise is resolved with the answer, even if it is a failure.
// refused is called if no session could be opened.
func (k *call) startAsync(nonce string, read func(l *loop) *exchange, refused func(x *exchange)) (any, error) {
	c := k.client
	if c.options.sessions == sessionPerCall || c.options.sessions == sessionAbandon {
		return nil, fmt.Errorf("%s: a call that does not block needs a session that stays, per-vu or shared", k.method)
	}
	if state := c.instance.vu.State(); state != nil {
		k.enterTags(state.Tags.GetCurrentValues().Tags)
		k.keepsTags = true
	}
	promise, resolve, _ := c.instance.vu.Runtime().NewPromise()
	finish := func(x *exchange) error {
		c.record(k, x, false)
		return resolve((&Answer{client: c, exchange: x}).object())
	}
	var began time.Time
	// start makes the call. If the server has ended the session, it repeats the call in a new session.
	var start func(isAgain bool) error
	start = func(isAgain bool) error {
		if x, err := c.open(); err != nil {
			return err
		} else if x != nil {
			refused(x)
			return finish(x)
		}
		session := c.session
		k.readAlongside(read, func(x *exchange) error {
			k.client = c
			if isAgain {
				x.callBegan = began
			}
			began = x.callBegan
			if session != "" && x.sessionIsGone() && !x.isHeld && !isAgain {
				c.sessionIsLost(k, x, session)
				return start(true)
			}
			if err := k.judge(x, nonce, nil); err != nil {
				return err
			}
			return finish(x)
		})
		return nil
	}
	return promise, start(false)
}

// readAlongside calls read in the background, and then end on the VU's event loop.
func (k *call) readAlongside(read func(l *loop) *exchange, end func(x *exchange) error) {
	// The VU goes on using its client, so the call gets a copy of the state that reading changes.
	own := *k.client
	own.streamBuffer = nil
	k.client = &own
	queue := 0
	if k.options.onNotification != nil {
		queue = maxTurns
	}
	l := newLoop(own.instance.vu, queue)
	var answered *exchange
	go func() {
		defer close(l.turns)
		answered = read(l)
	}()
	go func() {
		l.runAll()
		l.next(func() error { return end(answered) })
	}()
}

// hold reads a stream until it ends. Its events are measured as they arrive and are not kept.
func (k *call) hold(l *loop) *exchange {
	c, m := k.client, k.client.instance.metrics
	r := k.bareRequest(http.MethodGet)
	r.id = noReply
	r.header.Set("Accept", "text/event-stream")
	if c.isModern() {
		r, _ = k.request(k.argument, "")
	}
	var last time.Duration
	isOpen, hasEvents, hasWaited := false, false, false
	stream := streams.ask()
	r.watcher = &watcher{
		holds: true,
		opened: func() {
			if !isOpen {
				isOpen = true
				streams.open(stream)
				k.countStream(m.StreamsOpened)
			}
		},
		heard: func(x *exchange, said message) {
			at := x.events[len(x.events)-1].at
			streams.hear(stream)
			// Ignore a gap during which the stream waited for the script, because the server did not cause it.
			if c.isMeasured() && !hasWaited {
				c.push(k, func(b *batch) { b.addEvent(m, !hasEvents, at-last) })
			}
			size := int64(len(x.events[len(x.events)-1].data))
			x.events, last, hasEvents = nil, at, true
			hasWaited = k.notify(l, said, size)
		},
	}
	x := c.do(r)
	c.resume(k, r, x)
	if x.isResumed {
		streams.resume()
	}
	k.tellAbandoned(r, x)
	x.isHeld = true
	if isOpen {
		k.countStream(m.StreamsClosed)
	}
	isOurs := x.abandoned && isOpen || c.instance.vu.Context().Err() != nil
	switch {
	case x.abandoned && !isOpen:
		x.failure = failed(kinds.Timeout, "no answer in time")
	case x.failure == nil && !isOpen:
		x.failure = failed(kinds.Protocol, "it answers without a stream: %s", x.describe())
	}
	if isOurs {
		streams.close(stream)
	} else {
		streams.lose(stream, c, x)
	}
	// A held stream that the client ends is not an abandoned call, and the time that it was held is not a latency.
	x.abandoned, x.complete, x.events = false, false, nil
	return x
}

// countStream also counts after the iteration has ended, so that every opened stream is counted as closed. The VU still waits for the stream
// then.
func (k *call) countStream(metric *metrics.Metric) {
	if k.client.isMeasured() {
		k.client.instance.vu.State().Samples <- k.batch(func(b *batch) { b.add(metric, 1) })
	}
}

// notify queues a server's notification for the script, and reports whether it had to wait for the script. size is the number of bytes that
// count towards the queue's limit.
func (k *call) notify(l *loop, said message, size int64) bool {
	if k.options.onNotification == nil || said.method.Type != gjson.String || said.id.Exists() {
		return false
	}
	return l.add(turn{size: size, run: func() error {
		params := sobek.Undefined()
		if said.params.Exists() {
			var err error
			if params, err = k.client.instance.parseJSON(said.params.Raw); err != nil {
				return err
			}
		}
		_, err := k.options.onNotification(sobek.Undefined(), l.vu.Runtime().ToValue(said.method.Str), params)
		return err
	}})
}
