package mcp

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib/types"
	"golang.org/x/net/http/httpguts"
)

// Default limits of what a server may send.
const (
	defaultTimeout       = 60 * time.Second
	defaultMaxBodySize   = 16 << 20
	defaultMaxHeaderSize = 256 << 10
	defaultMaxEvents     = 10_000
	defaultMaxNesting    = 512
)

const (
	sessionPerVU   = "per-vu"
	sessionPerCall = "per-call"
	sessionAbandon = "abandon"
	sessionShared  = "shared"

	idsUnique = "unique"
	idsSame   = "same"

	dialectMCP     = "mcp"
	dialectJSONRPC = "jsonrpc"
	dialectREST    = "rest"

	versionAuto = "auto"
	// Any version before 2026-07-28.
	versionLegacy = "legacy"
)

// isFixed reports whether the client speaks one protocol version only.
func (o *clientOptions) isFixed() bool {
	return o.protocolVersion != versionAuto && o.protocolVersion != versionLegacy
}

type clientOptions struct {
	// Only set for a StdioClient.
	command         *command
	url             *url.URL
	timeout         time.Duration
	stallTimeout    time.Duration
	protocolVersion string
	protocol        string
	sessions        string
	ids             string
	headers         http.Header
	oauth           *oauthOptions
	// Connections are closed with a reset (RST).
	resetConnections bool
	traceSampling    float64
	observe          bool
	cache            bool
	tasks            bool
	maxBodySize      int64
	maxHeaderSize    int64
	maxEvents        int64
	maxNesting       int64
}

func defaultOptions() *clientOptions {
	return &clientOptions{
		timeout: defaultTimeout, protocolVersion: versionAuto, protocol: dialectMCP, sessions: sessionPerVU, headers: http.Header{},
		maxBodySize: defaultMaxBodySize, maxHeaderSize: defaultMaxHeaderSize, maxEvents: defaultMaxEvents, maxNesting: defaultMaxNesting,
	}
}

// set sets an option that all clients share.
func (o *clientOptions) set(key string, value sobek.Value) (err error) {
	switch key {
	case "timeout":
		o.timeout, err = positiveDuration(value)
	case "stallTimeout":
		o.stallTimeout, err = positiveDuration(value)
	case "protocolVersion":
		o.protocolVersion, err = oneOf(value, append([]string{versionAuto, versionLegacy}, versions...)...)
	case "traceSampling":
		o.traceSampling = value.ToFloat()
		if !(o.traceSampling >= 0 && o.traceSampling <= 1) {
			err = fmt.Errorf("got %s; expected a share from 0 to 1", value)
		}
	case "observe":
		o.observe = value.ToBoolean()
	case "cache":
		o.cache = value.ToBoolean()
	case "tasks":
		o.tasks = value.ToBoolean()
	case "maxBodySize":
		o.maxBodySize, err = positiveInteger(value)
	case "maxEvents":
		o.maxEvents, err = positiveInteger(value)
	case "maxNesting":
		o.maxNesting, err = positiveInteger(value)
	default:
		return errUnknownOption
	}
	return err
}

