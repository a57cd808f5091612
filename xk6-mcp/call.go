package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"github.com/tidwall/gjson"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/metrics"
)

// cancelTimeout bounds the request that tells a server that a call or a task was cancelled.
const cancelTimeout = time.Second

// classProtocol is the class tag of protocol requests, such as handshakes and task polls, which do not complete a call of the script.
const classProtocol = "protocol"

// call is a request that is prepared to be sent many times.
type call struct {
	client  *Client
	method  string
	options *callOptions
	// Parts of the body, as JSON: head is everything before the parameters, members and meta are the members of the parameters and of _meta
	// without braces, argument is the value of the member that varies, and memberHead is the name of that member with a colon.
	head, members, meta, argument, memberHead string
	// The value of the Mcp-Name header.
	name string
	// Protocol traffic (a handshake, for example), not an operation of the script.
	isOfSession bool
	// A notification: the server sends no reply.
	isNotification bool

	// nil unless the call is prepared.
	memo  *memo
	cache *answerCache
	url   *url.URL
	// The request headers, and the client's epoch that they were built for.
	header http.Header
	epoch  int
	// The call's tags, and the VU's tags that they were built from.
	vuTags, tags *metrics.TagSet
	// An asynchronous call keeps its tags: it counts for the phase in which it began, even if the VU has moved on to the next one.
	keepsTags bool
	slowTags  []*metrics.TagSet
	byOutcome map[string]*metrics.TagSet
}

// newCall returns a call without parameters.
func (c *Client) newCall(method string, options *callOptions) *call {
	return &call{
		client: c, method: method, options: options, url: c.options.url,
		head: `{"jsonrpc":"2.0","method":` + quote(method) + `,"params":`, memberHead: quote(options.member) + ":",
	}
}

// newScriptCall returns a call of the script. params is an object, null or undefined.
func (c *Client) newScriptCall(method string, params sobek.Value, options *callOptions) (*call, error) {
	made := c.newCall(method, options)
	if common.IsNullish(params) {
		return made, nil
	}
	object, ok := params.(*sobek.Object)
	if !ok {
		return nil, fmt.Errorf("%s: got %s; expected an object of parameters", method, params)
	}
	for _, key := range object.Keys() {
		text, err := c.jsonOf(object.Get(key))
		switch {
		case err != nil:
			return nil, err
		case text == "":
		case key == options.member:
			made.argument = text
		case key == "_meta" && strings.HasPrefix(text, "{"):
			made.meta = text[1 : len(text)-1]
		default:
			if key == namedBy[method] {
				made.name = object.Get(key).String()
			}
			made.members = joined(made.members, quote(key)+":"+text)
		}
	}
	if c.options.protocol == dialectREST {
		made.url = c.options.url.JoinPath("tools", url.PathEscape(made.name), "call")
	}
	return made, nil
}

// jsonOf returns a value as JSON, or an empty string for undefined.
func (c *Client) jsonOf(value sobek.Value) (string, error) {
	text, err := c.instance.stringify(sobek.Undefined(), value)
	if err != nil || sobek.IsUndefined(text) {
		return "", err
	}
	return text.String(), nil
}

func quote(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "," + b
}

// headers returns the headers of the call's requests.
func (k *call) headers(method string) http.Header {
	headers := k.client.requestHeaders(method, k.name)
	maps.Copy(headers, k.options.headers)
	return headers
}

// bareRequest returns a request without a JSON-RPC body, with the headers and timeouts of the call and its client.
func (k *call) bareRequest(httpMethod string) request {
	return request{
		method: httpMethod, url: k.url, header: k.headers(""), callHeaders: k.options.headers,
		timeout: k.timeout(), abandonAfter: k.options.abandonAfter,
	}
}

// request builds the next request of the call. It also returns its trace ID, which is empty if the request is not traced. argument is the JSON
// of the member that varies, input are further JSON members; both may be empty.
func (k *call) request(argument, input string) (request, string) {
	c := k.client
	if k.header == nil || k.epoch != c.epoch {
		k.header, k.epoch = k.headers(k.method), c.epoch
	}
	r := request{
		method: http.MethodPost, url: k.url, header: k.header, callHeaders: k.options.headers,
		timeout: k.timeout(), abandonAfter: k.options.abandonAfter, memo: k.memo,
	}
	if !k.isOfSession {
		r.operation = k.operation()
	}
	nameVaries := namedBy[k.method] == k.options.member
	if c.isModern() && argument != "" && (len(k.options.paramHeaders) > 0 || nameVaries) {
		r.header = r.header.Clone()
		setParamHeaders(r.header, k.options.paramHeaders, argument)
		if nameVaries {
			setName(r.header, gjson.Parse(argument).Str)
		}
	}
	if c.options.protocol == dialectREST {
		r.body = []byte(`{"arguments":` + cmp.Or(argument, "{}") + `}`)
		return r, ""
	}
	meta := k.meta
	if c.isModern() {
		meta = joined(meta, c.modernMeta())
	}
	id := ""
	if !k.isNotification {
		if r.id = 1; c.options.ids != idsSame {
			r.id = c.lastID.Add(1)
		}
		id = strconv.FormatInt(r.id, 10)
		if (k.options.progress || k.options.onNotification != nil) && !strings.Contains(meta, progressToken) {
			meta = joined(meta, progressToken+":"+id)
		}
		id = `,"id":` + id
	}
	traceID := ""
	if share := c.options.traceSampling; share > 0 && rand.Float64() < share {
		traceID = fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()|1)
		// W3C Trace Context, carried in _meta (SEP-414).
		meta = joined(meta, fmt.Sprintf(`"traceparent":"00-%s-%016x-01"`, traceID, rand.Uint64()|1))
	}
	params := joined(k.members, input)
	if meta != "" {
		params = joined(params, `"_meta":{`+meta+`}`)
	}
	if argument != "" {
		params = joined(params, k.memberHead+argument)
	}
	r.body = []byte(k.head + "{" + params + "}" + id + "}")
	return r, traceID
}

