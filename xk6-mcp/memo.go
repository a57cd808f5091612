package mcp

import "strconv"

// maxRemembered is the maximum size of an answer that a prepared call remembers, in bytes.
const maxRemembered = 256 << 10

// memo is the last successful answer of a call. Most servers give the same answer to the same call, except for its ID. An answer with the same
// bytes before and after the ID is therefore not parsed again.
type memo struct {
	before, after string
	reply         message
}

// recall completes an exchange if its answer equals the memo, and reports whether it does.
func (m *memo) recall(x *exchange, answer []byte, id int64) bool {
	if !m.knows(answer, id) {
		return false
	}
	// The text is only assembled if it is read.
	x.known, x.id, x.reply, x.complete = *m, id, m.reply, true
	return true
}

// knows reports whether an answer equals the memo, except for its ID.
func (m *memo) knows(answer []byte, id int64) bool {
	if m == nil || m.before == "" || len(answer) <= len(m.before)+len(m.after) {
		return false
	}
	end := len(answer) - len(m.after)
	var digits [20]byte
	return string(answer[len(m.before):end]) == string(strconv.AppendInt(digits[:0], id, 10)) &&
		string(answer[:len(m.before)]) == m.before && string(answer[end:]) == m.after
}

func (m *memo) text(id int64) string { return m.before + strconv.FormatInt(id, 10) + m.after }

// remember stores a successful answer.
func (m *memo) remember(text string, reply message) {
	if m == nil {
		return
	}
	m.before = ""
	start := reply.id.Index
	end := start + len(reply.id.Raw)
	if start > 0 && end <= len(text) && text[start:end] == reply.id.Raw && len(text) <= maxRemembered {
		m.before, m.after, m.reply = text[:start], text[end:], reply
	}
}
