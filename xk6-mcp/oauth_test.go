package mcp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// authority is an MCP server that requires a token, and the authorization server that issues it.
type authority struct {
	sync.Mutex
	*httptest.Server
	// Replacements for documents or answers, by path.
	replace map[string]http.HandlerFunc
	life    int
	// The token requests, and the tokens that the server accepts.
	asked  []url.Values
	basic  []string
	issued []string
	valid  map[string]bool
}

func newAuthority(t *testing.T) *authority {
	a := &authority{replace: map[string]http.HandlerFunc{}, life: 3600, valid: map[string]bool{}}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

func (a *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.Lock()
	replaced := a.replace[r.URL.Path]
	a.Unlock()
	if replaced != nil {
		replaced(w, r)
		return
	}
	switch r.URL.Path {
	case "/.well-known/oauth-protected-resource/mcp":
		writeJSON(w, fmt.Sprintf(`{"resource":"%s/mcp","authorization_servers":["%s/as"],"scopes_supported":["read","write"]}`, a.URL, a.URL))
	case "/.well-known/oauth-authorization-server/as":
		writeJSON(w, fmt.Sprintf(`{"issuer":"%s/as","token_endpoint":"%s/token","token_endpoint_auth_methods_supported":["client_secret_post","private_key_jwt"]}`, a.URL, a.URL))
	case "/token":
		a.give(w, r)
	case "/mcp":
		a.Lock()
		valid := a.valid[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		a.Unlock()
		if valid {
			modern(succeed).ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", scope="read"`)
		w.WriteHeader(http.StatusUnauthorized)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (a *authority) give(w http.ResponseWriter, r *http.Request) {
	a.Lock()
	defer a.Unlock()
	_ = r.ParseForm()
	a.asked = append(a.asked, r.PostForm)
	id, secret, _ := r.BasicAuth()
	a.basic = append(a.basic, id+":"+secret)
	token := fmt.Sprint("token-", len(a.asked))
	a.issued = append(a.issued, token)
	a.valid[token] = true
	writeJSON(w, fmt.Sprintf(`{"access_token":"%s","token_type":"bearer","expires_in":%d}`, token, a.life))
}

func (a *authority) withdraw() {
	a.Lock()
	defer a.Unlock()
	clear(a.valid)
}

// client returns a fixture with a client of this server.
func (a *authority) client(t *testing.T, oauth string) *fixture {
	f := newFixture(t, http.NotFoundHandler())
	f.init(`const client = new StreamableHTTPClient({ base_url: '` + a.URL + `/mcp', oauth: { clientId: 'me', ` + oauth + ` } })`)
	return f
}

const calls = `Array.from({ length: 3 }, () => client.callTool({ name: 'a' }).failure?.kind ?? 'ok').join()`

func TestTokenRequests(t *testing.T) {
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	der, _ := x509.MarshalPKCS8PrivateKey(key)
	keyText := quote(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
	for name, test := range map[string]struct {
		oauth, basic string
		form         map[string]string
	}{
		"as the metadata lists": {`clientSecret: 's:1'`, ":", map[string]string{
			"grant_type": "client_credentials", "client_id": "me", "client_secret": "s:1", "scope": "read", "resource": "URL/mcp",
		}},
		"as the options say": {`clientSecret: 's:1', authMethod: 'client_secret_basic', scope: 'x y', resource: ''`, "me:s%3A1", map[string]string{
			"grant_type": "client_credentials", "scope": "x y", "resource": "", "client_secret": "",
		}},
		"an endpoint that is named": {`clientSecret: 's:1', tokenUrl: 'URL/token'`, "me:s%3A1", map[string]string{"resource": "URL/mcp", "scope": ""}},
		"signed": {`privateKey: ` + keyText, ":", map[string]string{"client_id": "me", "client_secret": "",
			"client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}},
		"a workload's own": {`assertion: 'a.b.c'`, ":", map[string]string{
			"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "a.b.c", "client_id": "me"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			f := a.client(t, strings.ReplaceAll(test.oauth, "URL", a.URL))
			f.expect(calls, `"ok,ok,ok"`)
			if len(a.asked) != 1 || a.basic[0] != test.basic {
				t.Fatalf("got %v %v", a.asked, a.basic)
			}
			for key, value := range test.form {
				if got := a.asked[0].Get(key); got != strings.ReplaceAll(value, "URL", a.URL) {
					t.Errorf("%s: got %q; expected %q", key, got, value)
				}
			}
			if signed := a.asked[0].Get("client_assertion"); name == "signed" {
				claims := jwt.MapClaims{}
				_, err := jwt.ParseWithClaims(signed, claims, func(*jwt.Token) (any, error) { return &key.PublicKey, nil },
					jwt.WithAudience(a.URL+"/as"), jwt.WithIssuer("me"), jwt.WithSubject("me"), jwt.WithExpirationRequired())
				if err != nil || claims["jti"] == "" {
					t.Errorf("got %v: %v", claims, err)
				}
			}
		})
	}
}

func TestOneTokenForAll(t *testing.T) {
	t.Parallel()
	for tokens, expected := range map[string]int{"shared": 1, "per-vu": 20} {
		a := newAuthority(t)
		root := New()
		var vus sync.WaitGroup
		for range 20 {
			f := newFixture(t, http.NotFoundHandler())
			f.enter(root)
			f.init(`const client = new mcp.StreamableHTTPClient({ base_url: '` + a.URL + `/mcp', oauth: { clientId: 'me', clientSecret: 'x', tokens: '` + tokens + `' } })`)
			vus.Go(func() {
				if got, err := f.try(calls); err != nil || got != "ok,ok,ok" {
					t.Errorf("got %v %v", got, err)
				}
			})
		}
		vus.Wait()
		if len(a.issued) != expected {
			t.Errorf("%s: %d tokens", tokens, len(a.issued))
		}
	}
}

func TestRenewal(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.life = 2
	f := a.client(t, `clientSecret: 'x'`)
	f.expect(calls, `"ok,ok,ok"`)
	time.Sleep(time.Second)
	f.expect(calls, `"ok,ok,ok"`)
	if len(a.issued) != 2 {
		t.Errorf("got %d tokens after half of a token's life", len(a.issued))
	}
	// From now on no token is issued: calls continue with the old one, and none of them waits.
	a.Lock()
	a.replace["/token"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }
	a.Unlock()
	time.Sleep(time.Second)
	f.expect(calls, `"ok,ok,ok"`)
	a.withdraw()
	f.expect(calls, `"auth,auth,auth"`)
	if log := f.log.AllEntries(); len(log) != 1 || !strings.Contains(log[0].Message, "failure auth of token: no token:") {
		t.Errorf("got %v", log)
	}
}

// A token that the server no longer accepts is renewed once.
func TestRefusedTokens(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	f := a.client(t, `clientSecret: 'x'`)
	f.expect(calls, `"ok,ok,ok"`)
	time.Sleep(promptly)
	a.withdraw()
	f.expect(calls, `"auth,ok,ok"`)
	// The server may repeat the old token at any time.
	f.expect(`client.redact('token-1, token-2')`, `"***, ***"`)
	a.withdraw()
	f.expect(calls, `"auth,auth,auth"`)
	if len(a.issued) != 2 {
		t.Errorf("got %d tokens", len(a.issued))
	}
}

// The server may name a hostile authorization server: secrets and requests must not be sent to a host that is not trusted.
func TestHostileMetadata(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("got %s %s", r.Method, r.URL) }))
	defer elsewhere.Close()
	// The same machine, but another host.
	other := strings.Replace(elsewhere.URL, "127.0.0.1", "127.0.0.2", 1)
	const resource, server = "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server/as"
	send := func(text string) func(a *authority) http.HandlerFunc {
		return func(a *authority) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, strings.ReplaceAll(text, "URL", a.URL)) }
		}
	}
	redirect := func(*authority) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}
	}
	for name, test := range map[string]struct {
		path     string
		answer   func(a *authority) http.HandlerFunc
		expected string
	}{
		"metadata elsewhere": {"/mcp", func(*authority) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+other+`/x"`)
				w.WriteHeader(http.StatusUnauthorized)
			}
		}, "set trustedHosts: ['127.0.0.2:"},
		"metadata on another port":               {resource, send(`{"resource":"URL/mcp","authorization_servers":["` + elsewhere.URL + `"]}`), "set trustedHosts: ['127.0.0.1:"},
		"a token endpoint on another port":       {server, send(`{"issuer":"URL/as","token_endpoint":"` + elsewhere.URL + `/token"}`), "set trustedHosts: ['127.0.0.1:"},
		"an authorization server elsewhere":      {resource, send(`{"resource":"URL/mcp","authorization_servers":["` + other + `"]}`), "set trustedHosts"},
		"an authorization server that is no URL": {resource, send(`{"resource":"URL/mcp","authorization_servers":["file:///etc/passwd"]}`), "expected an http or https URL"},
		"none":                                   {resource, send(`{"resource":"URL/mcp","authorization_servers":[]}`), "expected an http or https URL"},
		"the metadata of another":                {resource, send(`{"resource":"URL/mcpx","authorization_servers":["URL/as"]}`), "of another resource"},
		"a redirect of the metadata":             {resource, redirect, "does not say where its tokens come from"},
		"another issuer":                         {server, send(`{"issuer":"https://other.example","token_endpoint":"URL/token"}`), "names another issuer"},
		"another issuer, without metadata of the resource": {"/.well-known/oauth-authorization-server", send(`{"issuer":"https://bank.example","token_endpoint":"URL/token"}`),
			"names another issuer"},
		"a token endpoint without a host": {server, send(`{"issuer":"URL/as","token_endpoint":"http://:80/token"}`), "expected an http or https URL"},
		"a large token":                   {"/token", send(`{"access_token":"` + strings.Repeat("t", 20_000) + `","token_type":"bearer"}`), "cannot be a header"},
		"large metadata":                  {server, send(`{"issuer":"URL/as","token_endpoint":"URL/token","x":"` + strings.Repeat("x", 70_000) + `"}`), "does not say"},
		"the credentials of a refusal": {"/token", func(*authority) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusUnauthorized)
				_, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
				writeJSON(w, `{"error":"invalid_client","error_description":"not `+secret+`"}`)
			}
		}, "HTTP 401 invalid_client: not "},
		"a token endpoint elsewhere": {server, send(`{"issuer":"URL/as","token_endpoint":"` + other + `/token"}`), "set trustedHosts"},
		"a method that is not known": {server, send(`{"issuer":"URL/as","token_endpoint":"URL/token","token_endpoint_auth_methods_supported":["none"]}`), "it lists"},
		"a redirect of the request":  {"/token", redirect, "307"},
		"another type of token":      {"/token", send(`{"access_token":"t","token_type":"mac"}`), `of type \"MAC\"`},
		"a token with a line break":  {"/token", send(`{"access_token":"t\r\nX: y","token_type":"bearer"}`), "cannot be a header"},
		"no token":                   {"/token", send(`{"token_type":"bearer"}`), "no token"},
		"the secret, in its refusal": {"/token", func(*authority) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusUnauthorized)
				writeJSON(w, `{"error":"invalid_client","error_description":"not sec\"ret-4711 or sec%22ret-4711: yours"}`)
			}
		}, "HTTP 401 invalid_client: not *** or ***: yours"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			a.replace[test.path] = test.answer(a)
			if strings.Contains(name, "without metadata") {
				a.replace[resource], a.replace["/.well-known/oauth-protected-resource"] = http.NotFound, http.NotFound
			}
			method := ""
			if strings.Contains(name, "credentials") {
				method = `, authMethod: 'client_secret_basic'`
			}
			f := a.client(t, `clientSecret: 'sec"ret-4711'`+method)
			got := fmt.Sprint(f.run(`let message = ''; try { client.connect() } catch (error) { message = error.message } JSON.stringify(message)`))
			if !strings.Contains(got, test.expected) || !strings.Contains(got, "cannot be used: no token: ") || strings.Contains(got, "4711") ||
				strings.Contains(got, base64.StdEncoding.EncodeToString([]byte("me:sec"))[:8]) {
				t.Errorf("got %s", got)
			}
			// The next call does not request a token again at once.
			f.expect(calls, `"auth,auth,auth"`)
			if len(f.log.AllEntries()) != 1 {
				t.Errorf("got %v", f.log.AllEntries())
			}
		})
	}
}

