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

// cancelTimeout is how long a server may take to hear that a call was given up.
const cancelTimeout = time.Second

// classProtocol is the class of requests in which no call ends.
const classProtocol = "protocol"

// call is a request made ready to be sent many times.
type call struct {
	client  *Client
	method  string
	options *callOptions
	// JSON. head: the body up to the parameters; members, meta: those of the parameters and of _meta, without braces; argument: the value of the
	// member that varies; memberHead: its name
	head, members, meta, argument, memberHead string
	// The value of the header Mcp-Name.
	name string
	// The request of a session, and no operation of the script.
	isOfSession bool
	// A message that is not answered.
	isNotification bool

	// Only a prepared call has a memo.
	memo  *memo
	cache *answerCache
	url   *url.URL
	// Made for an epoch of the client.
	header http.Header
	epoch  int
	// Made for a VU's tags.
	vuTags, tags *metrics.TagSet
	// It counts for the phase in which it began, whatever its VU does meanwhile.
	keepsTags bool
	slowTags  []*metrics.TagSet
	byOutcome map[string]*metrics.TagSet
}

// newCall makes a request ready that has no parameters yet.
func (c *Client) newCall(method string, options *callOptions) *call {
	return &call{
		client: c, method: method, options: options, url: c.options.url,
		head: `{"jsonrpc":"2.0","method":` + quote(method) + `,"params":`, memberHead: quote(options.member) + ":",
	}
}

// newScriptCall makes a request of a script ready. params: an object, or nothing
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

// jsonOf returns a value's JSON, and nothing for undefined.
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

// headers returns those of a request that is made for the call.
func (k *call) headers(method string) http.Header {
	headers := k.client.requestHeaders(method, k.name)
	maps.Copy(headers, k.options.headers)
	return headers
}

// bareRequest returns one without a JSON-RPC body, with what the options of the call and of its client say.
func (k *call) bareRequest(httpMethod string) request {
	return request{
		method: httpMethod, url: k.url, header: k.headers(""), callHeaders: k.options.headers,
		timeout: k.timeout(), abandonAfter: k.options.abandonAfter,
	}
}

// request makes the next request of the call, and the id of its trace, where it has one. argument, input: JSON, or nothing
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
		// W3C Trace Context, in _meta by SEP-414.
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

// withMember adds a member to an object; what is none stays as it is.
func withMember(object, member string) string {
	if object = cmp.Or(strings.TrimSpace(object), "{}"); !strings.HasSuffix(object, "}") {
		return object
	}
	return "{" + joined(strings.TrimSpace(object[1:len(object)-1]), member) + "}"
}

// answerTo makes the call, for JavaScript.
func (k *call) answerTo(given sobek.Value) (any, error) {
	answer, err := k.send(given)
	if err != nil {
		return nil, err
	}
	return answer.object(), nil
}

// send makes the call. given: an argument, or its JSON; without it the call has the one that it was prepared with
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

// ask makes one request, and a second one in a new session where the server has ended the old one.
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

// sessionIsLost counts a request that found its session ended, and forgets that, unless there is a new one.
func (c *Client) sessionIsLost(k *call, x *exchange, session string) {
	x.failure = nil
	c.record(k, x, true)
	c.measure(k, c.instance.metrics.SessionsExpired, 1)
	if c.session == session {
		c.forget()
	}
}

// exchange makes one request, and judges its answer. An error is an exception that must end the script's iteration.
func (k *call) exchange(argument string, given sobek.Value) (*exchange, error) {
	argument, nonce := k.withNonce(argument)
	x := k.converse(argument, nil)
	return x, k.judge(x, nonce, given)
}

// withNonce gives the argument of a call its nonce, where the call has one.
func (k *call) withNonce(argument string) (string, string) {
	if k.options.nonce == "" {
		return argument, ""
	}
	nonce := strconv.FormatUint(rand.Uint64(), 16)
	return withMember(argument, quote(k.options.nonce)+`:"`+nonce+`"`), nonce
}

// converse makes a request, and repeats it with the input that the server asks for.
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

// inputFor returns the input that an answer asks for, within the time of its request, or why there is none.
func (k *call) inputFor(x *exchange) (string, *failure) {
	ctx, cancel := context.WithDeadline(k.client.instance.vu.Context(), x.began.Add(k.timeout()))
	defer cancel()
	input, ok := inputMembers(ctx, x.reply.result)
	switch {
	case ok:
		return input, nil
	case ctx.Err() != nil:
		return "", failed(kinds.Timeout, "the input that it asks for was not made in time")
	}
	return "", failed(kinds.Unexpected, "it asks for input that this client cannot give")
}

// timeout is that of each request of the call.
func (k *call) timeout() time.Duration { return cmp.Or(k.options.timeout, k.client.options.timeout) }

// judge decides whether an answer is what was wanted. given: what the script gave for arguments, for its own judgement
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
		// Not by exporting it: that copies an object whole.
		if met.ExportType() == reflect.TypeFor[*sobek.Promise]() {
			x.failure = failed(kinds.Unexpected, "expect returned a promise; expected a value")
		}
	}
	return nil
}

// asksForInput looks at the result of what is no success only: that takes time for a large one.
func (x *exchange) asksForInput() bool {
	return x.failure != nil && x.failure.kind == kinds.Unexpected && member(x.reply.result, "resultType").Str == "input_required"
}

// do sends the call's next request.
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

// tellAbandoned tells the server that a request was given up, if nothing else does.
func (k *call) tellAbandoned(r request, x *exchange) {
	if !x.abandoned || !k.saysCancelled(r) {
		return
	}
	cancelled := k.client.newCall("notifications/cancelled", &callOptions{headers: k.options.headers, timeout: cancelTimeout})
	cancelled.members = `"requestId":` + strconv.FormatInt(r.id, 10)
	k.client.sendNotification(cancelled)
}

// saysCancelled tells whether a server has to be told that a call was given up: over HTTP the end of the stream says so in 2026-07-28.
func (k *call) saysCancelled(r request) bool {
	c := k.client
	if c.process != nil {
		return r.id > 0
	}
	return !c.isModern() && c.options.protocol == dialectMCP && !r.holds()
}

// sessionIsGone tells whether the server has ended the session. The specification's status is 404; the TypeScript SDK's example servers send
// 400 and name the session. A stream that was resumed had been accepted.
func (x *exchange) sessionIsGone() bool {
	return !x.isResumed && (x.status == http.StatusNotFound ||
		x.status == http.StatusBadRequest && x.failure != nil && strings.Contains(strings.ToLower(x.failure.detail), "session"))
}

// enterTags makes the tags of the call's samples, where the VU's have changed.
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

// outcomeTags are those of a call's latency.
func (k *call) outcomeTags(outcome string) *metrics.TagSet {
	tags := k.byOutcome[outcome]
	if tags == nil {
		tags = k.tags.With(Names.Tags.Outcome, outcome)
		k.byOutcome[outcome] = tags
	}
	return tags
}
