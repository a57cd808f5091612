package mcp

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// setting answers calls, and sets the cookies that a function returns for the n-th call.
func setting(write func(call int, set func(cookie string))) *recorder {
	call := 0
	return modern(func(w http.ResponseWriter, r received) {
		call++
		write(call, func(cookie string) { w.Header().Add("Set-Cookie", cookie) })
		succeed(w, r)
	})
}

func TestCookiesHaveALimit(t *testing.T) {
	for name, test := range map[string]struct {
		write    func(call int, set func(cookie string))
		expected string
	}{
		"many in one answer": {func(_ int, set func(string)) {
			for i := range maxCookies + 1 {
				set(fmt.Sprintf("c%d=x", i))
			}
		}, `["too_large","too_large","too_large"]`},
		"few in each answer": {func(call int, set func(string)) {
			for i := range maxCookies/2 + 1 {
				set(fmt.Sprintf("c%d-%d=x", call, i))
			}
		}, `["ok","too_large","too_large"]`},
		"for paths that are not asked": {func(call int, set func(string)) {
			for i := range maxCookies/2 + 1 {
				set(fmt.Sprintf("c=x; Path=/other/%d/%d", call, i))
			}
		}, `["ok","too_large","too_large"]`},
		"large ones": {func(call int, set func(string)) {
			for i := range 3 {
				set(fmt.Sprintf("c%d-%d=%s", call, i, strings.Repeat("x", 3000)))
			}
		}, `["ok","too_large","too_large"]`},
		"the same ones": {func(call int, set func(string)) {
			for i := range maxCookies {
				set(fmt.Sprintf("c%d=%d", i, call))
			}
		}, `["ok","ok","ok"]`},
		"ones that are removed": {func(call int, set func(string)) {
			for i := range maxCookies {
				set(fmt.Sprintf("c%d-%d=x", call, i))
				set(fmt.Sprintf("c%d-%d=; Max-Age=0", call-1, i))
			}
		}, `["ok","ok","ok"]`},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, setting(test.write))
			f.run(`const client = new StreamableHTTPClient({ base_url: url })`)
			f.expect(`Array.from({ length: 3 }, () => client.callTool({ name: 'a' }).failure?.kind ?? 'ok')`, test.expected)
			// The cookies that k6 sends from then on.
			at, _ := url.Parse(f.server.URL + "/other/1/1")
			if got := len(f.state.CookieJar.Cookies(at)); got > maxCookies {
				t.Errorf("got %d cookies", got)
			}
		})
	}
}

// k6 gives a VU an empty jar for each iteration.
func TestCookiesOfAnotherIteration(t *testing.T) {
	f := newFixture(t, setting(func(call int, set func(string)) {
		for i := range maxCookies {
			set(fmt.Sprintf("c%d-%d=x", call, i))
		}
	}))
	f.run(`const client = new StreamableHTTPClient({ base_url: url })`)
	for range 3 {
		f.state.CookieJar, _ = cookiejar.New(nil)
		f.expect(`client.callTool({ name: 'a' }).ok`, `true`)
	}
}

// The header matches the jar, even if the script changes the jar.
func TestCookieHeader(t *testing.T) {
	server := setting(func(call int, set func(string)) {
		if call == 1 {
			set("a=1")
			set(`b="2 3"`)
		}
	})
	f := newFixture(t, server)
	at, _ := url.Parse(f.server.URL)
	f.run(`const client = new StreamableHTTPClient({ base_url: url }); const call = (options) => client.callTool({ name: 'a' }, options)`)
	f.run(`call(); call(); call()`)
	f.state.CookieJar.SetCookies(at, []*http.Cookie{{Name: "a", Value: "4"}})
	f.run(`call(); call({ headers: { Cookie: 'own=5' } })`)
	var got []string
	for _, one := range server.requests()[1:] {
		got = append(got, one.header.Get("Cookie"))
	}
	expected := []string{``, `a=1; b="2 3"`, `a=1; b="2 3"`, `a=4; b="2 3"`, `own=5; a=4; b="2 3"`}
	if fmt.Sprint(got) != fmt.Sprint(expected) {
		t.Errorf("got %q; expected %q", got, expected)
	}
}

// The header is built from 50 cookies once. After that, a call only compares the cookies.
func TestCookieHeaderIsKept(t *testing.T) {
	var cookies []*http.Cookie
	for i := range maxCookies {
		cookies = append(cookies, &http.Cookie{Name: fmt.Sprint("c", i), Value: "x"})
	}
	header := &cookieHeader{}
	header.valueFor(cookies)
	if allocations := testing.AllocsPerRun(10, func() { header.valueFor(cookies) }); allocations > 0 {
		t.Errorf("got %v allocations; expected none", allocations)
	}
}
