package mcp

import (
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"time"

	"go.k6.io/k6/v2/lib/netext"
)

// disconnect closes the VU's idle connections, and says nothing to the server: the session stays as it is. Over stdio it ends the server, which has
// one client alone.
func (c *Client) disconnect() {
	if c.process != nil {
		c.transport.leave(c)
		return
	}
	if state := c.instance.vu.State(); state != nil {
		if idle, ok := state.Transport.(interface{ CloseIdleConnections() }); ok {
			idle.CloseIdleConnections()
		}
	}
}

// watchConnection follows a request's connection, where that is of interest.
func (c *Client) watchConnection(r request, x *exchange) *httptrace.ClientTrace {
	if !r.holds() && !c.options.resetConnections {
		return nil
	}
	trace := &httptrace.ClientTrace{}
	if r.holds() {
		// The standard library repeats a GET on another connection if the server closed the one that it had kept.
		trace.WroteRequest = func(httptrace.WroteRequestInfo) { x.sentAt.Store(time.Now().UnixNano()) }
	}
	if c.options.resetConnections {
		trace.GotConn = func(got httptrace.GotConnInfo) {
			if connection := tcpConnection(got.Conn); connection != nil {
				// What is closed without time for its last bytes is reset.
				_ = connection.SetLinger(0)
			}
		}
	}
	return trace
}

// tcpConnection returns what TLS and k6's counting of bytes are wrapped around.
func tcpConnection(connection net.Conn) *net.TCPConn {
	switch one := connection.(type) {
	case *net.TCPConn:
		return one
	case *tls.Conn:
		return tcpConnection(one.NetConn())
	case *netext.Conn:
		return tcpConnection(one.Conn)
	}
	return nil
}
