package mcp

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"syscall"
	"testing"
)

// endsListener reports how clients close their connections.
type endsListener struct {
	net.Listener
	ends chan error
}

func (l *endsListener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	return &endsConn{accepted, l.ends}, err
}

type endsConn struct {
	net.Conn
	ends chan error
}

func (c *endsConn) Read(buffer []byte) (int, error) {
	count, err := c.Conn.Read(buffer)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		c.ends <- err
	}
	return count, err
}

// TestDisconnect checks that a client that leaves without notice closes or resets its connections, and that its session stays open.
func TestDisconnect(t *testing.T) {
	for options, expected := range map[string]error{"": io.EOF, ", resetConnections: true": syscall.ECONNRESET} {
		handler := legacy(func(w http.ResponseWriter, r received) {
			if r.method == http.MethodGet {
				w.Header().Set("Content-Type", "text/event-stream")
				w.(http.Flusher).Flush()
				<-r.gone
				return
			}
			succeed(w, r)
		})
		server := httptest.NewUnstartedServer(handler)
		ends := make(chan error, 10)
		server.Listener = &endsListener{server.Listener, ends}
		server.Start()
		f := newFixture(t, handler)
		f.init(`const client = new StreamableHTTPClient({ base_url: ` + quote(server.URL) + options + ` }); let session`)
		f.await(`(async () => {
			const held = client.listen({}, { abandonAfter: 300 });
			session = client.sessionId;
			await held;
		})()`)
		// The connection of the stream, and that of the ping.
		for _, code := range []string{``, `client.ping(); client.disconnect()`} {
			f.run(code)
			if err := <-ends; !errors.Is(err, expected) {
				t.Errorf("%q: a connection ended with %v; expected %v", options, err, expected)
			}
		}
		f.expect(`[session !== '', client.ping().ok, client.sessionId === session]`, `[true,true,true]`)
		if deleted := slices.ContainsFunc(handler.requests(), func(r received) bool { return r.method == http.MethodDelete }); deleted {
			t.Errorf("%q: the session was ended", options)
		}
		server.CloseClientConnections()
		server.Close()
	}
}
