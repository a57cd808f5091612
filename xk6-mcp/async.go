package mcp

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/grafana/sobek"
	"github.com/tidwall/gjson"
	"go.k6.io/k6/v2/js/modules"
)

// loop runs functions on a VU's event loop, one after the other.
type loop struct {
	vu modules.VU
	// The next turn is registered in the one before: an event loop ends when nothing is.
	next func(func() error)
}

func newLoop(vu modules.VU) *loop { return &loop{vu, vu.RegisterCallback()} }

// run waits until the function has run. k6 runs it after the VU's end, too.
func (l *loop) run(turn func() error) {
	done := make(chan struct{})
	l.next(func() error {
		defer close(done)
		l.next = l.vu.RegisterCallback()
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
	return k.beside(nonce, func(l *loop) *exchange {
		return k.converse(argument, &watcher{opened: func() {}, heard: func(_ *exchange, said message) { k.notify(l, said) }})
	})
}

// listen holds the stream on which a server says what no call asked for: that of subscriptions/listen, or of a GET (versions before
// 2026-07-28).
func (c *Client) listen(params, options sobek.Value) (any, error) {
	if c.options.protocol != dialectMCP {
		return nil, errors.New("listen: only MCP has such a stream")
	}
	k, err := c.makeAsyncCall("subscriptions/listen", params, options)
	if err != nil {
		return nil, err
	}
	return k.beside("", k.hold)
}

// beside connects, and makes a call beside the VU's others. The promise is resolved with its answer, whatever that is.
func (k *call) beside(nonce string, read func(l *loop) *exchange) (any, error) {
	c := k.client
	if c.options.sessions == sessionPerCall || c.options.sessions == sessionAbandon {
		return nil, fmt.Errorf("%s: a call that does not block needs a session that stays, per-vu or shared", k.method)
	}
	x, err := c.open()
	if err != nil {
		return nil, err
	}
	promise, resolve, _ := c.instance.vu.Runtime().NewPromise()
	finish := func(x *exchange) error {
		c.record(k, x, false)
		return resolve((&Answer{client: c, exchange: x}).object())
	}
	if x != nil {
		return promise, finish(x)
	}
	// The VU goes on with its client meanwhile: what a client changes as it reads is this one's own.
	own := *c
	own.streamBuffer, own.logged = nil, nil
	k.client = &own
	l := newLoop(c.instance.vu)
	go func() {
		x := read(l)
		l.next(func() error {
			k.client = c
			if c.session == own.session && c.session != "" && x.sessionIsGone() {
				c.forget()
			}
			if err := k.judge(x, nonce, nil); err != nil {
				return err
			}
			return finish(x)
		})
	}()
	return promise, nil
}

// hold reads a stream until it ends. Its events are measured as they arrive, and not kept.
func (k *call) hold(l *loop) *exchange {
	c, m := k.client, k.client.instance.metrics
	r := request{
		method: http.MethodGet, url: k.url, header: c.requestHeaders("", ""), timeout: c.options.timeout, abandonAfter: k.options.abandonAfter,
		id: noReply,
	}
	r.header.Set("Accept", "text/event-stream")
	if c.isModern() {
		r, _ = k.request(k.argument, "")
	}
	var last time.Duration
	isOpen, hasEvents := false, false
	r.watcher = &watcher{
		holds: true,
		opened: func() {
			isOpen = true
			c.measure(k, m.StreamsOpened, 1)
		},
		heard: func(x *exchange, said message) {
			at := x.events[len(x.events)-1].at
			if !hasEvents {
				last = x.connected
			}
			if c.isMeasured() {
				c.push(k, func(b *batch) { b.addEvent(m, !hasEvents, at-last) })
			}
			x.events, last, hasEvents = nil, at, true
			k.notify(l, said)
		},
	}
	x := c.do(r)
	if isOpen {
		c.measure(k, m.StreamsClosed, 1)
	}
	if x.abandoned && !isOpen {
		x.failure = failed(kinds.Timeout, "no answer in time")
	}
	// It was to end so, and how long it was held is no latency.
	x.abandoned, x.complete, x.events = false, false, nil
	return x
}

// notify tells the script of a server's notification.
func (k *call) notify(l *loop, said message) {
	if k.options.onNotification == nil || said.method.Type != gjson.String || said.id.Exists() {
		return
	}
	l.run(func() error {
		params := sobek.Undefined()
		if said.params.Exists() {
			var err error
			if params, err = k.client.instance.parseJSON(said.params.Raw); err != nil {
				return err
			}
		}
		_, err := k.options.onNotification(sobek.Undefined(), l.vu.Runtime().ToValue(said.method.Str), params)
		return err
	})
}
