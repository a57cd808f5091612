package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/metrics"
)

// classProtocol is the class of requests in which no call ends.
const classProtocol = "protocol"

// call is a request made ready to be sent many times.
type call struct {
	client  *Client
	method  string
	options *callOptions
	// JSON: the body up to the parameters; their members without braces, those of _meta; and the member that varies, and its name.
	head, members, meta, argument, memberHead string
	// Opens or ends a session: its time is the session's, and no call's.
	isOfSession bool

	// Of a call that is prepared.
	memo *memo
	url  *url.URL
	// Made for an epoch of the client.
	header http.Header
	epoch  int
	// Made for a VU's tags.
	vuTags, tags *metrics.TagSet
	slowTags     []*metrics.TagSet
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
	if c.options.protocol == dialectREST {
		made.url = c.restURL(params)
	}
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
			made.members = joined(made.members, quote(key)+":"+text)
		}
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

// request makes the next request of the call, and the id of its trace, where it has one. argument, input: JSON, or nothing
func (k *call) request(argument, input string) (request, string) {
	c := k.client
	if k.header == nil || k.epoch != c.epoch {
		k.header, k.epoch = c.requestHeaders(k.method, "{"+k.members+"}"), c.epoch
		maps.Copy(k.header, k.options.headers)
	}
	if c.options.ids != idsSame || c.lastID == 0 {
		c.lastID++
	}
	r := request{method: http.MethodPost, url: k.url, header: k.header, id: c.lastID, timeout: c.options.timeout, memo: k.memo}
	if k.options.timeout > 0 {
		r.timeout = k.options.timeout
	}
	if c.isModern() && len(k.options.paramHeaders) > 0 {
		r.header = r.header.Clone()
		setParamHeaders(r.header, k.options.paramHeaders, argument)
	}
	if c.options.protocol == dialectREST {
		r.body = []byte(`{"arguments":` + orEmptyObject(argument) + `}`)
		return r, ""
	}
	meta := k.meta
	if c.isModern() {
		meta = joined(meta, modernMeta)
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
	r.body = []byte(k.head + "{" + params + `},"id":` + strconv.FormatInt(r.id, 10) + "}")
	return r, traceID
}

// withMember adds a member to an object; what is none stays as it is.
func withMember(object, member string) string {
	if object = orEmptyObject(strings.TrimSpace(object)); !strings.HasSuffix(object, "}") {
		return object
	}
	return "{" + joined(strings.TrimSpace(object[1:len(object)-1]), member) + "}"
}

func orEmptyObject(text string) string {
	if text == "" {
		return "{}"
	}
	return text
}

// send makes the call: with this argument (a value, or the JSON of one), or with that which it was prepared with.
func (k *call) send(given sobek.Value) (*Answer, error) {
	c := k.client
	if c.instance.vu.State() == nil {
		return nil, errors.New("requests can be made in VU code, setup and teardown, and not in the init context")
	}
	argument := k.argument
	if _, isObject := given.(*sobek.Object); isObject {
		var err error
		if argument, err = c.jsonOf(given); err != nil {
			return nil, err
		}
	} else if !common.IsNullish(given) {
		argument = given.String()
	}
	if f := c.open(); f != nil {
		return &Answer{client: c, failure: f, exchange: &exchange{}}, nil
	}
	answer, err := k.throughCache(argument, given)
	if c.options.sessions == sessionPerCall || c.options.sessions == sessionAbandon {
		c.leave()
	}
	return answer, err
}

// ask sends the request, and once more in a new session where the server has ended the old one.
func (k *call) ask(argument string, given sobek.Value) (*Answer, error) {
	c := k.client
	answer, traceID, err := k.exchange(argument, given)
	if err != nil {
		return nil, err
	}
	if c.session == "" || !answer.sessionIsGone() {
		c.record(k, answer, traceID)
		return answer, nil
	}
	c.recordAdditional(k, answer.exchange, nil)
	c.push(k, func(b *batch) { b.add(c.instance.metrics.SessionsExpired, 1) })
	c.forget()
	if f := c.open(); f != nil {
		return &Answer{client: c, failure: f, exchange: answer.exchange}, nil
	}
	if answer, traceID, err = k.exchange(argument, given); err != nil {
		return nil, err
	}
	c.record(k, answer, traceID)
	if c.session != "" && answer.sessionIsGone() {
		c.forget()
	}
	return answer, nil
}

// exchange makes one request, and judges its answer. An error is an exception of the script that must end it.
func (k *call) exchange(argument string, given sobek.Value) (*Answer, string, error) {
	c := k.client
	nonce := ""
	if k.options.nonce != "" {
		nonce = strconv.FormatUint(rand.Uint64(), 16)
		argument = withMember(argument, quote(k.options.nonce)+`:"`+nonce+`"`)
	}
	r, traceID := k.request(argument, "")
	x := c.do(r)
	c.resume(k, r, x)
	for round := 0; round < maxRounds && c.isModern() && member(x.reply.result, "resultType").Str == "input_required"; round++ {
		input, ok := inputMembers(x.reply.result)
		if !ok {
			x.failure = failed(kinds.Unexpected, "it asks for input that this client cannot give")
			break
		}
		c.recordAdditional(k, x, nil)
		r, traceID = k.request(argument, input)
		x = c.do(r)
	}
	answer := &Answer{client: c, exchange: x, failure: x.failure}
	switch c.options.protocol {
	case dialectJSONRPC:
		answer.failure = c.readJSONRPC(x, r.id)
	case dialectREST:
		answer.failure = c.readREST(x, k.options.expectStatus)
	}
	if answer.failure == nil && nonce != "" && !strings.Contains(answer.text(), nonce) {
		answer.failure = failed(kinds.Crossed, "the answer is not that to this call: its nonce is not in it")
	}
	if answer.failure != nil || k.options.expect == nil {
		return answer, traceID, nil
	}
	if given == nil {
		given = sobek.Undefined()
	}
	met, err := k.options.expect(sobek.Undefined(), answer.object(), given)
	var exception *sobek.Exception
	switch {
	case errors.As(err, &exception):
		// One that reads a member that is not there is not met.
		answer.failure = failed(kinds.Unexpected, "expect threw: %s", exception.Value())
	case err != nil:
		return nil, "", err
	case !met.ToBoolean():
		answer.failure = failed(kinds.Unexpected, "the result is not what was expected")
	}
	return answer, traceID, nil
}

func (a *Answer) sessionIsGone() bool {
	// The specification's status is 404; the TypeScript SDK's example servers send 400 and name the session.
	return a.exchange.status == http.StatusNotFound ||
		(a.exchange.status == http.StatusBadRequest && a.failure != nil && strings.Contains(strings.ToLower(a.failure.detail), "session"))
}

// enterTags makes the tags of the call's samples, where the VU's have changed.
func (k *call) enterTags(vuTags *metrics.TagSet) {
	if k.vuTags == vuTags {
		return
	}
	k.vuTags = vuTags
	tags := vuTags.With(names.Tags.Method, k.method).With(names.Tags.Operation, k.method)
	if k.isOfSession {
		tags = tags.With(names.Tags.Class, classProtocol)
	}
	k.tags = tags.WithTagsFromMap(k.options.tags)
	k.slowTags = nil
	for _, limit := range k.options.limits {
		k.slowTags = append(k.slowTags, k.tags.With(names.Tags.Limit, strconv.FormatFloat(limit, 'f', -1, 64)))
	}
}