// The server's own origin is trusted, and the hosts or host:port pairs in the options.
func TestTrust(t *testing.T) {
	for _, test := range []struct {
		target, trusted, named string
		expected               bool
	}{
		{"http://127.0.0.1:3000/mcp", "", "http://127.0.0.1:3000/token", true},
		{"http://127.0.0.1:3000/mcp", "", "http://127.0.0.1:3001/token", false},
		{"http://127.0.0.1:3000/mcp", "", "http://127.0.0.1/token", false},
		{"http://127.0.0.1:3000/mcp", "", "https://127.0.0.1:3000/token", false},
		{"http://127.0.0.1/mcp", "", "http://127.0.0.1:80/token", true},
		{"http://127.0.0.1:3000/mcp", "127.0.0.1:3001", "http://127.0.0.1:3001/token", true},
		{"http://127.0.0.1:3000/mcp", "127.0.0.1:3001", "http://127.0.0.1:3002/token", false},
		{"http://127.0.0.1:3000/mcp", "a.example,127.0.0.1", "http://127.0.0.1:3002/token", true},
		{"http://[::1]:3000/mcp", "[::1]:3001", "http://[::1]:3001/token", true},
		{"http://[::1]:3000/mcp", "[::1]", "http://[::1]:3001/token", true},
		{"http://[::1]:3000/mcp", "", "http://[::1]:3001/token", false},
		{"https://a.example/mcp", "", "https://A.example:443/token", true},
		{"https://a.example/mcp", "a.example:443", "https://a.example:8443/token", false},
		{"https://a.example/mcp", "a.example", "https://a.example:8443/token", true},
		{"https://a.example/mcp", "b.example:443", "https://b.example/token", true},
		{"https://a.example/mcp", "b.example:443", "https://b.example:444/token", false},
		{"https://a.example/mcp", "a.example", "http://a.example:8080/token", false},
	} {
		target, _ := url.Parse(test.target)
		source := &tokenSource{target: target, options: &oauthOptions{trusted: test.trusted}}
		if err := source.trust(test.named); (err == nil) != test.expected {
			t.Errorf("%s, which trusts %q, names %s: got %v", test.target, test.trusted, test.named, err)
		}
	}
}

