package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// failure is why a request or a call failed. Its kind is one of names.json.
type failure struct {
	kind string
	// The detail may contain unredacted text of the server. Client.describe makes it fit to be shown.
	detail string
	// The server did not accept the request.
	rejected bool
}

const (
	maxDetail = 64 << 10
	// maxRedacted is how much of a detail is redacted and shown, in bytes. A failed call must not cost much more than a successful one.
	maxRedacted = 8 << 10
	// maxShown is the maximum length of a detail that is shown, in characters.
	maxShown = 200
)

func failed(kind, format string, arguments ...any) *failure {
	detail := fmt.Sprintf(format, arguments...)
	return &failure{kind: kind, detail: detail[:min(len(detail), maxDetail)]}
}

// describe returns the detail of a failure as one line without credentials. It redacts before it cuts the line, so that no partial credential
// remains.
func (c *Client) describe(x *exchange) string {
	hidden := c.secrets()
	hidden.add(x.sent.Values("Authorization")...)
	for _, values := range x.sentByCall {
		hidden.add(values...)
	}
	detail := x.failure.detail
	isCut := len(detail) >= maxRedacted
	shown := oneLine(hidden.hide(detail[:min(len(detail), maxRedacted)], isCut), maxShown)
	switch x.refusal {
	case "":
		return shown
	case shown:
		return "server/discover and initialize: " + shown
	}
	return "server/discover: " + x.refusal + "; initialize: " + shown
}

// redact replaces the client's credentials in a text of the server, or in a text that a script is about to show.
func (c *Client) redact(text string) string { return c.secrets().hide(text, false) }

// publicHeaders hold no secrets, and their values are words that a server may use, too.
var publicHeaders = []string{"Accept", "Accept-Encoding", "Accept-Language", "Content-Type", "Host", "User-Agent"}

// secretHeader matches the names of headers whose values are secret.
var secretHeader = regexp.MustCompile(`(?i)auth|cookie|credential|key|passw|secret|session|signature|token`)

// secrets returns the client's credentials.
func (c *Client) secrets() secrets {
	var all secrets
	all.add(c.token)
	if c.tokens != nil {
		if current := c.tokens.current.Load(); current != nil {
			all.add(current.header, current.previous)
		}
	}
	for name, values := range c.options.headers {
		if slices.Contains(publicHeaders, name) {
			continue
		}
		for _, value := range values {
			if secretHeader.MatchString(name) || len(value) >= minUnnamed {
				all.add(value)
			}
		}
	}
	if command := c.options.command; command != nil {
		all = append(all, command.secrets()...)
	}
	if oauth := c.options.oauth; oauth != nil {
		all.addClient(oauth.clientID, oauth.clientSecret)
		all.add(oauth.assertion)
	}
	return all
}

// oneLine shortens a server's text to one line without control characters, which a terminal would interpret.
func oneLine(text string, limit int) string {
	var line strings.Builder
	count := 0
	for _, char := range text {
		if count++; count > limit {
			line.WriteString("...")
			break
		}
		if !unicode.IsPrint(char) {
			char = ' '
		}
		line.WriteRune(char)
	}
	return line.String()
}

// readFailure returns why an answer that had begun could not be read to its end.
func (o *clientOptions) readFailure(err error, x *exchange) *failure {
	var network net.Error
	switch {
	case errors.Is(err, errTooLarge):
		return failed(kinds.TooLarge, "the answer has more than %d bytes", o.maxBodySize)
	case errors.Is(err, errTooManyEvents):
		return failed(kinds.TooLarge, "the stream has more than %d events", o.maxEvents)
	case x.compressed && !errors.Is(err, context.Canceled) && !errors.As(err, &network):
		return failed(kinds.Protocol, "decompressing the answer: %v", err)
	}
	return connectionFailure(err, kinds.Stalled)
}

// connectionFailure returns why there was no answer. onTimeout is the kind of the failure if it was a timeout.
func connectionFailure(err error, onTimeout string) *failure {
	var operation *net.OpError
	isDial := errors.As(err, &operation) && operation.Op == "dial"
	var network net.Error
	isTimeout := errors.Is(err, context.Canceled) || (errors.As(err, &network) && network.Timeout())
	switch {
	case isTimeout && !isDial && onTimeout == kinds.Stalled:
		return failed(onTimeout, "the answer began and did not go on in time")
	case isTimeout && !isDial:
		return failed(onTimeout, "no answer in time")
	// A TLS alert of the server, for example because it requires another certificate.
	case operation != nil && operation.Op == "remote error":
		return failed(kinds.Auth, "%v", err)
	case strings.Contains(err.Error(), "server response headers exceeded"):
		return failed(kinds.TooLarge, "%v", err)
	}
	f := failed(kinds.Connect, "%v", err)
	f.rejected = isDial
	return f
}

func statusFailure(x *exchange) *failure {
	var f *failure
	switch {
	case x.status == http.StatusTooManyRequests:
		f = failed(kinds.RateLimited, "%s", x.describe())
	case x.status == http.StatusUnauthorized, x.status == http.StatusForbidden:
		f = failed(kinds.Auth, "%s", x.describe())
	case x.status >= http.StatusInternalServerError:
		f = failed(kinds.HTTP5xx, "%s", x.describe())
	case x.status >= http.StatusBadRequest:
		f = failed(kinds.HTTP4xx, "%s", x.describe())
	default:
		f = failed(kinds.Protocol, "a redirect to %q instead of an answer: %s", withoutQuery(x.header.Get("Location")), x.describe())
	}
	f.rejected = x.status == http.StatusTooManyRequests || x.status == http.StatusServiceUnavailable
	return f
}

func invalidText(err error, x *exchange) *failure {
	if errors.Is(err, errNested) {
		return failed(kinds.TooLarge, "the answer cannot be read: %v", err)
	}
	return failed(kinds.Protocol, "the answer cannot be read: %v: %s", err, x.describe())
}

// describe summarizes an answer: its status, its content type, and its error message or the beginning of its body.
func (x *exchange) describe() string {
	contentType := x.header.Get("Content-Type")
	if contentType == "" {
		contentType = "without a content type"
	}
	text := x.text
	if len(text) > maxDetail {
		text = text[:maxDetail]
	} else if said := member(x.errorReply().err, "message"); said.Str != "" {
		text = said.Str
	}
	if text != "" {
		text = ": " + text
	}
	return fmt.Sprintf("HTTP %d %s%s", x.status, contentType, text)
}

// errorReply returns the JSON-RPC message in an answer with an error status.
func (x *exchange) errorReply() message {
	if validate(x.text, defaultMaxNesting) != nil {
		return message{}
	}
	return readMessage(x.text)
}
