package mcp

import (
	"slices"
	"time"

	"github.com/grafana/sobek"
)

// cacheable are the methods whose results a client may keep (2026-07-28, ttlMs).
var cacheable = []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}

// maxCached bounds the answers that a prepared call keeps.
const maxCached = 100

// cached is an answer that a prepared call keeps for as long as the server says, by its argument.
type cached struct {
	answer     *Answer
	freshUntil time.Time
}

// throughCache makes a call, where it has not kept the answer.
func (k *call) throughCache(argument string, given sobek.Value) (*Answer, error) {
	c := k.client
	if !c.options.cache || !c.isModern() || !slices.Contains(cacheable, k.method) {
		return k.ask(argument, given)
	}
	if found, ok := k.cache[argument]; ok && time.Now().Before(found.freshUntil) {
		c.measure(k, c.instance.metrics.CacheHits, 1)
		return found.answer, nil
	}
	answer, err := k.ask(argument, given)
	// A result that took rounds of input belongs to that input.
	if err != nil || answer.exchange.failure != nil || answer.exchange.hadInput || len(answer.exchange.text) > maxRemembered {
		return answer, err
	}
	if ttl := time.Duration(member(answer.exchange.reply.result, "ttlMs").Float() * float64(time.Millisecond)); ttl > 0 {
		if k.cache == nil || len(k.cache) >= maxCached {
			k.cache = make(map[string]cached)
		}
		k.cache[argument] = cached{answer, time.Now().Add(ttl)}
	}
	return answer, nil
}