// withMember adds a member to a JSON object. Text that is not an object is returned unchanged.
func withMember(object, member string) string {
	if object = cmp.Or(strings.TrimSpace(object), "{}"); !strings.HasSuffix(object, "}") {
		return object
	}
	return "{" + joined(strings.TrimSpace(object[1:len(object)-1]), member) + "}"
}

// answerTo makes the call and returns its answer as a JavaScript object.
func (k *call) answerTo(given sobek.Value) (any, error) {
	answer, err := k.send(given)
	if err != nil {
		return nil, err
	}
	return answer.object(), nil
}

// send makes the call. given is the argument, as an object or as JSON. If it is null or undefined, the prepared argument is sent.
func (k *call) send(given sobek.Value) (*Answer, error) {
	c := k.client
	argument := k.argument
	if _, isObject := given.(*sobek.Object); isObject {
		var err error
		if argument, err = c.jsonOf(given); err != nil {
			return nil, err
		}
	} else if !common.IsNullish(given) {
		argument = given.String()
	}
	x, err := c.open()
	if err != nil {
		return nil, err
	}
	if x != nil {
		c.record(k, x, false)
		return &Answer{client: c, exchange: x}, nil
	}
	answer, err := k.throughCache(argument, given)
	if c.options.sessions == sessionPerCall || c.options.sessions == sessionAbandon {
		c.leave()
	}
	return answer, err
}

// ask makes one request. If the server has ended the session, it opens a new session and repeats the request.
func (k *call) ask(argument string, given sobek.Value) (*Answer, error) {
	c := k.client
	x, err := k.exchange(argument, given)
	if err == nil && c.session != "" && x.sessionIsGone() {
		c.sessionIsLost(k, x, c.session)
		began := x.callBegan
		if x, err = c.open(); err == nil && x == nil {
			x, err = k.exchange(argument, given)
		}
		if err == nil {
			x.callBegan = began
		}
		if err == nil && x.sessionIsGone() {
			c.forget()
		}
	}
	if err != nil {
		return nil, err
	}
	c.record(k, x, false)
	return &Answer{client: c, exchange: x}, nil
}

// sessionIsLost records a request whose session the server had ended. It forgets that session unless the client already has a new one.
func (c *Client) sessionIsLost(k *call, x *exchange, session string) {
	x.failure = nil
	c.record(k, x, true)
	c.measure(k, c.instance.metrics.SessionsExpired, 1)
	if c.session == session {
		c.forget()
	}
}

// exchange makes one request and judges its answer. A returned error is an exception that must end the script's iteration.
func (k *call) exchange(argument string, given sobek.Value) (*exchange, error) {
	argument, nonce := k.withNonce(argument)
	x := k.converse(argument, nil)
	return x, k.judge(x, nonce, given)
}

// withNonce adds a new nonce to the argument if the call has the option nonce. It also returns the nonce.
func (k *call) withNonce(argument string) (string, string) {
	if k.options.nonce == "" {
		return argument, ""
	}
	nonce := strconv.FormatUint(rand.Uint64(), 16)
	return withMember(argument, quote(k.options.nonce)+`:"`+nonce+`"`), nonce
}

// converse makes a request, repeats it with the input that the server asks for, and follows the task that the server may return.
func (k *call) converse(argument string, follower *watcher) *exchange {
	c := k.client
	number, met := flights.begin(k.operation())
	defer flights.end(number)
	x := k.do(argument, "", follower)
	for round := 0; round < maxRounds && c.isModern() && x.asksForInput(); round++ {
		input, f := k.inputFor(x)
		if f != nil {
			x.failure = f
			break
		}
		x.failure = nil
		c.record(k, x, true)
		began := x.callBegan
		x = k.do(argument, input, follower)
		x.callBegan, x.hadInput = began, true
	}
	if c.options.tasks && c.isModern() && x.isTask() {
		x = k.followTask(x)
	}
	x.isSent, x.overlap = true, met
	return x
}

