package mcp

import (
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"time"

	"go.k6.io/k6/v2/lib/netext"
)

// disconnect closes the VU's idle connections without telling the server, so that the session stays open. Over stdio it ends the process, unless
// other clients share it.
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

// watchConnection returns a trace of the request's connection, or nil if none is needed.
func (c *Client) watchConnection(r request, x *exchange) *httptrace.ClientTrace {
	if !r.holds() && !c.options.resetConnections {
		return nil
	}
	trace := &httptrace.ClientTrace{}
	if r.holds() {
		// net/http repeats a GET on a new connection if the server has closed the kept one, so the last time counts.
		trace.WroteRequest = func(httptrace.WroteRequestInfo) { x.sentAt.Store(time.Now().UnixNano()) }
	}
	if c.options.resetConnections {
		trace.GotConn = func(got httptrace.GotConnInfo) {
			if connection := tcpConnection(got.Conn); connection != nil {
				// With a linger of 0, closing the connection resets it.
				_ = connection.SetLinger(0)
			}
		}
	}
	return trace
}

// tcpConnection unwraps the TCP connection from TLS and from k6's byte counter.
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