func parseClientOptions(rt *sobek.Runtime, input sobek.Value) (*clientOptions, error) {
	o := defaultOptions()
	token := ""
	err := eachOption(rt, input, func(key string, value sobek.Value) (err error) {
		switch key {
		case "base_url":
			o.url, err = parseURL(value.String())
		case "protocol":
			o.protocol, err = oneOf(value, dialectMCP, dialectJSONRPC, dialectREST)
		case "sessions":
			o.sessions, err = oneOf(value, sessionPerVU, sessionPerCall, sessionAbandon, sessionShared)
		case "ids":
			o.ids, err = oneOf(value, idsUnique, idsSame)
		case "headers":
			o.headers, err = parseHeaders(rt, value)
		case "token":
			if token = value.String(); !httpguts.ValidHeaderFieldValue(token) {
				err = errors.New("it cannot be a header: it has a line break or another control character")
			}
		case "oauth":
			o.oauth, err = parseOAuthOptions(rt, value)
		case "resetConnections":
			o.resetConnections = value.ToBoolean()
		case "maxHeaderSize":
			o.maxHeaderSize, err = positiveInteger(value)
		default:
			return o.set(key, value)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if o.url == nil {
		return nil, errors.New("base_url is missing; expected the URL of an MCP endpoint, for example http://127.0.0.1:3000/mcp")
	}
	if o.protocol == dialectREST && o.url.Path == "" {
		o.url.Path = "/"
	}
	if user := o.url.User; user != nil {
		password, _ := user.Password()
		(&http.Request{Header: o.headers}).SetBasicAuth(user.Username(), password)
		o.url.User = nil
	}
	if token != "" {
		o.headers.Set("Authorization", "Bearer "+token)
	}
	if o.oauth != nil && o.headers.Get("Authorization") != "" {
		return nil, errors.New("set only one of oauth, token and an Authorization header")
	}
	return o, nil
}

func parseStdioOptions(rt *sobek.Runtime, input sobek.Value) (*clientOptions, error) {
	o := defaultOptions()
	o.command = &command{}
	err := eachOption(rt, input, func(key string, value sobek.Value) (err error) {
		switch key {
		case "path":
			o.command.path = value.String()
		case "args":
			err = exportTo(rt, value, &o.command.args, "an array of strings")
		case "env":
			// The error does not repeat the value: it may be a secret.
			if rt.ExportTo(value, &o.command.env) != nil {
				err = errors.New("expected an object of strings")
			}
		case "cwd":
			o.command.cwd = value.String()
		case "runner":
			o.command.runner = value.String()
		case "processes":
			if value.String() == sessionPerVU || value.String() == sessionPerCall {
				o.sessions = value.String()
				return nil
			}
			if o.command.processes, err = positiveInteger(value); err != nil {
				err = fmt.Errorf("got %q; expected per-vu, per-call or a number of processes that all VUs share", value.String())
			}
		default:
			return o.set(key, value)
		}
		return err
	})
	if err == nil && o.command.path == "" {
		err = errors.New("path is missing; expected a program that speaks MCP on its standard input and output, for example npx")
	}
	if err == nil && o.command.runner != "" && o.command.cwd != "" {
		err = errors.New("set only one of cwd and runner: the server runs in the runner's folder")
	}
	return o, err
}

type callOptions struct {
	tags         map[string]string
	timeout      time.Duration
	abandonAfter time.Duration
	headers      http.Header
	paramHeaders map[string]string
	member       string
	nonce        string
	expect       sobek.Callable
	expectStatus []int
	limits       []float64
	// The call asks the server for progress.
	progress bool
	// Only for calls that do not block their VU.
	onNotification sobek.Callable
}

func parseCallOptions(rt *sobek.Runtime, input sobek.Value) (*callOptions, error) {
	o := &callOptions{member: "arguments"}
	err := eachOption(rt, input, func(key string, value sobek.Value) (err error) {
		switch key {
		case "tags":
			err = exportTo(rt, value, &o.tags, "an object of strings")
		case "timeout":
			o.timeout, err = positiveDuration(value)
		case "abandonAfter":
			o.abandonAfter, err = positiveDuration(value)
		case "headers":
			o.headers, err = parseHeaders(rt, value)
		case "paramHeaders":
			err = exportTo(rt, value, &o.paramHeaders, "an object of strings")
		case "progress":
			o.progress = value.ToBoolean()
		case "member":
			o.member = value.String()
		case "nonce":
			o.nonce = value.String()
		case "expect":
			o.expect, err = function(value)
		case "onNotification":
			o.onNotification, err = function(value)
		case "expectStatus":
			err = exportTo(rt, value, &o.expectStatus, "an array of HTTP statuses")
		case "limits":
			o.limits, err = parseLimits(rt, value)
		default:
			return errUnknownOption
		}
		return err
	})
	return o, err
}

var errUnknownOption = errors.New("unknown option")

// eachOption passes each member of an object to take. Its error names the option that take refused.
func eachOption(rt *sobek.Runtime, input sobek.Value, take func(key string, value sobek.Value) error) error {
	if common.IsNullish(input) {
		return nil
	}
	object, ok := input.(*sobek.Object)
	if !ok {
		return fmt.Errorf("got %s; expected an object", input)
	}
	for _, key := range object.Keys() {
		value := object.Get(key)
		if common.IsNullish(value) {
			continue
		}
		if err := take(key, value); errors.Is(err, errUnknownOption) {
			return fmt.Errorf("unknown option %q", key)
		} else if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

func function(value sobek.Value) (sobek.Callable, error) {
	called, ok := sobek.AssertFunction(value)
	if !ok {
		return nil, errors.New("expected a function")
	}
	return called, nil
}

func parseURL(text string) (*url.URL, error) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Hostname() == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, errors.New("expected an http or https URL")
	}
	// The fragment is not sent.
	parsed.Fragment = ""
	return parsed, nil
}

func positiveDuration(value sobek.Value) (time.Duration, error) {
	duration, err := types.GetDurationValue(value.Export())
	if err != nil || duration <= 0 {
		return 0, fmt.Errorf(`got %s; expected a time, for example "30s" or 500 (ms)`, value)
	}
	return duration, nil
}

func positiveInteger(value sobek.Value) (int64, error) {
	number := value.ToFloat()
	if number < 1 || number != math.Trunc(number) || number > 1<<40 {
		return 0, fmt.Errorf("got %s; expected a positive integer", value)
	}
	return int64(number), nil
}

func oneOf(value sobek.Value, valid ...string) (string, error) {
	if !slices.Contains(valid, value.String()) {
		return "", fmt.Errorf("got %q; expected %s", value.String(), strings.Join(valid, ", "))
	}
	return value.String(), nil
}

func exportTo(rt *sobek.Runtime, value sobek.Value, target any, expected string) error {
	if err := rt.ExportTo(value, target); err != nil {
		return fmt.Errorf("got %s; expected %s", value, expected)
	}
	return nil
}

// parseLimits parses limits in milliseconds.
func parseLimits(rt *sobek.Runtime, value sobek.Value) ([]float64, error) {
	var limits []float64
	if err := exportTo(rt, value, &limits, "an array of milliseconds"); err != nil {
		return nil, err
	}
	for _, limit := range limits {
		if !(limit > 0) {
			return nil, fmt.Errorf("got %v; expected positive milliseconds", limit)
		}
	}
	return limits, nil
}

// parseHeaders parses headers. Its errors do not repeat a value: it may be a secret.
func parseHeaders(rt *sobek.Runtime, value sobek.Value) (http.Header, error) {
	values := make(map[string]string)
	if rt.ExportTo(value, &values) != nil {
		return nil, errors.New("expected an object of strings")
	}
	headers := make(http.Header)
	for name, text := range values {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(text) {
			return nil, fmt.Errorf("%q is not a valid header", name)
		}
		headers.Set(name, text)
	}
	return headers, nil
}
