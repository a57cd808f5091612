package mcp

import (
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A server may repeat a secret in any spelling.
func TestSpellingsOfSecrets(t *testing.T) {
	const secret = `tök/en+4711="x y"`
	var hidden secrets
	hidden.add("Bearer " + secret)
	hidden.addClient("my id", "client/secret-4711")
	quoted := quote(secret)
	units := ""
	for _, char := range secret {
		units += fmt.Sprintf(`\u%04X`, char)
	}
	for name, text := range map[string]string{
		"as it is":           secret,
		"JSON":               quoted[1 : len(quoted)-1],
		"JSON in JSON":       quote(quoted)[3 : len(quote(quoted))-3],
		"JSON, slashes":      strings.ReplaceAll(strings.ReplaceAll(secret, "/", `\/`), `"`, `\"`),
		"JSON, all escaped":  units,
		"a query":            url.QueryEscape(secret),
		"a path":             url.PathEscape(secret),
		"small letters":      strings.ToLower(url.QueryEscape(secret)),
		"twice":              url.QueryEscape(url.QueryEscape(secret)),
		"HTML":               html.EscapeString(secret),
		"HTML, numbers":      strings.NewReplacer("=", "&#x3D;", "/", "&#47;", "+", "&plus;").Replace(secret),
		"HTML in a query":    url.QueryEscape(html.EscapeString(secret)),
		"zero width":         strings.Join(strings.Split(secret, ""), "\u200b"),
		"zero width in JSON": strings.Join(strings.Split(secret, ""), `\u200d`),
		"soft hyphens":       strings.ReplaceAll(secret, "47", "4\u00ad7"),
		"base64":             base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 for URLs":    base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"HTTP Basic":         base64.StdEncoding.EncodeToString([]byte("my id:client/secret-4711")),
		"OAuth's Basic":      base64.StdEncoding.EncodeToString([]byte("my+id:client%2Fsecret-4711")),
	} {
		got := hidden.hide("got "+text+", and "+text+".", false)
		if plain := strings.ReplaceAll(got, "=", ""); plain != "got ***, and ***." && !strings.HasPrefix(plain, `got ***`) || strings.Contains(got, "4711") ||
			strings.Contains(got, text) || strings.Count(got, redacted) != 2 {
			t.Errorf("%s: %s: got %s", name, text, got)
		}
	}
	for _, text := range []string{"", "plain", "100% of it", `C:\new\u12`, "a & b &c; &#x;", "\xff\xfe", "日本 😀", "%zz"} {
		if got := hidden.hide(text, false); got != text {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

// If a text is cut, no part of a secret remains, in any spelling.
func TestSecretsAtACut(t *testing.T) {
	const secret = `secret/"4711"-of-mine`
	var hidden secrets
	hidden.add(secret)
	for _, text := range []string{secret, url.QueryEscape(url.QueryEscape(secret)), quote(secret)[1:], html.EscapeString(secret)} {
		for length := range len(text) {
			if got := hidden.hide("said: "+text[:length], true); got != "said: " && got != "said: ***" {
				t.Errorf("%q: got %q", text[:length], got)
			}
		}
	}
	// Redacting the repeated tokens moves the last one, which was cut, to the part that is shown.
	token := strings.Repeat("t0ken-", 100)
	f := newFixture(t, modern(func(w http.ResponseWriter, _ received) {
		http.Error(w, strings.Repeat("."+token, 200), http.StatusInternalServerError)
	}))
	got := fmt.Sprint(f.run(`new StreamableHTTPClient({ base_url: url, token: '` + token + `', protocolVersion: '2026-07-28' }).callTool({ name: 'a' }).failure.detail`))
	if strings.Contains(got, "t0k") {
		t.Errorf("got %s", got)
	}
}

// The name of a server is written to labels and files.
func TestNamesThatHoldSecrets(t *testing.T) {
	token := strings.Repeat("tok-4711-", 12)
	f := newFixture(t, &recorder{answer: func(w http.ResponseWriter, r received) {
		writeJSON(w, reply(r.id(), `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},`+
			`"serverInfo":{"name":"I am `+token+`","version":"`+url.QueryEscape(token)+`"}}`))
	}})
	f.expect(`new StreamableHTTPClient({ base_url: url, token: '`+token+`' }).connect().serverInfo`, `{"name":"I am ***","version":"***"}`)
}

// The values of Accept-Encoding and User-Agent are not secrets: a tool may be called gzip.
func TestPublicHeaders(t *testing.T) {
	f := newFixture(t, modern(succeed))
	f.expect(`new StreamableHTTPClient({ base_url: url, headers: { 'accept-encoding': 'gzip', 'user-agent': 'mine', 'x-key': 'abcd' } }).redact('gzip, mine, abcd')`,
		`"gzip, mine, ***"`)
}

// A tool of the tenant acme may contain the tenant's name.
func TestWordsInHeaders(t *testing.T) {
	f := newFixture(t, modern(succeed))
	f.expect(`new StreamableHTTPClient({ base_url: url, headers: { 'X-Tenant': 'acme', 'X-Trace': 'a-long-value-1' } }).redact('acme_search a-long-value-1')`,
		`"acme_search ***"`)
}
