package mcp

import (
	"cmp"
	"encoding/base64"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	redacted = "***"
	// A shorter value of a header is none that has to be hidden.
	minSecret = 4
	// A header with another name than a secret's may have any word as its value, such as a tenant's name. Tokens are longer.
	minUnnamed = 12
	// Escapes within escapes that are undone.
	maxEscapes = 4
	// Of an HTML entity, for example &#x0000002F;
	maxEntity = 12
)

// secrets are texts that must not be shown, in the spellings that no escape explains.
type secrets []string

// add adds credentials: of a header's value also what follows its scheme, and the password that a Basic one has.
func (s *secrets) add(values ...string) {
	for _, value := range values {
		s.addSpellings(value)
		scheme, rest, hasScheme := strings.Cut(value, " ")
		if !hasScheme {
			continue
		}
		s.addSpellings(rest)
		if decoded, err := base64.StdEncoding.DecodeString(rest); err == nil && strings.EqualFold(scheme, "Basic") {
			_, password, _ := strings.Cut(string(decoded), ":")
			s.addSpellings(password)
		}
	}
}

// addClient adds a client's secret, also as HTTP Basic authentication has it.
func (s *secrets) addClient(id, secret string) {
	if secret == "" {
		return
	}
	s.addSpellings(secret)
	s.addSpellings(base64.StdEncoding.EncodeToString([]byte(id + ":" + secret)))
	s.addSpellings(base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id) + ":" + url.QueryEscape(secret))))
}

func (s *secrets) addSpellings(secret string) {
	encoded := base64.RawStdEncoding.EncodeToString([]byte(secret))
	for _, one := range []string{secret, strings.ReplaceAll(secret, " ", "+"), encoded, base64.RawURLEncoding.EncodeToString([]byte(secret))} {
		if one = strings.TrimRight(visible(one), "="); len(one) >= minSecret && !slices.Contains(*s, one) {
			*s = append(*s, one)
		}
	}
}

// visible returns a text without characters that have no width.
func visible(text string) string {
	return strings.Map(func(char rune) rune {
		if isIgnored(char) {
			return -1
		}
		return char
	}, text)
}

// isIgnored tells whether a character may be in a secret without being seen.
func isIgnored(char rune) bool { return unicode.In(char, unicode.Cf, unicode.Cc) }

// reading is a text as somebody may read it who undoes escapes. Its bytes remember where in the text they came from.
type reading struct {
	text []byte
	// Where each byte begins and ends in the text.
	from, to []int
}

func (r *reading) add(char byte, from, to int) {
	r.text, r.from, r.to = append(r.text, char), append(r.from, from), append(r.to, to)
}

func newReading(size int) reading {
	return reading{make([]byte, 0, size), make([]int, 0, size), make([]int, 0, size)}
}

// hide replaces the secrets in a text, whatever escapes of URLs, JSON and HTML they are written with. isCut: the text goes on, so that it may end
// within a secret
func (s secrets) hide(text string, isCut bool) string {
	if len(s) == 0 || text == "" {
		return text
	}
	if !isCut && isPlain(text) {
		return replaced(text, s.in(text, nil))
	}
	var found [][2]int
	now := newReading(len(text))
	for i := range len(text) {
		now.add(text[i], i, i+1)
	}
	for round := 0; round <= maxEscapes; round++ {
		next, isChanged := now.decoded(round > 0)
		if round > 0 && !isChanged {
			break
		}
		now = next
		found = append(found, s.in(string(now.text), &now)...)
		if at := s.partialAt(now.text); isCut && at < len(now.text) {
			found = append(found, [2]int{now.from[at], len(text)})
		}
	}
	return replaced(text, found)
}

// isPlain tells whether a text can be read in one way alone.
func isPlain(text string) bool {
	for i := range len(text) {
		if char := text[i]; char < ' ' || char > '~' || char == '%' || char == '\\' || char == '&' {
			return false
		}
	}
	return true
}

