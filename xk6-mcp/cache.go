package mcp

import (
	"slices"
	"time"

	"github.com/grafana/sobek"
)

// cacheable are the methods whose results a client may keep (2026-07-28, ttlMs).
var cacheable = []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}

const maxCached = 1000

// cached is an answer that a client keeps for as long as the server says.
type cached struct {
	answer     *Answer
	freshUntil time.Time
}

// throughCache makes a call, where the client has not kept its answer.
func (k *call) throughCache(argument string, given sobek.Value) (*Answer, error) {
	c := k.client
	if !c.options.cache || !c.isModern() || !slices.Contains(cacheable, k.method) {
		return k.ask(argument, given)
	}
	key := k.method + " " + k.members + " " + argument
	if found, ok := c.cache[key]; ok && time.Now().Before(found.freshUntil) {
		c.push(k, func(b *batch) { b.add(c.instance.metrics.CacheHits, 1) })
		return found.answer, nil
	}
	answer, err := k.ask(argument, given)
	if err != nil || answer.failure != nil {
		return answer, err
	}
	if ttl := time.Duration(member(answer.exchange.reply.result, "ttlMs").Float() * float64(time.Millisecond)); ttl > 0 {
		if c.cache == nil || len(c.cache) >= maxCached {
			c.cache = make(map[string]cached)
		}
		c.cache[key] = cached{answer, time.Now().Add(ttl)}
	}
	return answer, nil
}
