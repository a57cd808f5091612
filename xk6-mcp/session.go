package mcp

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

const (
	// A session's id goes into each request.
	maxSessionID = 4096
	// Of a server's name for itself, and of its version.
	maxName = 100
	// For a server of the other era that does not answer what it does not know.
	discoverTimeout = 4 * time.Second
	// For the first event of a stream of the old transport.
	endpointTimeout = time.Second
)

// JSON-RPC error codes that only a server of the modern era sends: it understood the request and refuses it.
const (
	codeHeaderMismatch     = -32020
	codeMissingCapability  = -32021
	codeUnsupportedVersion = -32022
)

// serverInfo is what a server says of itself.
type serverInfo struct {
	Name, Version string
	capabilities  string
}

// sharedSession is one that all VUs use.
type sharedSession struct{ version, session string }

// negotiated is what a first client found out about a server.
type negotiated struct {
	version string
	info    serverInfo
}

func (c *Client) isModern() bool { return c.version == modernVersion }

// Connect makes sure that there is a server which can be called, and tells who it is. It throws where there is none.
func (c *Client) Connect() (any, error) {
	if c.instance.vu.State() == nil {
		return nil, fmt.Errorf("connect: there are no requests in the init context")
	}
	f := c.open()
	// A version that the options say is not asked for before a call.
	if f == nil && c.isModern() && c.info.Name == "" && c.options.protocol == dialectMCP {
		f = c.discover(true)
	}
	if f != nil {
		return nil, fmt.Errorf("%s cannot be used: %s", c.options.url.Redacted(), c.describe(f))
	}
	capabilities, err := c.instance.parseJSON(orEmptyObject(c.info.capabilities))
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"protocolVersion": c.version, "serverInfo": map[string]any{"name": c.info.Name, "version": c.info.Version},
		"capabilities": capabilities,
	}, nil
}

// Close ends the session on the server, where there is one.
func (c *Client) Close() {
	if c.session == "" || c.options.sessions == sessionShared {
		return
	}
	k := c.protocolCall(http.MethodDelete)
	x := c.do(request{method: http.MethodDelete, url: c.options.url, header: c.requestHeaders("", ""), timeout: c.options.timeout})
	// A server may refuse to have its sessions ended by clients.
	if x.status == http.StatusMethodNotAllowed {
		x.failure = nil
	}
	c.recordAdditional(k, x, x.failure)
	c.forget()
}

// Notify sends a message that is not answered.
func (c *Client) Notify(method string) error {
	if f := c.open(); f != nil {
		return fmt.Errorf("%s: %s", method, c.describe(f))
	}
	c.notify(method)
	return nil
}

func (c *Client) notify(method string) {
	k := c.protocolCall(method)
	x := c.do(request{
		method: http.MethodPost, url: c.options.url, header: c.requestHeaders(method, ""), timeout: c.options.timeout,
		body: []byte(`{"jsonrpc":"2.0","method":` + quote(method) + `}`),
	})
	c.recordAdditional(k, x, x.failure)
}

// answerServer answers a request that a server makes on a stream (versions before 2026-07-28).
func (c *Client) answerServer(asked message) {
	answer := `"error":{"code":-32601,"message":"Method not found"}`
	if result, ok := respond(asked.method.Str, asked.params); ok {
		answer = `"result":` + result
	}
	// A method's name is the server's to choose, and so none for a tag.
	x := c.do(request{
		method: http.MethodPost, url: c.options.url, header: c.requestHeaders("", ""), timeout: c.options.timeout,
		body: []byte(`{"jsonrpc":"2.0","id":` + asked.id.Raw + `,` + answer + `}`),
	})
	c.recordAdditional(c.protocolCall("response"), x, x.failure)
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
		c.Close()
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
		if c.instance.root.shared[c.options.url.String()].session == c.session {
			delete(c.instance.root.shared, c.options.url.String())
		}
	}
	c.session, c.isOpen = "", false
	c.epoch++
}

// open finds out how a server wants to be spoken to, once a process, and opens a session where it keeps any.
func (c *Client) open() *failure {
	if c.isOpen || c.options.protocol != dialectMCP {
		return nil
	}
	if c.version == "" {
		if f := c.negotiate(); f != nil {
			return f
		}
	}
	if c.isModern() {
		c.isOpen = true
		return nil
	}
	return c.initialize()
}

// negotiate decides on a protocol version: that of the options, one that another client found, or what the server understands.
func (c *Client) negotiate() *failure {
	key := c.options.protocolVersion + " " + c.options.url.String()
	if known, ok := c.instance.root.negotiated.Load(key); ok {
		c.version, c.info = known.(negotiated).version, known.(negotiated).info
		return nil
	}
	c.version = c.options.protocolVersion
	if c.version == versionAuto {
		if f := c.discover(false); f != nil {
			c.version = ""
			return f
		}
		if c.isModern() {
			c.instance.root.negotiated.Store(key, negotiated{c.version, c.info})
		}
	}
	c.epoch++
	return nil
}

