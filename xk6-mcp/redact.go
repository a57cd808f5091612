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
	// minSecret is the minimum length of a value that is redacted.
	minSecret = 4
	// minUnnamed is the minimum length of a redacted value whose name does not mark it as a secret. It could be any word, for example the name
	// of a tenant. Tokens are longer.
	minUnnamed = 12
	// maxEscapes is the maximum number of nested escapes that are decoded.
	maxEscapes = 4
	// maxEntity is the maximum length of an HTML entity, for example &#x0000002F;
	maxEntity = 12
)

// secrets are texts that must not be shown, in all spellings that decoding escapes does not reveal.
type secrets []string

// add adds credentials. If a value has a scheme, as that of an Authorization header does, it also adds the part after the scheme, and the
// password of Basic authentication.
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

// addClient adds the secret of an OAuth client, also as it is sent in HTTP Basic authentication.
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

// visible returns a text without invisible characters.
func visible(text string) string {
	return strings.Map(func(char rune) rune {
		if isIgnored(char) {
			return -1
		}
		return char
	}, text)
}

// isIgnored reports whether a character is invisible, so that a secret may contain it unnoticed.
func isIgnored(char rune) bool { return unicode.In(char, unicode.Cf, unicode.Cc) }

// reading is a text with its escapes decoded. Each of its bytes keeps its position in the original text.
type reading struct {
	text []byte
	// Where each byte begins and ends in the original text.
	from, to []int
}

func (r *reading) add(char byte, from, to int) {
	r.text, r.from, r.to = append(r.text, char), append(r.from, from), append(r.to, to)
}

func newReading(size int) reading {
	return reading{make([]byte, 0, size), make([]int, 0, size), make([]int, 0, size)}
}

// hide replaces the secrets in a text, even if they are written with escapes of URLs, JSON or HTML. isCut is set if the text was cut and may end
// within a secret.
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

// isPlain reports whether a text has no escapes and no invisible characters.
func isPlain(text string) bool {
	for i := range len(text) {
		if char := text[i]; char < ' ' || char > '~' || char == '%' || char == '\\' || char == '&' {
			return false
		}
	}
	return true
}

// in returns the positions of the secrets of a reading in the original text. If decoded is nil, the reading is the original text.
func (s secrets) in(read string, decoded *reading) [][2]int {
	var found [][2]int
	for _, secret := range s {
		for start := 0; ; {
			at := strings.Index(read[start:], secret)
			if at < 0 {
				break
			}
			start += at + len(secret)
			part := [2]int{start - len(secret), start}
			if decoded != nil {
				part = [2]int{decoded.from[part[0]], decoded.to[part[1]-1]}
			}
			found = append(found, part)
		}
	}
	return found
}

var partialEscape = regexp.MustCompile(`(%[0-9A-Fa-f]?|\\(u[0-9A-Fa-f]{0,3})?|&#?[0-9A-Za-z]{0,10})$`)

// partialAt returns the position of an incomplete secret at the end of a text, or of an incomplete escape at its end. It returns the length of
// the text if there is none.
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

// decoded decodes one level of escapes if undoes is set, and removes invisible characters. It also reports whether it found an escape.
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

// unescape returns the text that an escape at the beginning of text stands for, and the length of the escape; 0 if there is none.
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

// hex parses hexadecimal digits of a text.
func hex(text []byte, start, count int) (rune, bool) {
	if len(text) < start+count {
		return 0, false
	}
	value, err := strconv.ParseUint(string(text[start:start+count]), 16, 32)
	return rune(value), err == nil
}

// replaced replaces parts of a text with a mark. Overlapping parts share one.
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
