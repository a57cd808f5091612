package mcp

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// cacheServer answers reads with a cacheable result, whose further members a function writes.
func cacheServer(answer func(w http.ResponseWriter, id, members string)) *recorder {
	return modern(func(w http.ResponseWriter, r received) {
		answer(w, r.id(), `"ttlMs":60000,"contents":[{"uri":`+gjson.Get(r.body, "params.uri").Raw+`}]`)
	})
}

const cachedReads = `const client = new StreamableHTTPClient({ base_url: url, cache: true });
	const prepared = client.prepare('resources/read', {}, { member: 'uri' });
	const read = (uri) => prepared.send(JSON.stringify(uri));`

// A stream can be many times as large as its reply, and must not be cached with it.
func TestCacheKeepsNoStreams(t *testing.T) {
	const streamed = 8 << 20
	server := cacheServer(func(w http.ResponseWriter, id, members string) {
		stream(w, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"`+strings.Repeat("x", streamed)+`"}}`, reply(id, "{"+members+"}"))
	})
	f := newFixture(t, server)
	f.run(cachedReads)
	f.run(`read('warm')`)
	before := heap()
	f.expect(`[0, 1, 2, 3, 4, 5, 6, 7].map((n) => read('r' + n).events.length).join()`, `"2,2,2,2,2,2,2,2"`)
	if grown := heap() - before; grown > 2*streamed {
		t.Errorf("the heap has grown by %d MiB", grown>>20)
	}
	f.expect(`[read('r3').events.length, read('r3').result.contents[0].uri, read('r3').ok]`, `[0,"r3",true]`)
	if got := len(server.requests()); got != 10 {
		t.Errorf("got %d requests; expected 10", got)
	}
}

// All VUs of a process share one budget, and return what they no longer keep.
func TestCacheIsBoundedOverAllVUs(t *testing.T) {
	// Small as text, but large when it is parsed.
	answer := func(w http.ResponseWriter, id, members string) {
		writeJSON(w, reply(id, `{"x":[`+strings.Repeat("{},", 20_000)+`{}],`+members+`}`))
	}
	root := New()
	var all []*fixture
	for range 3 {
		f := newFixture(t, cacheServer(answer))
		f.enter(root)
		f.init(strings.ReplaceAll(cachedReads, "new Str", "new mcp.Str"))
		for n := range 5 {
			f.run(fmt.Sprintf(`read('r%d').result`, n))
		}
		all = append(all, f)
	}
	if used := root.cache.used.Load(); used > maxCacheBytes || used < maxCacheBytes/2 {
		t.Errorf("got %d MiB; expected less than %d", used>>20, maxCacheBytes>>20)
	}
	var log []string
	for _, f := range all {
		for _, entry := range f.log.AllEntries() {
			log = append(log, entry.Message)
		}
	}
	if len(log) != 1 || !strings.HasPrefix(log[0], "cache: the kept answers have reached 64 MiB") {
		t.Errorf("got %q in the log", log)
	}
}

func TestCacheBudget(t *testing.T) {
	budget := &cacheBudget{}
	made := newAnswerCache(budget)
	text := `{"result":"` + strings.Repeat("x", 10_000) + `"}`
	answer := func() *Answer { return &Answer{exchange: &exchange{text: text}} }
	for i := range 3 * maxCached {
		made.keep(fmt.Sprint(i), answer(), time.Minute)
		made.keep("same", answer(), time.Minute)
	}
	if used, held := budget.used.Load(), *made.held; used != held || len(made.kept) > maxCached || used > int64(len(made.kept))*40_000 {
		t.Errorf("%d answers take %d bytes; counted are %d", len(made.kept), held, used)
	}
	for i := range 10 {
		made.keep(fmt.Sprint("short ", i), answer(), time.Nanosecond)
	}
	time.Sleep(time.Millisecond)
	made.keep("long", answer(), time.Minute)
	if _, ok := made.kept["short 3"]; ok {
		t.Error("a stale answer is kept")
	}
	made = nil
	for deadline := time.Now().Add(5 * time.Second); budget.used.Load() > 0; time.Sleep(10 * time.Millisecond) {
		if runtime.GC(); time.Now().After(deadline) {
			t.Fatalf("a cache that was dropped still takes %d bytes", budget.used.Load())
		}
	}
}

func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