func TestOAuthOptions(t *testing.T) {
	f := newFixture(t, http.NotFoundHandler())
	for options, expected := range map[string]string{
		`oauth: { clientId: 'a' }`:                                                   "oauth: expected a clientId, and one of clientSecret, privateKey and assertion",
		`oauth: { clientSecret: 'a' }`:                                               "expected a clientId",
		`oauth: { clientId: 'a', clientSecret: 'b', assertion: 'c' }`:                "one of",
		`oauth: { clientId: 'a', privateKey: 'secret' }`:                             "oauth: privateKey: expected a P-256 or RSA private key in PEM format",
		`oauth: { clientId: 'a', clientSecret: 'b', scopes: 'c' }`:                   `oauth: unknown option "scopes"`,
		`oauth: { clientId: 'a', clientSecret: 'b', tokenUrl: 'c' }`:                 "oauth: tokenUrl: expected an http or https URL",
		`oauth: { clientId: 'a', clientSecret: 'b' }, token: 'c'`:                    "set only one of oauth",
		`oauth: { clientId: 'a', clientSecret: 'b', authMethod: 'private_key_jwt' }`: "authMethod: private_key_jwt does not match",
		`oauth: { clientId: 'a', assertion: 'b', authMethod: 'client_secret_post' }`: "authMethod: client_secret_post does not match",
		`oauth: { clientId: 'a', clientSecret: 'b', authMethod: 'tls' }`:             "private_key_jwt",
		`oauth: { clientId: 'a', clientSecret: 'b', trustedHosts: 'a.example' }`:     "trustedHosts: ",
	} {
		_, err := f.VU.Runtime().RunString(`new StreamableHTTPClient({ base_url: url, ` + options + ` })`)
		if err == nil || !strings.Contains(err.Error(), expected) || strings.Contains(err.Error(), "secret'") {
			t.Errorf("%s: got %v", options, err)
		}
	}
}