// discover sends a request of the modern era. That a server of the other one refuses it is no failure, and is counted nowhere.
func (c *Client) discover(isForced bool) *failure {
	c.version = modernVersion
	k := c.protocolCall("server/discover")
	r, _ := k.request("", "")
	r.timeout = min(r.timeout, discoverTimeout)
	x := c.do(r)
	reply := x.reply
	if x.failure != nil && x.failure.kind == kinds.HTTP4xx {
		reply, _ = x.errorReply()
	}
	code := int(member(reply.err, "code").Num)
	offered := member(member(reply.err, "data"), "supported")
	switch {
	case x.failure == nil:
		offered = member(reply.result, "supportedVersions")
		info := member(member(reply.result, "_meta"), serverInfoKey)
		if !info.Exists() {
			info = member(reply.result, "serverInfo")
		}
		c.setInfo(info, member(reply.result, "capabilities"))
	// Nothing that initialize would mend.
	case x.failure.kind == kinds.Connect, x.status == http.StatusUnauthorized, x.status == http.StatusForbidden, x.status == http.StatusTooManyRequests,
		x.status >= http.StatusMultipleChoices && x.status < http.StatusBadRequest,
		code == codeHeaderMismatch, code == codeMissingCapability:
		return x.failure
	}
	if x.failure == nil && includes(offered, modernVersion) {
		return nil
	}
	if isForced {
		return failed(kinds.Protocol, "it does not speak MCP %s%s", modernVersion, listed(offered))
	}
	c.version = versions[1]
	if x.failure == nil || code == codeUnsupportedVersion {
		at := slices.IndexFunc(versions[1:], func(version string) bool { return includes(offered, version) })
		if at < 0 {
			return failed(kinds.Protocol, "it speaks no version of MCP that is known (%s)%s", strings.Join(versions, ", "), listed(offered))
		}
		c.version = versions[1:][at]
	}
	return nil
}

func includes(list gjson.Result, version string) bool {
	return slices.ContainsFunc(list.Array(), func(one gjson.Result) bool { return one.Str == version })
}

func listed(versions gjson.Result) string {
	if !versions.IsArray() {
		return ""
	}
	return "; it lists " + versions.Raw
}

func (c *Client) setInfo(info, capabilities gjson.Result) {
	bounded := func(text string) string {
		line := []rune(oneLine(text))
		return string(line[:min(len(line), maxName)])
	}
	c.info = serverInfo{Name: bounded(member(info, "name").Str), Version: bounded(member(info, "version").Str)}
	if capabilities.IsObject() {
		c.info.capabilities = capabilities.Raw
	}
}

// initialize opens a session (versions before 2026-07-28). Its requests are counted; their time is the session's, and no call's.
func (c *Client) initialize() *failure {
	if c.options.sessions == sessionShared {
		c.instance.root.sharing.Lock()
		defer c.instance.root.sharing.Unlock()
		if shared, ok := c.instance.root.shared[c.options.url.String()]; ok {
			c.version, c.session, c.isOpen = shared.version, shared.session, true
			c.epoch++
			return nil
		}
	}
	began := time.Now()
	c.session = ""
	k := c.protocolCall("initialize")
	k.members = `"protocolVersion":` + quote(c.version) + `,"capabilities":` + clientCapabilities + `,"clientInfo":` + clientInfo
	r, _ := k.request("", "")
	x := c.do(r)
	c.resume(k, r, x)
	f := x.failure
	session := x.header.Get(sessionHeader)
	if f == nil && len(session) > maxSessionID {
		f = failed(kinds.Protocol, "a session id of %d characters; more than %d are not sent", len(session), maxSessionID)
	}
	version := member(x.reply.result, "protocolVersion").Str
	if f == nil && !slices.Contains(versions[1:], version) {
		f = failed(kinds.Protocol, "it wants protocol version %q; known: %s", version, strings.Join(versions, ", "))
	}
	if f != nil {
		if f.kind == kinds.HTTP4xx && c.isHTTPSSE() {
			f = failed(kinds.Protocol, "it speaks the HTTP+SSE transport of 2024-11-05, which answers on another stream than the request's "+
				"and cannot be loaded; is there a Streamable HTTP endpoint, often /mcp?")
		}
		// The call for which the session was to be opened ends with it.
		c.recordRequest(k, x, f, "", false)
		return f
	}
	c.recordAdditional(k, x, nil)
	c.setInfo(member(x.reply.result, "serverInfo"), member(x.reply.result, "capabilities"))
	c.version, c.session, c.isOpen = version, session, true
	c.epoch++
	if c.options.sessions == sessionShared {
		c.instance.root.shared[c.options.url.String()] = sharedSession{version, session}
	}
	c.instance.root.negotiated.Store(c.options.protocolVersion+" "+c.options.url.String(), negotiated{c.version, c.info})
	c.notify("notifications/initialized")
	c.push(k, func(b *batch) { b.add(c.instance.metrics.SessionDuration, milliseconds(time.Since(began))) })
	return nil
}

// isHTTPSSE tells whether a GET opens a stream whose first event names where to POST to: the deprecated transport.
func (c *Client) isHTTPSSE() bool {
	headers := c.requestHeaders("", "")
	headers.Set("Accept", "text/event-stream")
	// A stream without a reply: it is read until the time ends.
	x := c.do(request{method: http.MethodGet, url: c.options.url, header: headers, timeout: endpointTimeout, id: 1})
	return len(x.events) > 0 && x.events[0].kind == "endpoint"
}
