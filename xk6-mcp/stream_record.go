package mcp

import (
	"sync"
	"time"
)

const (
	// Lost streams with an entry in Ends.
	maxLostStreams = 2000
	// Points of the number of held streams: one a second at most.
	maxHeldPoints = 10_000
)

// Streams says what became of the streams that clients asked for with listen. It includes the warm-up.
type Streams struct {
	// Streams that were asked for, those of them that the server opened, and those that were not held to their end.
	Asked  int64 `json:"asked"`
	Opened int64 `json:"opened"`
	Lost   int64 `json:"lost"`
	// Streams that ended and went on with the event after their last one.
	Resumed int64 `json:"resumed,omitempty"`
	// Messages of the server on them.
	Messages int64 `json:"messages"`
	// How many were held: a point for each second in which the number changed, with the number at its end.
	Held []HeldStreams `json:"held"`
	// The first of those that were lost.
	Ends []StreamEnd `json:"ends,omitempty"`
}

// HeldStreams is how many streams were held.
type HeldStreams struct {
	// Unix time in milliseconds.
	At    int64 `json:"at"`
	Count int64 `json:"count"`
}

// StreamEnd is a stream that was refused, or that the server or what is between ended. Times are in milliseconds.
type StreamEnd struct {
	// When the client asked for it, as a Unix time, and how many streams were held then.
	Asked int64 `json:"asked"`
	Held  int64 `json:"held"`
	// From then until it was open; absent: it never was.
	OpenedMS *float64 `json:"openedMs,omitempty"`
	// From then to its end, and from the last byte that came to its end.
	AgeMS    float64 `json:"ageMs"`
	SilentMS float64 `json:"silentMs"`
	Messages int64   `json:"messages"`
	// The failure, of names.json; empty: the server ended it with a reply. The HTTP status; 0: no answer.
	Kind   string `json:"kind,omitempty"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
}

// streamRecord collects it.
type streamRecord struct {
	sync.Mutex
	Streams
	held int64
}

var streams streamRecord

// HeldByClients returns what became of the streams that clients held; nil if they asked for none.
func HeldByClients() *Streams {
	streams.Lock()
	defer streams.Unlock()
	if streams.Asked == 0 {
		return nil
	}
	found := streams.Streams
	// Of the JSON it is an array where none was held, too.
	found.Held = append([]HeldStreams{}, found.Held...)
	return &found
}

// heldStream is one while it lasts.
type heldStream struct {
	asked    time.Time
	held     int64
	opened   time.Time
	messages int64
}

// ask begins one.
func (r *streamRecord) ask() *heldStream {
	r.Lock()
	defer r.Unlock()
	r.Asked++
	return &heldStream{asked: time.Now(), held: r.held}
}

// open notes that the server has opened it.
func (r *streamRecord) open(s *heldStream) {
	r.Lock()
	defer r.Unlock()
	s.opened = time.Now()
	r.Opened++
	r.change(1)
}

// hear notes a message on it.
func (r *streamRecord) hear(s *heldStream) {
	r.Lock()
	defer r.Unlock()
	s.messages++
	r.Messages++
}

// resume notes that one that had ended went on.
func (r *streamRecord) resume() {
	r.Lock()
	defer r.Unlock()
	r.Resumed++
}

// close ends one that the client let go.
func (r *streamRecord) close(s *heldStream) {
	r.Lock()
	defer r.Unlock()
	if !s.opened.IsZero() {
		r.change(-1)
	}
}

// lose ends one that the client would have held.
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

// change changes how many are held. The caller holds the lock.
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