func TestChallenge(t *testing.T) {
	for text, scope := range map[string]string{
		`Bearer scope="a b", error="x"`:                                     "a b",
		`bearer error=x, scope=a`:                                           "a",
		`Bearer scope="a \"quoted\" one"`:                                   `a "quoted" one`,
		`Basic realm="the bearer token", scope="evil", Bearer scope="good"`: "good",
		`Bearer error="x", DPoP scope="evil"`:                               "",
		`Bearer`:                                                            "",
		`DPoP scope="evil"`:                                                 "",
		`Bearer scope="a", Bearer scope="b"`:                                "a",
		`Bearer ` + strings.Repeat("x=1,", 10_000) + `scope="far"`:          "",
	} {
		if got := parseChallenge([]string{text})["scope"]; got != scope {
			t.Errorf("%.60s: got %q; expected %q", text, got, scope)
		}
	}
}

// Headers of a call and renewed tokens are redacted, too, if a server repeats them.
func TestSecretsOfCalls(t *testing.T) {
	f := newFixture(t, modern(func(w http.ResponseWriter, r received) {
		http.Error(w, "bad "+r.header.Get("Authorization")+" "+r.header.Get("X-Key"), http.StatusInternalServerError)
	}))
	f.expect(`const client = new StreamableHTTPClient({ base_url: url });
		client.callTool({ name: 'a' }, { headers: { Authorization: 'Bearer call-secret', 'X-Key': 'key-secret' } }).failure.detail`,
		`"HTTP 500 text/plain; charset=utf-8: bad *** *** "`)
	if text := f.log.LastEntry().Message; strings.Contains(text, "secret") {
		t.Errorf("got %s", text)
	}
	var hidden secrets
	hidden.add("Bearer token-1")
	if text := hidden.hide("bad Bearer token-1, token-1", false); text != "bad ***, ***" {
		t.Errorf("got %s", text)
	}
}

