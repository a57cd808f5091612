package mcp

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits of the cookies of one host per VU. The jar has no limit of its own, and reading it takes longer with each cookie.
const (
	maxCookies = 50
	// Names, values, domains and paths together.
	maxCookieBytes = 16 << 10
)

// cookieKey identifies a cookie in a jar.
type cookieKey struct{ domain, path, name string }

type keptCookie struct {
	size int
	// Zero if the cookie does not expire.
	expires time.Time
}

// cookieLedger tracks the number and size of the cookies in a VU's jar by host, which the jar does not report. It is only locked for answers that
// set cookies.
type cookieLedger struct {
	mu sync.Mutex
	// k6 gives a VU a new jar for each iteration, unless noCookiesReset is set.
	jar   *cookiejar.Jar
	hosts map[string]map[cookieKey]keptCookie
}

// keep adds the cookies of an answer to the jar. It adds none and returns false if the host would then exceed the limits.
func (l *cookieLedger) keep(jar *cookiejar.Jar, from *url.URL, response *http.Response) bool {
	if jar == nil || len(response.Header["Set-Cookie"]) == 0 {
		return true
	}
	cookies := response.Cookies()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.jar != jar {
		l.jar, l.hosts = jar, make(map[string]map[cookieKey]keptCookie)
	}
	host := strings.ToLower(from.Hostname())
	now := time.Now()
	next := make(map[cookieKey]keptCookie, len(l.hosts[host])+len(cookies))
	size := 0
	for key, kept := range l.hosts[host] {
		if kept.expires.IsZero() || kept.expires.After(now) {
			next[key] = kept
			size += kept.size
		}
	}
	for _, cookie := range cookies {
		key := cookieKey{strings.ToLower(cookie.Domain), cookiePath(cookie, from), cookie.Name}
		size -= next[key].size
		delete(next, key)
		expires := cookie.Expires
		if cookie.MaxAge != 0 {
			expires = now.Add(time.Duration(min(cookie.MaxAge, int(noEnd/time.Second))) * time.Second)
		}
		if expires.IsZero() || expires.After(now) {
			kept := keptCookie{len(key.domain) + len(key.path) + len(key.name) + len(cookie.Value), expires}
			next[key] = kept
			size += kept.size
		}
	}
	if len(next) > maxCookies || size > maxCookieBytes {
		return false
	}
	l.hosts[host] = next
	jar.SetCookies(from, cookies)
	return true
}

// cookiePath returns the path of a cookie. If the cookie has none, it is the URL's path up to its last slash (RFC 6265, section 5.1.4).
func cookiePath(cookie *http.Cookie, from *url.URL) string {
	if strings.HasPrefix(cookie.Path, "/") {
		return cookie.Path
	}
	return from.Path[:max(strings.LastIndexByte(from.Path, '/'), 0)]
}

// cookieHeader caches the Cookie header that a client last sent. A script may change the jar at any time, so the header is rebuilt if the jar's
// cookies have changed.
type cookieHeader struct {
	cookies []*http.Cookie
	value   string
}

// valueFor returns the Cookie header for the cookies of a jar.
func (h *cookieHeader) valueFor(cookies []*http.Cookie) string {
	isSame := func(a, b *http.Cookie) bool { return a.Name == b.Name && a.Value == b.Value && a.Quoted == b.Quoted }
	if slices.EqualFunc(h.cookies, cookies, isSame) {
		return h.value
	}
	var made strings.Builder
	for _, cookie := range cookies {
		// http.Request.AddCookie on the real request would copy the whole header for each cookie.
		one := http.Request{Header: http.Header{}}
		one.AddCookie(cookie)
		if made.Len() > 0 {
			made.WriteString("; ")
		}
		made.WriteString(one.Header.Get("Cookie"))
	}
	h.cookies, h.value = cookies, made.String()
	return h.value
}
