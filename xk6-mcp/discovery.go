package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

const (
	metadataTimeout = 4 * time.Second
	maxMetadata     = 64 << 10
	maxChallenge    = 8 << 10
)

// grant describes where and how a client requests tokens.
type grant struct {
	endpoint, method, scope, resource string
	// The audience of a signed assertion. If it is unknown, the endpoint is the audience.
	issuer string
}

// findGrant finds the token endpoint of a server, as described in MCP's authorization specification. headers are those that the server gets with
// each request.
func (s *tokenSource) findGrant(ctx context.Context, client *http.Client, headers http.Header) (*grant, error) {
	target := *s.target
	target.RawQuery = ""
	found := &grant{endpoint: s.options.tokenURL, resource: target.String()}
	var methods gjson.Result
	if found.endpoint == "" {
		var err error
		if methods, err = s.discover(ctx, client, headers, &target, found); err != nil {
			return nil, err
		}
	}
	if found.method = s.authMethod(methods); found.method == "" {
		return nil, fmt.Errorf("%s supports none of the client's authentication methods; it lists %s", found.endpoint, methods.Raw)
	}
	if s.options.scope != "" {
		found.scope = s.options.scope
	}
	if s.options.hasResource {
		found.resource = s.options.resource
	}
	return found, nil
}

// authMethod returns how the client authenticates at the token endpoint, or an empty string if the server supports none of its methods.
// supported is the server's list of methods, if it has one.
func (s *tokenSource) authMethod(supported gjson.Result) string {
	possible := []string{clientSecretBasic, clientSecretPost}
	switch {
	case s.options.authMethod != "":
		return s.options.authMethod
	case s.options.assertion != "":
		return clientSecretPost
	case s.options.privateKey != "":
		possible = []string{privateKeyJWT}
	}
	// RFC 8414: without a list, the method is client_secret_basic.
	if !supported.IsArray() {
		return possible[0]
	}
	for _, method := range possible {
		if includes(supported, method) {
			return method
		}
	}
	return ""
}

// discover follows the server's 401 to the metadata of its authorization server, and returns the authentication methods that the metadata lists.
func (s *tokenSource) discover(
	ctx context.Context, client *http.Client, headers http.Header, target *url.URL, found *grant,
) (gjson.Result, error) {
	var nothing gjson.Result
	challenge, err := challengeOf(ctx, client, s.target, headers)
	if err != nil {
		return nothing, err
	}
	places := wellKnown(target, "oauth-protected-resource", true)
	if place := challenge["resource_metadata"]; place != "" {
		places = []string{place}
	}
	resource, at, err := s.firstDocument(ctx, client, places, "authorization_servers")
	if err != nil {
		return nothing, err
	}
	// A server of the first authorization specification has no such metadata: it is its own authorization server.
	issuer := target.Scheme + "://" + target.Host
	if at != "" {
		if !isResourceOf(target, member(resource, "resource").Str) {
			return nothing, fmt.Errorf("%s is the metadata of another resource than %s", at, target)
		}
		issuer = resource.Get("authorization_servers.0").Str
		found.resource = member(resource, "resource").Str
		var scopes []string
		for _, scope := range member(resource, "scopes_supported").Array() {
			scopes = append(scopes, scope.Str)
		}
		found.scope = strings.Join(scopes, " ")
	}
	if scope, ok := challenge["scope"]; ok {
		found.scope = scope
	}
	parsed, err := parseURL(issuer)
	if err != nil {
		return nothing, fmt.Errorf("its authorization server %q: %w", issuer, err)
	}
	places = append(wellKnown(parsed, "oauth-authorization-server", false), wellKnown(parsed, "openid-configuration", false)...)
	if path := strings.TrimRight(parsed.Path, "/"); path != "" {
		places = append(places, parsed.Scheme+"://"+parsed.Host+path+"/.well-known/openid-configuration")
	}
	server, from, err := s.firstDocument(ctx, client, places, "token_endpoint")
	switch {
	case err != nil:
		return nothing, err
	case from == "":
		return nothing, fmt.Errorf("%s does not say where its tokens come from (no authorization server metadata of %s); set tokenUrl", target, issuer)
	case withoutSlash(member(server, "issuer").Str) != withoutSlash(issuer):
		return nothing, fmt.Errorf("%s names another issuer than %s", from, issuer)
	}
	found.endpoint, found.issuer = member(server, "token_endpoint").Str, member(server, "issuer").Str
	return member(server, "token_endpoint_auth_methods_supported"), s.trust(found.endpoint)
}

