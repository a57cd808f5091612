package mcp

import (
	"cmp"
	"context"
	"crypto"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/grafana/sobek"
	"golang.org/x/net/http/httpguts"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

const (
	tokenTimeout = 10 * time.Second
	// tokenPause is the delay before the next token request if a token could not be obtained, or if the server refused a token promptly.
	tokenPause = 5 * time.Second
	// promptly is the age up to which a refused token is not renewed immediately: the server would also refuse the next token.
	promptly = time.Second
	// assertionLife is how long a signed assertion is valid.
	assertionLife = time.Minute
	// maxToken is the maximum length of a token, in bytes. The token is sent with every request.
	maxToken = 16 << 10

	clientSecretBasic = "client_secret_basic"
	clientSecretPost  = "client_secret_post"
	privateKeyJWT     = "private_key_jwt"

	tokensShared = "shared"
	tokensPerVU  = "per-vu"
)

// oauthOptions configure OAuth 2.1 client credentials. They are comparable: VUs with equal options can share their tokens.
type oauthOptions struct {
	clientID, clientSecret, privateKey, assertion string
	tokenURL, authMethod, scope                   string
	// The resource that the token is for. By default it is the server.
	resource    string
	hasResource bool
	// Trusted hosts or host:port pairs, separated by commas.
	trusted string
	tokens  string
}

func parseOAuthOptions(rt *sobek.Runtime, input sobek.Value) (*oauthOptions, error) {
	o := &oauthOptions{tokens: tokensShared}
	err := eachOption(rt, input, func(key string, value sobek.Value) (err error) {
		switch key {
		case "clientId":
			o.clientID = value.String()
		case "clientSecret":
			o.clientSecret = value.String()
		case "privateKey":
			o.privateKey = value.String()
			_, _, err = signingKey(o.privateKey)
		case "assertion":
			o.assertion = value.String()
		case "tokenUrl":
			o.tokenURL = value.String()
			_, err = parseURL(o.tokenURL)
		case "authMethod":
			o.authMethod, err = oneOf(value, clientSecretBasic, clientSecretPost, privateKeyJWT)
		case "scope":
			o.scope = value.String()
		case "resource":
			o.resource, o.hasResource = value.String(), true
		case "trustedHosts":
			var hosts []string
			err = exportTo(rt, value, &hosts, "an array of hosts")
			o.trusted = strings.ToLower(strings.Join(hosts, ","))
		case "tokens":
			o.tokens, err = oneOf(value, tokensShared, tokensPerVU)
		default:
			return errUnknownOption
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	given := 0
	for _, proof := range []string{o.clientSecret, o.privateKey, o.assertion} {
		if proof != "" {
			given++
		}
	}
	if o.clientID == "" || given != 1 {
		return nil, errors.New("expected a clientId, and one of clientSecret, privateKey and assertion")
	}
	if o.authMethod != "" && (o.assertion != "" || (o.authMethod == privateKeyJWT) != (o.privateKey != "")) {
		return nil, fmt.Errorf("authMethod: %s does not match the credentials of the client", o.authMethod)
	}
	return o, nil
}

// signingKey parses a private key, and returns its signing method.
func signingKey(pem string) (crypto.PrivateKey, jwt.SigningMethod, error) {
	if key, err := jwt.ParseECPrivateKeyFromPEM([]byte(pem)); err == nil && key.Params().BitSize == 256 {
		return key, jwt.SigningMethodES256, nil
	}
	key, err := jwt.ParseRSAPrivateKeyFromPEM([]byte(pem))
	if err != nil {
		return nil, nil, errors.New("expected a P-256 or RSA private key in PEM format")
	}
	return key, jwt.SigningMethodRS256, nil
}

// token is a token from an authorization server, or the reason why there is none.
type token struct {
	header string
	// The header of the previous token. It is secret, too: it may still be valid.
	previous             string
	failure              *failure
	issued, renewal, end time.Time
}

// tokenSource obtains and renews the tokens of one VU or of all VUs.
type tokenSource struct {
	target  *url.URL
	options *oauthOptions
	current atomic.Pointer[token]
	// Held while a token is requested. It guards grant.
	asking sync.Mutex
	grant  *grant
}

// authorize ensures that the client has a token. It returns the failure if there is none.
func (c *Client) authorize() *failure {
	if c.tokens == nil {
		c.tokens = c.tokenSource()
	}
	current := c.tokens.get(c)
	if current.header != c.token && current.header != "" {
		c.token = current.header
		c.epoch++
	}
	return current.failure
}

func (c *Client) tokenSource() *tokenSource {
	made := &tokenSource{target: c.options.url, options: c.options.oauth}
	if c.options.oauth.tokens == tokensPerVU {
		return made
	}
	type key struct {
		url     string
		options oauthOptions
	}
	kept, _ := c.instance.root.tokens.LoadOrStore(key{c.options.url.String(), *c.options.oauth}, made)
	return kept.(*tokenSource)
}

// get returns the current token. When it is due for renewal, one caller renews it, and the others use the old token until it expires.
func (s *tokenSource) get(c *Client) *token {
	now := time.Now()
	old := s.current.Load()
	if old != nil && now.Before(old.renewal) {
		return old
	}
	if old == nil || old.failure != nil || now.After(old.end) {
		s.asking.Lock()
	} else if !s.asking.TryLock() {
		return old
	}
	defer s.asking.Unlock()
	if current := s.current.Load(); current != old {
		return current
	}
	next, err := s.ask(c)
	if err != nil {
		next = &token{renewal: time.Now().Add(tokenPause), failure: failed(kinds.Auth, "no token: %v", err)}
		if c.instance.vu.Context().Err() != nil {
			// The request failed because this VU ended. Other VUs try again.
			return next
		}
		if old != nil && old.failure == nil {
			// Keep the old token: it may still be valid, and no VU should wait for another one.
			c.logOnce(c.protocolCall("token"), &exchange{failure: next.failure})
			next.header, next.previous, next.issued, next.end, next.failure = old.header, old.previous, old.issued, time.Now().Add(noEnd), nil
		}
	} else if old != nil {
		next.previous = old.header
	}
	s.current.Store(next)
	return next
}

// refused notes that the server refused a token, so that it is renewed.
func (s *tokenSource) refused(header string) {
	old := s.current.Load()
	if old.header != header || time.Now().After(old.renewal) {
		return
	}
	next := *old
	next.renewal = time.Now()
	if next.renewal.Sub(old.issued) < promptly {
		next.renewal = old.issued.Add(tokenPause)
	}
	s.current.CompareAndSwap(old, &next)
}

// ask requests a token from the authorization server.
func (s *tokenSource) ask(c *Client) (*token, error) {
	ctx, cancel := context.WithTimeout(c.instance.vu.Context(), tokenTimeout)
	defer cancel()
	// No cookies and no redirects: the server must not choose where the client's secret is sent.
	client := &http.Client{
		Transport:     c.instance.vu.State().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if s.grant == nil {
		found, err := s.findGrant(ctx, client, c.options.headers)
		if err != nil {
			return nil, err
		}
		s.grant = found
	}
	config, assertion, err := s.config()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	got, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
	var refusal *oauth2.RetrieveError
	endpoint := withoutQuery(s.grant.endpoint)
	switch {
	case errors.As(err, &refusal) && refusal.ErrorCode != "":
		err = fmt.Errorf("%s: HTTP %d %s: %s", endpoint, refusal.Response.StatusCode, refusal.ErrorCode, refusal.ErrorDescription)
	case err == nil && !strings.EqualFold(got.Type(), "Bearer"):
		err = fmt.Errorf("%s: got a token of type %q; expected Bearer", endpoint, got.Type())
	case err == nil && (len(got.AccessToken) > maxToken || !httpguts.ValidHeaderFieldValue(got.AccessToken)):
		err = fmt.Errorf("%s: the token cannot be a header", endpoint)
	}
	if err != nil {
		err = withoutURL(err)
		var hidden secrets
		hidden.add(assertion)
		hidden.addClient(s.options.clientID, s.options.clientSecret)
		return nil, errors.New(hidden.hide(err.Error(), false))
	}
	made := &token{header: "Bearer " + got.AccessToken, issued: now, renewal: now.Add(noEnd), end: now.Add(noEnd)}
	if life := got.Expiry.Sub(now); life > 0 {
		made.end = got.Expiry
		// Renew after 70 % to 90 % of the token's life, so that VUs do not all renew simultaneously. Servers count in whole seconds: a token may expire up
		// to one second early.
		life = max(life-time.Second, life/4)
		made.renewal = now.Add(time.Duration(float64(life) * (0.7 + 0.2*rand.Float64())))
	}
	return made, nil
}

// config returns the token request, and the assertion in it.
func (s *tokenSource) config() (*clientcredentials.Config, string, error) {
	o := s.options
	config := &clientcredentials.Config{
		ClientID: o.clientID, ClientSecret: o.clientSecret, TokenURL: s.grant.endpoint, AuthStyle: oauth2.AuthStyleInParams,
		Scopes: strings.Fields(s.grant.scope), EndpointParams: url.Values{},
	}
	if s.grant.resource != "" {
		config.EndpointParams.Set("resource", s.grant.resource)
	}
	switch {
	case o.assertion != "":
		// RFC 7523, section 2.1: the assertion is the grant.
		config.EndpointParams.Set("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
		config.EndpointParams.Set("assertion", o.assertion)
		return config, o.assertion, nil
	case s.grant.method == clientSecretBasic:
		config.AuthStyle = oauth2.AuthStyleInHeader
		return config, "", nil
	case s.grant.method == clientSecretPost:
		return config, "", nil
	}
	key, method, err := signingKey(o.privateKey)
	if err != nil {
		return nil, "", err
	}
	// RFC 7523, section 3: the claims that an assertion must have.
	now := time.Now()
	assertion, err := jwt.NewWithClaims(method, jwt.MapClaims{
		"iss": o.clientID, "sub": o.clientID, "aud": cmp.Or(s.grant.issuer, s.grant.endpoint),
		"jti": strconv.FormatUint(rand.Uint64(), 36), "iat": now.Unix(), "exp": now.Add(assertionLife).Unix(),
	}).SignedString(key)
	config.EndpointParams.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
	config.EndpointParams.Set("client_assertion", assertion)
	return config, assertion, err
}
