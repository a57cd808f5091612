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

// cacheable are the methods whose results a client may keep (2026-07-28, ttlMs).
var cacheable = []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}

const (
	// Answers that a prepared call keeps.
	maxCached = 100
	// Bytes of all answers that the VUs of a process keep.
	maxCacheBytes = 64 << 20
	// What the interpreter takes for an object or an array, and for a member of one, once a script has read the result.
	bytesPerObject, bytesPerMember = 512, 64
	// Of an answer, without its text.
	cachedOverhead = 1024
)

// cacheBudget is shared by all VUs of a process.
type cacheBudget struct {
	used   atomic.Int64
	isFull sync.Once
}

// reserve takes bytes of the budget, and tells whether there were as many.
func (b *cacheBudget) reserve(size int64) bool {
	if b.used.Add(size) <= maxCacheBytes {
		return true
	}
	b.used.Add(-size)
	return false
}

// cached is an answer that a prepared call keeps for as long as the server says.
type cached struct {
	answer     *Answer
	size       int64
	freshUntil time.Time
}

// answerCache has the answers of a prepared call, by its argument.
type answerCache struct {
	budget *cacheBudget
	kept   map[string]cached
	// What the kept answers take of the budget. On its own: it outlives a cache that its script has dropped.
	held *int64
}

func newAnswerCache(budget *cacheBudget) *answerCache {
	made := &answerCache{budget: budget, kept: make(map[string]cached), held: new(int64)}
	runtime.AddCleanup(made, func(held *int64) { budget.used.Add(-*held) }, made.held)
	return made
}

// fresh returns the answer to an argument; nil: there is none, or it is stale.
func (a *answerCache) fresh(argument string) *Answer {
	if a == nil {
		return nil
	}
	if found, ok := a.kept[argument]; ok && time.Now().Before(found.freshUntil) {
		return found.answer
	}
	return nil
}

// keep keeps an answer, and tells whether the budget allows it.
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
	// Not the headers and the events: a stream may have many times the size of its reply, and an answer from the cache came on none.
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

// sizeInMemory is what a text takes with the values that a script reads in it, at most.
func sizeInMemory(text string) int64 {
	objects := strings.Count(text, "{") + strings.Count(text, "[")
	return int64(3*len(text) + bytesPerObject*objects + bytesPerMember*strings.Count(text, ","))
}

// throughCache makes a call, where it has not kept the answer.
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
	// A result that took rounds of input belongs to that input.
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
