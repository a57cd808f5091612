package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
	"github.com/tidwall/gjson"
)

const (
	// maxSessionID is the maximum length of a session ID, in bytes. The ID is sent with every request.
	maxSessionID = 4096
	// maxName is the maximum length of a server's name and of its version, in characters.
	maxName = 100
	// maxCapabilities is the maximum size of a server's capabilities, in bytes of JSON.
	maxCapabilities = 64 << 10
	// discoverTimeout bounds server/discover over HTTP: an older server may not answer a method that it does not know.
	discoverTimeout = 4 * time.Second
	// endpointTimeout bounds the wait for the first event of the deprecated HTTP+SSE transport.
	endpointTimeout = time.Second
)

// JSON-RPC error codes that only servers of version 2026-07-28 send: the server understood the request and refuses it.
const (
	codeHeaderMismatch    = -32020
	codeMissingCapability = -32021
)

// serverInfo is what a server reports about itself.
type serverInfo struct {
	Name, Version string
	capabilities  string
}

// sharedSession is a session that all VUs use. They also share the counter of its request IDs.
type sharedSession struct {
	negotiated
	session string
	lastID  *atomic.Int64
}

// negotiated is what the first client learned about a server.
type negotiated struct {
	version string
	info    serverInfo
}

// unusable is the error for a server that cannot be called. A script sees it as an Error with a kind and an HTTP status.
type unusable struct {
	kind   string
	status int
	text   string
}

func (u *unusable) Error() string { return u.text }

func (c *Client) isModern() bool { return c.version == modernVersion }

// connect ensures that the server can be called, and returns its protocol version, name, version and capabilities.
func (c *Client) connect() (any, error) {
	x, err := c.open()
	if err != nil {
		return nil, err
	}
	switch {
	case x != nil:
	// Any HTTP answer shows that the server can be reached. Calls find out whether it can be used.
	case c.options.protocol != dialectMCP:
		if x = c.do(c.protocolCall(http.MethodOptions).bareRequest(http.MethodOptions)); x.status > 0 {
			x.failure = nil
		}
	// With a fixed version, open does not send server/discover, so the server's name is still unknown.
	case c.isModern() && c.info.Name == "":
		x = c.discover(true, false)
	}
	if x != nil && x.failure != nil {
		if x.failure.kind == kinds.HTTP4xx && c.options.protocol == dialectMCP && c.isHTTPSSE() {
			x.failure = failed(kinds.Protocol, "it speaks the HTTP+SSE transport of 2024-11-05, which answers on another stream than the "+
				"request's and cannot be loaded; is there a Streamable HTTP endpoint, often /mcp?")
			x.refusal = ""
		}
		c.count(c.protocolCall("initialize"), x, false)
		return nil, &unusable{kind: x.failure.kind, status: x.status, text: c.transport.name() + " cannot be used: " + c.describe(x)}
	}
	connected.Store(c.transport.name(), Server{c.transport.name(), c.version, c.info.Name, c.info.Version})
	capabilities, err := c.instance.parseJSON(cmp.Or(c.info.capabilities, "{}"))
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"protocolVersion": c.version, "serverInfo": map[string]any{"name": c.info.Name, "version": c.info.Version},
		"capabilities": capabilities,
	}, nil
}

// withoutQuery returns a URL without its query, which may hold a key.
func withoutQuery(text string) string {
	shown, _, _ := strings.Cut(text, "?")
	return shown
}

// notify sends a notification.
func (c *Client) notify(method string, params sobek.Value) error {
	if c.options.protocol == dialectREST {
		return errors.New("notify: there are no notifications over REST")
	}
	k, err := c.makeCall(method, params, nil)
	if err != nil {
		return err
	}
	x, err := c.open()
	if err != nil {
		return err
	}
	if x != nil {
		c.record(k, x, false)
		return fmt.Errorf("%s: %s", method, c.describe(x))
	}
	c.sendNotification(k)
	return nil
}

func (c *Client) sendNotification(k *call) {
	k.isOfSession, k.isNotification = true, true
	c.record(k, k.do(k.argument, "", nil), true)
}

// answerServer answers a request that the server sent on a stream (versions before 2026-07-28).
func (c *Client) answerServer(asked message, r request, stream *exchange) {
	// The token that the stream was opened with may have expired.
	if c.tokens != nil {
		c.authorize()
	}
	// The method's name is chosen by the server, so it must not become a tag.
	k := c.protocolCall("response")
	k.options.headers = r.callHeaders
	response := k.bareRequest(http.MethodPost)
	response.timeout = min(response.timeout, max(0, r.life()-time.Since(stream.began)))
	ctx, cancel := context.WithTimeout(c.instance.vu.Context(), response.timeout)
	defer cancel()
	answer := `"error":{"code":-32601,"message":"Method not found"}`
	if f := (&filler{ctx: ctx}); f.respond(asked.method.Str, asked.params) {
		answer = `"result":` + f.made.String()
	}
	response.body = []byte(`{"jsonrpc":"2.0","id":` + asked.id.Raw + `,` + answer + `}`)
	x := c.do(response)
	x.isByServer = true
	c.record(k, x, true)
}

