package mcp

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"
)

// cacheable are the methods whose results a client may cache (2026-07-28, ttlMs).
var cacheable = []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}

const (
	// maxCached is the maximum number of answers in the cache of a prepared call.
	maxCached = 100
	// maxCacheBytes is the maximum size of the cached answers of all VUs of a process.
	maxCacheBytes = 64 << 20
	// Estimated interpreter memory, in bytes, per object or array and per member, after a script has parsed the result.
	bytesPerObject, bytesPerMember = 512, 64
	// cachedOverhead is the estimated memory of an answer without its text, in bytes.
	cachedOverhead = 1024
)

// cacheBudget is shared by all VUs of a process.
type cacheBudget struct {
	used   atomic.Int64
	isFull sync.Once
}

// reserve takes bytes from the budget, and reports whether they were available.
func (b *cacheBudget) reserve(size int64) bool {
	if b.used.Add(size) <= maxCacheBytes {
		return true
	}
	b.used.Add(-size)
	return false
}

// cached is an answer that a prepared call keeps for as long as the server allows.
type cached struct {
	answer     *Answer
	size       int64
	freshUntil time.Time
}

// answerCache holds the cached answers of a prepared call by their argument.
type answerCache struct {
	budget *cacheBudget
	kept   map[string]cached
	// Bytes of the budget that the answers use. It is allocated separately, because the cleanup needs it after the script has dropped the cache.
	held *int64
}

func newAnswerCache(budget *cacheBudget) *answerCache {
	made := &answerCache{budget: budget, kept: make(map[string]cached), held: new(int64)}
	runtime.AddCleanup(made, func(held *int64) { budget.used.Add(-*held) }, made.held)
	return made
}

// fresh returns the cached answer to an argument, or nil if there is none or it is stale.
func (a *answerCache) fresh(argument string) *Answer {
	if a == nil {
		return nil
	}
	if found, ok := a.kept[argument]; ok && time.Now().Before(found.freshUntil) {
		return found.answer
	}
	return nil
}

// keep caches an answer, and reports whether the budget allows it.
func (a *answerCache) keep(argument string, answer *Answer, ttl time.Duration) bool {
	now := time.Now()
	a.drop(func(key string, one cached) bool { return key == argument || !now.Before(one.freshUntil) })
	if len(a.kept) >= maxCached {
		a.drop(func(string, cached) bool { return true })
	}
	text := answer.text()
	size := int64(len(argument)+cachedOverhead) + sizeInMemory(text)
	if !a.budget.reserve(size) {
		return false
	}
	*a.held += size
	x := answer.exchange
	// Headers and events are not kept: the events can be many times as large as the reply, and a cached answer did not arrive on a stream.
	a.kept[argument] = cached{&Answer{client: answer.client, parsed: answer.parsed, exchange: &exchange{
		status: x.status, text: x.text, reply: x.reply, known: x.known, id: x.id,
		began: x.began, callBegan: x.callBegan, written: x.written, firstByte: x.firstByte, last: x.last, complete: x.complete,
	}}, size, now.Add(ttl)}
	return true
}

func (a *answerCache) drop(isDropped func(argument string, one cached) bool) {
	for argument, one := range a.kept {
		if isDropped(argument, one) {
			delete(a.kept, argument)
			*a.held -= one.size
			a.budget.used.Add(-one.size)
		}
	}
}

// sizeInMemory returns an upper limit of the memory of a text and of the values that a script reads from it.
func sizeInMemory(text string) int64 {
	objects := strings.Count(text, "{") + strings.Count(text, "[")
	return int64(3*len(text) + bytesPerObject*objects + bytesPerMember*strings.Count(text, ","))
}

// throughCache returns the cached answer if it is fresh, and otherwise makes the call.
func (k *call) throughCache(argument string, given sobek.Value) (*Answer, error) {
	c := k.client
	if !c.options.cache || !c.isModern() || !slices.Contains(cacheable, k.method) {
		return k.ask(argument, given)
	}
	if found := k.cache.fresh(argument); found != nil {
		c.measure(k, c.instance.metrics.CacheHits, 1)
		return found, nil
	}
	answer, err := k.ask(argument, given)
	// A result that depended on further input is not valid for other input.
	if err != nil || answer.exchange.failure != nil || answer.exchange.hadInput || len(answer.exchange.text) > maxRemembered {
		return answer, err
	}
	if ttl := time.Duration(member(answer.exchange.reply.result, "ttlMs").Float() * float64(time.Millisecond)); ttl > 0 {
		if k.cache == nil {
			k.cache = newAnswerCache(&c.instance.root.cache)
		}
		if !k.cache.keep(argument, answer, ttl) {
			c.instance.root.cache.isFull.Do(func() {
				c.instance.vu.State().Logger.Warnf("cache: the kept answers have reached %d MiB; further ones are asked for each time", maxCacheBytes>>20)
			})
		}
	}
	return answer, nil
}
