package mcp

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

var (
	errTooLarge      = errors.New("the answer is too large")
	errTooManyEvents = errors.New("the stream has too many events")
)

// event is one of a stream (text/event-stream, HTML Living Standard, section 9.2).
type event struct {
	at       time.Duration
	kind, id string
	data     []byte
}

// eventReader reads a stream's events as they arrive. A line ends with LF, CRLF or CR; comments and unknown fields are passed over.
type eventReader struct {
	source io.Reader
	buffer []byte
	// The part of the buffer that is not read yet.
	start, end int
	// Bytes that may still come, of the stream, or of an event where that has a limit.
	left, eventLimit int64
	// The last line ended with CR, of which LF may be the second half.
	afterCR bool
	began   bool
	// What the stream said last, for its resumption. retry is negative where it said nothing.
	lastEventID string
	retry       time.Duration
}

const firstBuffer = 4096

// newEventReader takes a buffer that was used before, or nil.
func newEventReader(source io.Reader, maxBytes int64, buffer []byte) *eventReader {
	if buffer == nil {
		buffer = make([]byte, firstBuffer)
	}
	return &eventReader{source: source, buffer: buffer, left: maxBytes, retry: -1}
}

// next returns the next event that has data, and io.EOF at the stream's end. An event that the end cuts off is one, too: a server may forget
// the last blank line.
func (r *eventReader) next() (event, error) {
	var read event
	var data []byte
	hasData := false
	id := r.lastEventID
	for {
		line, err := r.line()
		if err != nil {
			if errors.Is(err, io.EOF) && len(data) > 0 {
				read.data = data
				return read, nil
			}
			return read, err
		}
		if len(line) == 0 {
			r.lastEventID = id
			if r.eventLimit > 0 {
				r.left = r.eventLimit
			}
			// Servers begin a stream with an event of empty data, to give it an id.
			if len(data) > 0 {
				read.data, read.id = data, id
				return read, nil
			}
			read, data, hasData = event{}, nil, false
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			if hasData {
				data = append(data, '\n')
			}
			data = append(data, value...)
			hasData = true
		case "event":
			read.kind = string(value)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				id = string(value)
			}
		case "retry":
			if milliseconds, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				r.retry = time.Duration(milliseconds) * time.Millisecond
			}
		}
	}
}

// line returns the next line without its end; it is valid until the next call. A last line without an end is one, too.
func (r *eventReader) line() ([]byte, error) {
	searched := 0
	for {
		if r.afterCR && r.start < r.end {
			if r.buffer[r.start] == '\n' {
				r.start++
			}
			r.afterCR = false
		}
		window := r.buffer[r.start:r.end]
		if at := indexLineEnd(window[searched:]); at >= 0 {
			at += searched
			r.afterCR = window[at] == '\r'
			r.start += at + 1
			return r.withoutMark(window[:at]), nil
		}
		searched = len(window)
		if err := r.fill(); err != nil {
			if errors.Is(err, io.EOF) && r.start < r.end {
				rest := r.buffer[r.start:r.end]
				r.start = r.end
				return r.withoutMark(rest), nil
			}
			return nil, err
		}
	}
}

// withoutMark removes the byte order mark that a stream may begin with.
func (r *eventReader) withoutMark(line []byte) []byte {
	if !r.began {
		r.began = true
		return bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	return line
}

func indexLineEnd(window []byte) int {
	lf := bytes.IndexByte(window, '\n')
	if lf >= 0 {
		window = window[:lf]
	}
	if cr := bytes.IndexByte(window, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// fill reads more, moves what is left to the buffer's begin, and doubles a buffer that is full.
func (r *eventReader) fill() error {
	if r.left <= 0 {
		return errTooLarge
	}
	if r.start > 0 {
		r.end = copy(r.buffer, r.buffer[r.start:r.end])
		r.start = 0
	}
	if r.end == len(r.buffer) {
		r.buffer = append(r.buffer, make([]byte, len(r.buffer))...)
	}
	count, err := r.source.Read(r.buffer[r.end:])
	r.end += count
	r.left -= int64(count)
	if count > 0 {
		return nil
	}
	return err
}