// protocolCall returns a call for protocol traffic, which is not an operation of the script.
func (c *Client) protocolCall(method string) *call {
	k := c.newCall(method, &callOptions{})
	k.isOfSession = true
	return k
}

// leave ends the session of a call that has its own.
func (c *Client) leave() {
	if c.options.sessions == sessionPerCall {
		c.transport.leave(c)
	}
	c.forget()
}

func (c *Client) forget() {
	if c.isModern() || c.options.protocol != dialectMCP {
		return
	}
	if c.options.sessions == sessionShared {
		c.instance.root.sharing.Lock()
		defer c.instance.root.sharing.Unlock()
		// Another VU may already have opened a new session.
		if c.instance.root.shared[c.sharedKey()].session == c.session {
			delete(c.instance.root.shared, c.sharedKey())
		}
	}
	c.session, c.isOpen = "", false
	c.epoch++
}

// open negotiates the protocol version and, if the server keeps sessions, opens one. If that fails, it returns the failed exchange, which is not
// recorded yet: the call that needed the session fails with it.
func (c *Client) open() (*exchange, error) {
	state := c.instance.vu.State()
	if state == nil {
		return nil, errors.New("requests can be made in VU code, setup and teardown, and not in the init context")
	}
	if state.Iteration != c.instance.noted {
		c.instance.noteStart(state)
	}
	began := time.Now()
	isNew, f := c.transport.prepare(c)
	if f != nil {
		return &exchange{failure: f, began: began, callBegan: began, last: time.Since(began)}, nil
	}
	if isNew {
		c.isOpen = false
		c.epoch++
	}
	if c.isOpen || c.options.protocol != dialectMCP {
		return nil, nil
	}
	x := &exchange{}
	if c.version == "" {
		x = c.negotiate()
	}
	switch {
	case x.failure != nil:
	case !c.isModern():
		refusal := x.refusal
		x = c.initialize()
		x.refusal = refusal
	case isNew && !x.complete:
		// A new process must answer once before it counts as started.
		x = c.discover(true, false)
	}
	c.isOpen = x.failure == nil
	if isNew {
		c.transport.opened(c, c.isOpen)
	}
	if c.isOpen {
		return nil, nil
	}
	if !c.options.isFixed() {
		c.version = ""
	}
	x.callBegan = began
	return x, nil
}

func (c *Client) negotiatedKey() string {
	return c.options.protocolVersion + " " + c.transport.key()
}

// sharedKey returns the same key for all clients that may use the same session.
func (c *Client) sharedKey() string {
	return fmt.Sprint(c.negotiatedKey(), c.options.headers, c.options.oauth)
}

// negotiate chooses the protocol version: the configured one, one that another client has negotiated, or one that the server supports.
func (c *Client) negotiate() *exchange {
	x := &exchange{}
	if known, ok := c.instance.root.negotiated.Load(c.negotiatedKey()); ok {
		c.version, c.info = known.(negotiated).version, known.(negotiated).info
		return x
	}
	c.version = c.options.protocolVersion
	switch c.version {
	case versionLegacy:
		c.version = versions[1]
	case versionAuto:
		x = c.discover(false, false)
		if x.failure == nil && c.isModern() {
			c.instance.root.negotiated.Store(c.negotiatedKey(), negotiated{c.version, c.info})
		}
	}
	c.epoch++
	return x
}

// discover sends server/discover, and repeats it once if the server refuses a version that it lists itself. Unless isForced is set, any answer
// other than a valid one of 2026-07-28 leads to initialize: it is not a failure and is not counted.
func (c *Client) discover(isForced, isAgain bool) *exchange {
	c.version = modernVersion
	k := c.protocolCall("server/discover")
	r, _ := k.request("", "")
	if c.process == nil {
		r.timeout = min(r.timeout, discoverTimeout)
	} else if !isForced {
		r.timeout = min(r.timeout, stdioDiscoverTimeout)
	}
	x := c.do(r)
	// The request is not counted, but its connection is: the following requests use it.
	if x.isNewConnection && c.isMeasured() {
		c.push(k, func(b *batch) { b.addConnection(c.instance.metrics, x) })
	}
	reply := x.reply
	if x.status >= http.StatusBadRequest {
		reply = x.errorReply()
	}
	offered := member(member(reply.err, "data"), "supported")
	if x.failure != nil && includes(offered, modernVersion) && !isAgain {
		return c.discover(isForced, true)
	}
	if x.failure == nil {
		offered = member(reply.result, "supportedVersions")
		info := member(member(reply.result, "_meta"), serverInfoKey)
		if !info.Exists() {
			info = member(reply.result, "serverInfo")
		}
		c.setInfo(info, member(reply.result, "capabilities"))
		if includes(offered, modernVersion) {
			return x
		}
	} else if !x.isAnswered() && (isForced || !c.isSilent(x)) || isForced && x.isModernError(reply) {
		return x
	}
	if isForced || x.failure == nil {
		x.failure = failed(kinds.Protocol, "it does not speak MCP %s", modernVersion)
	}
	x.failure.detail += listed(offered)
	if isForced {
		return x
	}
	known := slices.IndexFunc(versions[1:], func(version string) bool { return includes(offered, version) })
	c.version = versions[1:][max(0, known)]
	return &exchange{refusal: c.describe(x)}
}

