package mcp

import (
	"sync"
	"time"
)

const (
	// maxLostStreams is the maximum number of streams in Ends.
	maxLostStreams = 2000
	// maxHeldPoints is the maximum number of points in Held, of which there is at most one per second.
	maxHeldPoints = 10_000
)

// Streams summarizes the streams that clients requested with listen, including those of the warm-up.
type Streams struct {
	// Streams that clients requested, streams that the server opened, and streams that were not held to their end.
	Asked  int64 `json:"asked"`
	Opened int64 `json:"opened"`
	Lost   int64 `json:"lost"`
	// Streams that ended early and were resumed after their last event.
	Resumed int64 `json:"resumed,omitempty"`
	// Messages that the server sent on these streams.
	Messages int64 `json:"messages"`
	// Number of held streams: one point for each second in which it changed, with the value at the end of the second.
	Held []HeldStreams `json:"held"`
	// The first streams that were lost, at most maxLostStreams.
	Ends []StreamEnd `json:"ends,omitempty"`
}

// HeldStreams is the number of held streams at one time.
type HeldStreams struct {
	// Unix time in milliseconds.
	At    int64 `json:"at"`
	Count int64 `json:"count"`
}

// StreamEnd describes a stream that was refused, or that was ended by the server or by something on the network. Durations are in milliseconds.
type StreamEnd struct {
	// When the client requested the stream, as Unix time in milliseconds, and how many streams were held then.
	Asked int64 `json:"asked"`
	Held  int64 `json:"held"`
	// Time from the request until the stream was open; absent if it never was.
	OpenedMS *float64 `json:"openedMs,omitempty"`
	// Time from the request, and from the last byte received, to the end of the stream.
	AgeMS    float64 `json:"ageMs"`
	SilentMS float64 `json:"silentMs"`
	Messages int64   `json:"messages"`
	// The kind of failure, as named in names.json; empty if the server ended the stream with a reply. The HTTP status; 0 if there was no answer.
	Kind   string `json:"kind,omitempty"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
}

// streamRecord collects Streams.
type streamRecord struct {
	sync.Mutex
	Streams
	held int64
}

var streams streamRecord

// HeldByClients returns the summary of the streams that clients requested. It is nil if they requested none.
func HeldByClients() *Streams {
	streams.Lock()
	defer streams.Unlock()
	if streams.Asked == 0 {
		return nil
	}
	found := streams.Streams
	// In JSON, Held is an array even if no stream was held.
	found.Held = append([]HeldStreams{}, found.Held...)
	return &found
}

// heldStream is a stream that has been requested and has not ended.
type heldStream struct {
	asked    time.Time
	held     int64
	opened   time.Time
	messages int64
}

// ask records the request of a stream.
func (r *streamRecord) ask() *heldStream {
	r.Lock()
	defer r.Unlock()
	r.Asked++
	return &heldStream{asked: time.Now(), held: r.held}
}

func (r *streamRecord) open(s *heldStream) {
	r.Lock()
	defer r.Unlock()
	s.opened = time.Now()
	r.Opened++
	r.change(1)
}

func (r *streamRecord) hear(s *heldStream) {
	r.Lock()
	defer r.Unlock()
	s.messages++
	r.Messages++
}

func (r *streamRecord) resume() {
	r.Lock()
	defer r.Unlock()
	r.Resumed++
}

// close records the end of a stream that the client closed.
func (r *streamRecord) close(s *heldStream) {
	r.Lock()
	defer r.Unlock()
	if !s.opened.IsZero() {
		r.change(-1)
	}
}

// lose records the end of a stream that the client did not close.
func (r *streamRecord) lose(s *heldStream, c *Client, x *exchange) {
	asked, ended := s.asked, x.began.Add(x.last)
	if sent := x.sentAt.Load(); sent > 0 {
		asked = time.Unix(0, sent)
	}
	end := StreamEnd{
		Asked: asked.UnixMilli(), Held: s.held, AgeMS: milliseconds(ended.Sub(asked)), SilentMS: milliseconds(ended.Sub(x.heard)),
		Messages: s.messages, Status: x.status,
	}
	if x.failure != nil {
		end.Kind, end.Detail = x.failure.kind, c.describe(x)
	}
	if !s.opened.IsZero() {
		after := milliseconds(s.opened.Sub(asked))
		end.OpenedMS = &after
	}
	if x.heard.IsZero() {
		end.SilentMS = end.AgeMS
	}
	r.close(s)
	r.Lock()
	defer r.Unlock()
	r.Lost++
	if len(r.Ends) < maxLostStreams {
		r.Ends = append(r.Ends, end)
	}
}

// change adds by to the number of held streams. The caller holds the lock.
func (r *streamRecord) change(by int64) {
	r.held += by
	now := time.Now().UnixMilli()
	last := len(r.Held) - 1
	switch {
	case last >= 0 && r.Held[last].At/1000 == now/1000:
		r.Held[last].Count = r.held
	case len(r.Held) < maxHeldPoints:
		r.Held = append(r.Held, HeldStreams{At: now, Count: r.held})
	}
}
