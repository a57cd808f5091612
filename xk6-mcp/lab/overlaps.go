package lab

import (
	"cmp"
	"encoding/json"

	mcp "mcp-load-lab/xk6-mcp"
)

// overlaps are the calls of a group by the operations that had a call in flight when they began.
type overlaps struct {
	// By the operation's number.
	with []met
	// No call was.
	alone met
}

// met are the calls of a group that met those of an operation.
type met struct {
	Calls  int64 `json:"calls"`
	Failed int64 `json:"failed"`
	// When the first and the last of them began, Unix times in milliseconds.
	At [2]int64 `json:"at"`
}

func (o *overlaps) count(request *mcp.Request) {
	if !request.IsSent {
		return
	}
	began := request.Began.UnixMilli()
	failed := request.Outcome != mcp.Names.Outcomes.OK
	if request.Overlap == 0 {
		o.alone.count(began, failed)
	}
	for number := range request.Overlap.Numbers() {
		for len(o.with) <= number {
			o.with = append(o.with, met{})
		}
		o.with[number].count(began, failed)
	}
}

func (m *met) count(began int64, failed bool) {
	if m.Calls == 0 {
		m.At = [2]int64{began, began}
	}
	m.At = [2]int64{min(m.At[0], began), max(m.At[1], began)}
	m.Calls++
	if failed {
		m.Failed++
	}
}

// IsZero reports whether encoding/json leaves the member out.
func (o overlaps) IsZero() bool { return len(o.with) == 0 && o.alone.Calls == 0 }

// MarshalJSON writes them by the operations' names.
func (o overlaps) MarshalJSON() ([]byte, error) {
	named := map[string]met{}
	names := mcp.OverlapNames()
	for number, of := range o.with {
		if of.Calls > 0 {
			named[cmp.Or(names[number], "others")] = of
		}
	}
	if o.alone.Calls > 0 {
		named[""] = o.alone
	}
	return json.Marshal(named)
}
