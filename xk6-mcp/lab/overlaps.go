package lab

import (
	"cmp"
	"encoding/json"

	mcp "mcp-load-lab/xk6-mcp"
)

// overlaps counts the calls of a group by the operations that had a call in flight when they began.
type overlaps struct {
	// Indexed by the number of the operation.
	byOperation []met
	// Calls that began while no other call was in flight.
	alone met
}

// met counts the calls of a group that began while a call of one operation was in flight.
type met struct {
	Calls  int64 `json:"calls"`
	Failed int64 `json:"failed"`
	// When the first and the last of the calls began, as Unix time in milliseconds.
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
		for len(o.byOperation) <= number {
			o.byOperation = append(o.byOperation, met{})
		}
		o.byOperation[number].count(began, failed)
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

// IsZero reports whether there are no calls. encoding/json then omits the member.
func (o overlaps) IsZero() bool { return len(o.byOperation) == 0 && o.alone.Calls == 0 }

// MarshalJSON writes an object whose keys are the names of the operations.
func (o overlaps) MarshalJSON() ([]byte, error) {
	named := map[string]met{}
	names := mcp.OverlapNames()
	for number, calls := range o.byOperation {
		if calls.Calls > 0 {
			named[cmp.Or(names[number], "others")] = calls
		}
	}
	if o.alone.Calls > 0 {
		named[""] = o.alone
	}
	return json.Marshal(named)
}