// in returns where in the text the secrets of a reading are. of: nil: the text itself
func (s secrets) in(read string, of *reading) [][2]int {
	var found [][2]int
	for _, secret := range s {
		for start := 0; ; {
			at := strings.Index(read[start:], secret)
			if at < 0 {
				break
			}
			start += at + len(secret)
			part := [2]int{start - len(secret), start}
			if of != nil {
				part = [2]int{of.from[part[0]], of.to[part[1]-1]}
			}
			found = append(found, part)
		}
	}
	return found
}

var partialEscape = regexp.MustCompile(`(%[0-9A-Fa-f]?|\\(u[0-9A-Fa-f]{0,3})?|&#?[0-9A-Za-z]{0,10})$`)

// partialAt returns where the beginning of a secret is, or of an escape after one, with which a text ends; its length: nowhere.
func (s secrets) partialAt(text []byte) int {
	longest := 0
	for _, secret := range s {
		longest = max(longest, len(secret))
	}
	tail := text[max(0, len(text)-longest-maxEntity):]
	whole := string(tail)
	for _, end := range []string{whole, partialEscape.ReplaceAllString(whole, "")} {
		for at := range len(end) {
			if slices.ContainsFunc(s, func(secret string) bool { return strings.HasPrefix(secret, end[at:]) }) {
				return len(text) - len(whole) + at
			}
		}
	}
	return len(text)
}

// decoded undoes escapes once, and leaves out what cannot be seen. It also tells whether it found an escape.
func (r reading) decoded(undoes bool) (reading, bool) {
	next := newReading(len(r.text))
	isChanged := false
	for i := 0; i < len(r.text); {
		if undoes {
			if text, size := unescape(r.text[i:]); size > 0 {
				for j := range len(text) {
					next.add(text[j], r.from[i], r.to[i+size-1])
				}
				i += size
				isChanged = true
				continue
			}
		}
		char, size := utf8.DecodeRune(r.text[i:])
		if char == utf8.RuneError || !isIgnored(char) {
			for j := range size {
				next.add(r.text[i+j], r.from[i+j], r.to[i+j])
			}
		}
		i += size
	}
	return next, isChanged
}

// unescape returns what an escape at the beginning of a text stands for, and its size; 0: there is none.
func unescape(text []byte) (string, int) {
	switch text[0] {
	case '%':
		if value, ok := hex(text, 1, 2); ok {
			return string([]byte{byte(value)}), 3
		}
	case '\\':
		return unescapeJSON(text)
	case '&':
		end := slices.Index(text[:min(len(text), maxEntity)], ';')
		if end < 0 {
			break
		}
		entity := string(text[:end+1])
		if char := html.UnescapeString(entity); char != entity {
			return visible(char), end + 1
		}
	}
	return "", 0
}

func unescapeJSON(text []byte) (string, int) {
	if len(text) < 2 {
		return "", 0
	}
	switch text[1] {
	case '"', '\\', '/', '\'':
		return string(text[1:2]), 2
	case 'b', 'f', 'n', 'r', 't':
		return "", 2
	case 'x':
		if value, ok := hex(text, 2, 2); ok {
			return visible(string(value)), 4
		}
	case 'u':
		value, ok := hex(text, 2, 4)
		if !ok {
			break
		}
		if low, isPair := hex(text, 8, 4); isPair && utf16.IsSurrogate(value) && text[6] == '\\' && text[7] == 'u' {
			return visible(string(utf16.DecodeRune(value, low))), 12
		}
		return visible(string(value)), 6
	}
	return "", 0
}

// hex reads digits of a text.
func hex(text []byte, start, count int) (rune, bool) {
	if len(text) < start+count {
		return 0, false
	}
	value, err := strconv.ParseUint(string(text[start:start+count]), 16, 32)
	return rune(value), err == nil
}

// replaced puts a mark in the place of parts of a text, one where they overlap.
func replaced(text string, parts [][2]int) string {
	if len(parts) == 0 {
		return text
	}
	slices.SortFunc(parts, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(b[1], a[1])) })
	var made strings.Builder
	end := 0
	for _, part := range parts {
		if part[0] >= end {
			made.WriteString(text[end:part[0]] + redacted)
		}
		end = max(end, part[1])
	}
	return made.String() + text[end:]
}
