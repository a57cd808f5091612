package mcp

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// resumption holds the last ID and retry fields of a stream.
type resumption struct {
	lastEventID string
	retry       time.Duration
}

// readEvents returns the events of a stream as "kind|id|data", and what is needed to resume it.
func readEvents(source io.Reader, maxBytes int64) ([]string, resumption, error) {
	reader := newEventReader(source, maxBytes, nil)
	var events []string
	for {
		read, err := reader.next()
		if err != nil {
			return events, resumption{reader.lastEventID, reader.retry}, err
		}
		events = append(events, read.kind+"|"+read.id+"|"+string(read.data))
	}
}

func TestEventReader(t *testing.T) {
	for text, expected := range map[string]struct {
		events []string
		id     string
		retry  time.Duration
	}{
		"":                            {},
		"data: a\n\n":                 {events: []string{"||a"}},
		"data:a\r\rdata: b\r\n\r\n":   {events: []string{"||a", "||b"}},
		"data: a\ndata\ndata:  b\n\n": {events: []string{"||a\n\n b"}},
		"\ufeffdata: a\n\n":           {events: []string{"||a"}},
		"event: message\nid: 7\ndata: a\n\ndata: b\n\n":             {events: []string{"message|7|a", "|7|b"}, id: "7"},
		"id: 1\ndata:\n\n: comment\nother: x\n\n":                   {id: "1"},
		"id: 1\n\nid: 2\ndata: cut off":                             {events: []string{"||cut off"}, id: "1"},
		"id: a\x00b\ndata: c\n\n":                                   {events: []string{"||c"}},
		"retry: 20\n\nretry: 2x\nretry: +3\nretry: 99999999999\n\n": {retry: 20 * time.Millisecond},
		"data: a\n\ndata":                                           {events: []string{"||a"}},
	} {
		if expected.retry == 0 {
			expected.retry = -1
		}
		// Whole and byte by byte: CR and LF are one line end, even in two reads.
		for _, source := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
			events, point, err := readEvents(source, 1000)
			if !slices.Equal(events, expected.events) || point != (resumption{expected.id, expected.retry}) || !errors.Is(err, io.EOF) {
				t.Errorf("%q: got %q, %v, %v; expected %q, %v", text, events, point, err, expected.events, expected)
			}
		}
	}
}

func TestEventReaderLimit(t *testing.T) {
	text := "data: " + strings.Repeat("a", 10_000) + "\n\n"
	if events, _, err := readEvents(strings.NewReader(text+text), int64(len(text))+10); len(events) != 1 || !errors.Is(err, errTooLarge) {
		t.Errorf("got %d events, %v; expected 1 and %v", len(events), err, errTooLarge)
	}
}

// The events of a stream do not depend on how it is split into reads.
func FuzzEventReader(f *testing.F) {
	f.Add("event: a\r\nid: 1\ndata: b\r\rdata: c\n\n", uint8(3))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		whole, point, _ := readEvents(strings.NewReader(text), 1<<20)
		cut, pointOfCut, _ := readEvents(&cutReader{text, int(size%16) + 1}, 1<<20)
		if !slices.Equal(whole, cut) || point != pointOfCut {
			t.Errorf("got %q, %v in one piece, and %q, %v in pieces of %d", whole, point, cut, pointOfCut, size%16+1)
		}
	})
}

// cutReader returns at most size bytes per read.
type cutReader struct {
	text string
	size int
}

func (r *cutReader) Read(buffer []byte) (int, error) {
	if r.text == "" {
		return 0, io.EOF
	}
	count := copy(buffer, r.text[:min(r.size, len(r.text))])
	r.text = r.text[count:]
	return count, nil
}
