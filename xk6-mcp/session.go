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
	// A session's id goes into each request.
	maxSessionID = 4096
	// Of a server's name for itself, and of its version.
	maxName = 100
	// Bytes of JSON.
	maxCapabilities = 64 << 10
	// For a server of the other era that does not answer what it does not know.
	discoverTimeout = 4 * time.Second
	// For the first event of a stream of the old transport.
	endpointTimeout = time.Second
)

// JSON-RPC error codes that only a server of the modern era sends: it understood the request and refuses it.
const (
	codeHeaderMismatch    = -32020
	codeMissingCapability = -32021
)

// serverInfo is what a server says of itself.
type serverInfo struct {
	Name, Version string
	capabilities  string
}

// sharedSession is one that all VUs use, and count their requests in.
type sharedSession struct {
	negotiated
	session string
	lastID  *atomic.Int64
}

// negotiated is what a first client found out about a server.
type negotiated struct {
	version string
	info    serverInfo
}

// unusable is why there is no server that can be called. For the script it is an Error with a kind, and a status.
type unusable struct {
	kind   string
	status int
	text   string
}

func (u *unusable) Error() string { return u.text }

func (c *Client) isModern() bool { return c.version == modernVersion }

// connect makes sure that there is a server which can be called, and tells who it is.
func (c *Client) connect() (any, error) {
	x, err := c.open()
	if err != nil {
		return nil, err
	}
	switch {
	case x != nil:
	// Whatever such a server answers is for the calls to find out.
	case c.options.protocol != dialectMCP:
		if x = c.do(c.protocolCall(http.MethodOptions).bareRequest(http.MethodOptions)); x.status > 0 {
			x.failure = nil
		}
	// A version that the options say is not asked for before a call.
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

// withoutQuery returns a URL as it may be shown: its query may hold a key.
func withoutQuery(text string) string {
	shown, _, _ := strings.Cut(text, "?")
	return shown
}

// notify sends a message that is not answered.
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

// answerServer answers a request that a server makes on a stream (versions before 2026-07-28).
func (c *Client) answerServer(asked message, r request, of *exchange) {
	// A stream may be older than the token that it was opened with.
	if c.tokens != nil {
		c.authorize()
	}
	// The server chooses the method's name: it is no tag.
	k := c.protocolCall("response")
	k.options.headers = r.callHeaders
	response := k.bareRequest(http.MethodPost)
	response.timeout = min(response.timeout, max(0, r.life()-time.Since(of.began)))
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

// protocolCall is a call in which no operation of the script ends.
func (c *Client) protocolCall(method string) *call {
	k := c.newCall(method, &callOptions{})
	k.isOfSession = true
	return k
}

// leave ends a call that had a session of its own.
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
		// Another VU may have opened a new one.
		if c.instance.root.shared[c.sharedKey()].session == c.session {
			delete(c.instance.root.shared, c.sharedKey())
		}
	}
	c.session, c.isOpen = "", false
	c.epoch++
}

// open finds out how a server wants to be spoken to, and opens a session where it keeps any. Where that fails, it returns the exchange with the
// failure, which is not recorded yet: the call ends with it for which this was to be done.
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
		// Of a program it is to be known that it has started.
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

// sharedKey is the same for clients that may use the same session.
func (c *Client) sharedKey() string {
	return fmt.Sprint(c.negotiatedKey(), c.options.headers, c.options.oauth)
}

// negotiate decides on a protocol version: that of the options, one that another client found, or what the server understands.
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

// discover sends a request of the modern era, and sends it again if the server refuses a version that it lists. Unless isForced, any answer but a
// valid one of that version leads to initialize: it is not a failure, and is not counted.
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

// isSilent tells whether a program has started and said nothing, as those of the old era may that wait for initialize.
func (c *Client) isSilent(x *exchange) bool {
	return c.process != nil && x.failure.kind == kinds.Timeout
}

// isAnswered tells whether the server answered so that initialize may get a better answer: it was not late, and the answer is neither a refusal of
// the credentials, nor a redirect, nor too large.
func (x *exchange) isAnswered() bool {
	switch x.failure.kind {
	case kinds.Connect, kinds.Timeout, kinds.Stalled, kinds.Auth, kinds.TooLarge:
		return false
	}
	return isSuccess(x.status) || x.status >= http.StatusBadRequest
}

// isModernError tells whether an error does not depend on the protocol version, or is one that only 2026-07-28 has.
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
	// They become labels: what the server was sent is taken out before they are cut.
	own := func(key string) string { return oneLine(c.redact(member(info, key).Str), maxName) }
	c.info = serverInfo{Name: own("name"), Version: own("version")}
	if capabilities.IsObject() && len(capabilities.Raw) <= maxCapabilities {
		c.info.capabilities = strings.Clone(capabilities.Raw)
	}
}

// initialize opens a session (versions before 2026-07-28). Its requests are counted; their time is the session's, and no call's.
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

// isHTTPSSE tells whether a GET opens a stream whose first event names where to POST to: the deprecated transport.
func (c *Client) isHTTPSSE() bool {
	r := c.protocolCall(http.MethodGet).bareRequest(http.MethodGet)
	r.header.Set("Accept", "text/event-stream")
	// A stream without a reply: it is read until the time ends.
	r.id, r.timeout = 1, endpointTimeout
	x := c.do(r)
	return len(x.events) > 0 && x.events[0].kind == "endpoint"
}