// trust returns an error if a URL that the server named must not be requested. The client's secret would be sent there, or a request from inside
// a private network.
func (s *tokenSource) trust(text string) error {
	named, err := parseURL(text)
	if err != nil {
		return fmt.Errorf("the server names %q: %w", text, err)
	}
	if named.Scheme != "https" && s.target.Scheme == "https" {
		return fmt.Errorf("the server names %s, without TLS; set tokenUrl if that is to be trusted", text)
	}
	if isSameOrigin(named, s.target) {
		return nil
	}
	trusted := strings.Split(s.options.trusted, ",")
	host, port := hostAndPort(named)
	if slices.Contains(trusted, host) || slices.Contains(trusted, host+":"+port) {
		return nil
	}
	differs := "host"
	// Another port of the same host may be a different service, for example on loopback.
	if targetHost, _ := hostAndPort(s.target); host == targetHost {
		differs = "port"
	}
	if differs == "port" || named.Port() != "" {
		host += ":" + port
	}
	return fmt.Errorf("the server names %s, on another %s; if that is to be trusted, set trustedHosts: ['%s']", text, differs, host)
}

// isSameOrigin reports whether two URLs have the same scheme, host and port.
func isSameOrigin(a, b *url.URL) bool {
	hostA, portA := hostAndPort(a)
	hostB, portB := hostAndPort(b)
	return a.Scheme == b.Scheme && hostA == hostB && portA == portB
}

// hostAndPort returns the host of a URL, with brackets around an IPv6 address, and its port, which may be the default port of the scheme.
func hostAndPort(u *url.URL) (host, port string) {
	host = strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	switch port = u.Port(); {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return host, port
}

// challengeOf returns the parameters of the Bearer challenge with which a server answers a request without a token.
func challengeOf(ctx context.Context, client *http.Client, target *url.URL, headers http.Header) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, metadataTimeout)
	defer cancel()
	// A ping is safe even if the server requires no token.
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		return nil, err
	}
	request.Header, request.Host = headers.Clone(), headers.Get("Host")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := client.Do(request)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		return nil, nil
	}
	return parseChallenge(response.Header.Values("WWW-Authenticate")), nil
}

// challengePart matches a parameter or a scheme.
var challengePart = regexp.MustCompile(`([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|([\w-]+)`)

// parseChallenge returns the parameters of Bearer challenges. The first of several parameters with the same name counts (RFC 9110, section
// 11.6.1).
func parseChallenge(values []string) map[string]string {
	params := make(map[string]string)
	text := strings.Join(values, ", ")
	text = text[:min(len(text), maxChallenge)]
	scheme := ""
	for _, found := range challengePart.FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(found[1])
		switch _, known := params[name]; {
		case name == "":
			scheme = strings.ToLower(found[4])
		case scheme == "bearer" && !known:
			params[name] = strings.ReplaceAll(found[2], `\`, "") + found[3]
		}
	}
	return params
}

// wellKnown returns the URLs where metadata may be (RFC 9728, RFC 8414): for the URL's path and, if alsoRoot is set, for the root.
func wellKnown(about *url.URL, name string, alsoRoot bool) []string {
	root := about.Scheme + "://" + about.Host + "/.well-known/" + name
	path := strings.TrimRight(about.Path, "/")
	if path == "" {
		return []string{root}
	}
	if alsoRoot {
		return []string{root + path, root}
	}
	return []string{root + path}
}

// firstDocument returns the first JSON object that has the member key, and its URL. Both are empty if there is none. It returns an error if one
// of the URLs must not be requested.
func (s *tokenSource) firstDocument(ctx context.Context, client *http.Client, places []string, key string) (gjson.Result, string, error) {
	for _, place := range places {
		if err := s.trust(place); err != nil {
			return gjson.Result{}, "", err
		}
		if document, err := get(ctx, client, place); err == nil && member(document, key).Exists() {
			return document, place, nil
		}
	}
	return gjson.Result{}, "", nil
}

// withoutURL removes the URL from an error: its query may hold a key.
func withoutURL(err error) error {
	var urlError *url.Error
	if errors.As(err, &urlError) {
		return urlError.Err
	}
	return err
}

func get(ctx context.Context, client *http.Client, place string) (gjson.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, metadataTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
	if err != nil {
		return gjson.Result{}, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return gjson.Result{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxMetadata))
	if err != nil || response.StatusCode != http.StatusOK {
		return gjson.Result{}, errors.New(response.Status)
	}
	return gjson.ParseBytes(text), validate(string(text), defaultMaxNesting)
}

// isResourceOf reports whether metadata describes the server (RFC 9728, section 3.3): same origin, and the same path or a parent of it.
func isResourceOf(target *url.URL, text string) bool {
	resource, err := parseURL(text)
	if err != nil || resource.Scheme != target.Scheme || !strings.EqualFold(resource.Host, target.Host) {
		return false
	}
	return strings.HasPrefix(withoutSlash(target.Path)+"/", withoutSlash(resource.Path)+"/")
}

func withoutSlash(text string) string { return strings.TrimRight(text, "/") }