func TestRedact(t *testing.T) {
	f := newFixture(t, modern(succeed))
	f.expect(`const client = new StreamableHTTPClient({ base_url: url, token: 'token-4711', headers: { 'X-Key': 'key "4711"' } });
		client.redact('token-4711, ' + JSON.stringify('key "4711"') + ', key%20%224711%22, plain')`, `"***, \"***\", ***, plain"`)
	f = newAuthority(t).client(t, `clientSecret: 'secret-4711'`)
	f.expect(`client.connect(); client.redact('secret-4711, token-1')`, `"***, ***"`)
}

// A stream may be held for longer than its token is valid: requests that are sent meanwhile carry a newer token.
func TestHeldStreamsHaveNewTokens(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.life = 2
	var answers []string
	server := legacy(succeed)
	a.replace["/mcp"] = func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := received{r.Method, r.URL.String(), r.Header, string(body), r.Context().Done()}
		switch {
		case got.header.Get("Authorization") == "":
			w.WriteHeader(http.StatusUnauthorized)
		case got.method == http.MethodGet:
			stream(w)
			time.Sleep(1500 * time.Millisecond)
			stream(w, `{"jsonrpc":"2.0","id":9,"method":"ping"}`)
			<-got.gone
		case got.rpcMethod() == "":
			answers = append(answers, got.header.Get("Authorization"))
			w.WriteHeader(http.StatusAccepted)
		default:
			server.answer(w, got)
		}
	}
	f := a.client(t, `clientSecret: 'x'`)
	f.await(`client.listen({}, { abandonAfter: 2500 })`)
	if len(answers) != 1 || answers[0] == "Bearer token-1" {
		t.Errorf("got %v", answers)
	}
}
