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

// event is a server-sent event (text/event-stream; HTML Living Standard, section 9.2).
type event struct {
	at       time.Duration
	kind, id string
	data     []byte
}

// eventReader reads the events of a stream as they arrive. A line ends with LF, CRLF or CR. Comments and unknown fields are ignored.
type eventReader struct {
	source io.Reader
	buffer []byte
	// The unread part of the buffer.
	start, end int
	// Bytes that may still be read. eventLimit is the limit of each event, if the limit is not that of the whole stream.
	left, eventLimit int64
	// The last line ended with CR, so an LF that follows belongs to it.
	afterCR bool
	began   bool
	// The last ID and retry fields, which are needed to resume the stream. retry is negative if there was none.
	lastEventID string
	retry       time.Duration
}

const firstBuffer = 4096

// newEventReader returns a reader that uses a buffer of an earlier reader, or a new one if it is nil.
func newEventReader(source io.Reader, maxBytes int64, buffer []byte) *eventReader {
	if buffer == nil {
		buffer = make([]byte, firstBuffer)
	}
	return &eventReader{source: source, buffer: buffer, left: maxBytes, retry: -1}
}

// next returns the next event that has data, and io.EOF at the end of the stream. An event that is cut off by the end of the stream is returned
// as well: servers forget the last blank line.
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
			// Servers start a stream with an event without data to give it an ID.
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

// line returns the next line without its line end. The line is valid until the next call. A last line without a line end is returned as well.
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

// withoutMark removes the byte order mark at the beginning of a stream.
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

// fill moves the unread part to the beginning of the buffer, doubles a full buffer, and reads more.
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