// inputFor returns the input that an answer asks for, or a failure if the client cannot provide it before the request's deadline.
func (k *call) inputFor(x *exchange) (string, *failure) {
	ctx, cancel := context.WithDeadline(k.client.instance.vu.Context(), x.began.Add(k.timeout()))
	defer cancel()
	input, ok := inputMembers(ctx, x.reply.result)
	switch {
	case ok:
		return input, nil
	case ctx.Err() != nil:
		return "", failed(kinds.Timeout, "the input that the server asked for was not ready in time")
	}
	return "", failed(kinds.Unexpected, "the server asked for input that this client cannot provide")
}

func (k *call) timeout() time.Duration { return cmp.Or(k.options.timeout, k.client.options.timeout) }

// judge decides whether an answer is the expected one. given is what the script passed to send; it is passed on to expect. A returned error is
// an exception that must end the script's iteration.
func (k *call) judge(x *exchange, nonce string, given sobek.Value) error {
	c := k.client
	if x.abandoned {
		return nil
	}
	if c.options.protocol == dialectREST {
		x.failure = c.readREST(x, k.options.expectStatus)
	}
	answer := &Answer{client: c, exchange: x}
	if x.failure == nil && nonce != "" && !strings.Contains(answer.text(), nonce) {
		x.failure = failed(kinds.Crossed, "the answer is another call's: its nonce is not in it")
	}
	if x.failure != nil || k.options.expect == nil {
		return nil
	}
	if given == nil {
		given = sobek.Undefined()
	}
	met, err := k.options.expect(sobek.Undefined(), answer.object(), given)
	var exception *sobek.Exception
	switch {
	case errors.As(err, &exception):
		x.failure = failed(kinds.Unexpected, "expect threw: %s", exception.Value())
	case err != nil:
		return err
	case !met.ToBoolean():
		x.failure = failed(kinds.Unexpected, "the result is not what was expected")
	default:
		// Checking the type does not copy the value, as exporting an object would.
		if met.ExportType() == reflect.TypeFor[*sobek.Promise]() {
			x.failure = failed(kinds.Unexpected, "expect returned a promise; expected a value")
		}
	}
	return nil
}

// asksForInput reports whether the server asks for input. It only looks at failed exchanges: searching a large result takes time.
func (x *exchange) asksForInput() bool {
	return x.failure != nil && x.failure.kind == kinds.Unexpected && member(x.reply.result, "resultType").Str == "input_required"
}

// do sends the next request of the call, and resumes its stream if that ends early.
func (k *call) do(argument, input string, follower *watcher) *exchange {
	c := k.client
	r, traceID := k.request(argument, input)
	r.watcher = follower
	x := c.do(r)
	x.traceID = traceID
	c.resume(k, r, x)
	k.tellAbandoned(r, x)
	return x
}

// tellAbandoned notifies the server that a request was abandoned, unless closing the stream does so.
func (k *call) tellAbandoned(r request, x *exchange) {
	if !x.abandoned || !k.saysCancelled(r) {
		return
	}
	cancelled := k.client.newCall("notifications/cancelled", &callOptions{headers: k.options.headers, timeout: cancelTimeout})
	cancelled.members = `"requestId":` + strconv.FormatInt(r.id, 10)
	k.client.sendNotification(cancelled)
}

// saysCancelled reports whether the server must be sent notifications/cancelled for an abandoned call. Over HTTP, 2026-07-28 takes the closed
// stream as the cancellation.
func (k *call) saysCancelled(r request) bool {
	c := k.client
	if c.process != nil {
		return r.id > 0
	}
	return !c.isModern() && c.options.protocol == dialectMCP && !r.holds()
}

// sessionIsGone reports whether the server has ended the session. The specification requires status 404; the TypeScript SDK's example servers
// send 400 and mention the session. A resumed stream does not count: the server had accepted its session.
func (x *exchange) sessionIsGone() bool {
	return !x.isResumed && (x.status == http.StatusNotFound ||
		x.status == http.StatusBadRequest && x.failure != nil && strings.Contains(strings.ToLower(x.failure.detail), "session"))
}

// enterTags rebuilds the tags of the call's samples if the tags of its VU have changed.
func (k *call) enterTags(vuTags *metrics.TagSet) {
	if k.vuTags == vuTags || k.keepsTags {
		return
	}
	k.vuTags = vuTags
	tags := vuTags.With(Names.Tags.Method, k.method).With(Names.Tags.Operation, k.method)
	if k.isOfSession {
		tags = tags.With(Names.Tags.Class, classProtocol)
	}
	k.tags = tags.WithTagsFromMap(k.options.tags)
	k.byOutcome = make(map[string]*metrics.TagSet)
	k.slowTags = nil
	for _, limit := range k.options.limits {
		k.slowTags = append(k.slowTags, k.tags.With(Names.Tags.Limit, strconv.FormatFloat(limit, 'f', -1, 64)))
	}
}

// outcomeTags returns the tags of the latency of calls with this outcome.
func (k *call) outcomeTags(outcome string) *metrics.TagSet {
	tags := k.byOutcome[outcome]
	if tags == nil {
		tags = k.tags.With(Names.Tags.Outcome, outcome)
		k.byOutcome[outcome] = tags
	}
	return tags
}