// isSilent reports whether a server process has started but has not answered. An older server may stay silent until it receives initialize.
func (c *Client) isSilent(x *exchange) bool {
	return c.process != nil && x.failure.kind == kinds.Timeout
}

// isAnswered reports whether initialize may succeed after this answer: it was in time, and it is not a refusal of the credentials, a redirect or
// too large.
func (x *exchange) isAnswered() bool {
	switch x.failure.kind {
	case kinds.Connect, kinds.Timeout, kinds.Stalled, kinds.Auth, kinds.TooLarge:
		return false
	}
	return isSuccess(x.status) || x.status >= http.StatusBadRequest
}

// isModernError reports whether an error does not depend on the protocol version, or exists in 2026-07-28 only.
func (x *exchange) isModernError(reply message) bool {
	code := int(member(reply.err, "code").Num)
	return x.failure.kind == kinds.HTTP5xx || x.failure.kind == kinds.RateLimited || code == codeHeaderMismatch || code == codeMissingCapability
}

func includes(list gjson.Result, version string) bool {
	return list.IsArray() && slices.ContainsFunc(list.Array(), func(one gjson.Result) bool { return one.Str == version })
}

func listed(versions gjson.Result) string {
	if !versions.IsArray() {
		return ""
	}
	return "; it lists " + versions.Raw
}

func (c *Client) setInfo(info, capabilities gjson.Result) {
	// Name and version become labels. Credentials that the server repeats are redacted before the text is cut.
	own := func(key string) string { return oneLine(c.redact(member(info, key).Str), maxName) }
	c.info = serverInfo{Name: own("name"), Version: own("version")}
	if capabilities.IsObject() && len(capabilities.Raw) <= maxCapabilities {
		c.info.capabilities = strings.Clone(capabilities.Raw)
	}
}

// initialize opens a session (versions before 2026-07-28). Its requests are counted. Their time is the session's duration and not part of any
// call's latency.
func (c *Client) initialize() *exchange {
	root := c.instance.root
	if c.options.sessions == sessionShared {
		root.sharing.Lock()
		defer root.sharing.Unlock()
		if shared, ok := root.shared[c.sharedKey()]; ok {
			c.version, c.info, c.session, c.lastID = shared.version, shared.info, shared.session, shared.lastID
			c.epoch++
			return &exchange{}
		}
	}
	began := time.Now()
	c.session = ""
	k := c.protocolCall("initialize")
	k.members = `"protocolVersion":` + quote(c.version) + `,"capabilities":` + clientCapabilities + `,"clientInfo":` + clientInfo
	x := k.do("", "", nil)
	if x.failure != nil {
		return x
	}
	session, version := x.header.Get(sessionHeader), member(x.reply.result, "protocolVersion").Str
	switch {
	case len(session) > maxSessionID:
		x.failure = failed(kinds.Protocol, "a session id of %d characters; more than %d are not sent", len(session), maxSessionID)
	case !slices.Contains(versions[1:], version):
		x.failure = failed(kinds.Protocol, "it wants protocol version %q; known: %s", version, strings.Join(versions, ", "))
	case c.options.isFixed() && version != c.options.protocolVersion:
		x.failure = failed(kinds.Protocol, "it settles on protocol version %s; expected %s", version, c.options.protocolVersion)
	}
	if x.failure != nil {
		return x
	}
	c.record(k, x, true)
	c.setInfo(member(x.reply.result, "serverInfo"), member(x.reply.result, "capabilities"))
	c.version, c.session = version, session
	c.epoch++
	if c.options.sessions == sessionShared {
		root.shared[c.sharedKey()] = sharedSession{negotiated{c.version, c.info}, session, c.lastID}
	}
	root.negotiated.Store(c.negotiatedKey(), negotiated{c.version, c.info})
	c.sendNotification(c.protocolCall("notifications/initialized"))
	c.measure(k, c.instance.metrics.SessionDuration, milliseconds(time.Since(began)))
	return x
}

// isHTTPSSE reports whether a GET opens a stream whose first event names the URL to POST to, as in the deprecated HTTP+SSE transport.
func (c *Client) isHTTPSSE() bool {
	r := c.protocolCall(http.MethodGet).bareRequest(http.MethodGet)
	r.header.Set("Accept", "text/event-stream")
	// No reply with this ID ever arrives, so the stream is read until the timeout.
	r.id, r.timeout = 1, endpointTimeout
	x := c.do(r)
	return len(x.events) > 0 && x.events[0].kind == "endpoint"
}
