package mcp

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.k6.io/k6/v2/lib/netext"
	"go.k6.io/k6/v2/lib/types"
	"go.k6.io/k6/v2/metrics"
)

// The options hosts and blockHostnames, HTTP/2 and k6's byte count are implemented by k6's transport and dialer, which the module uses.
func TestNetworkOfK6(t *testing.T) {
	protocol := ""
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocol = r.Proto
		modern(succeed).ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	f := newFixture(t, modern(succeed))

	dialer := netext.NewDialer(net.Dialer{}, netext.NewResolver(nil, 0, types.DNSfirst, types.DNSonlyIPv4))
	address := server.Listener.Addr().(*net.TCPAddr)
	var err error
	if dialer.Hosts, err = types.NewHosts(map[string]types.Host{"example.com": {IP: address.IP, Port: address.Port}}); err != nil {
		t.Fatal(err)
	}
	if dialer.BlockedHostnames, err = types.NewHostnameTrie([]string{"*.example.org"}); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSClientConfig: server.Client().Transport.(*http.Transport).TLSClientConfig,
	}
	t.Cleanup(transport.CloseIdleConnections)
	f.state.Transport, f.state.Dialer = transport, dialer
	f.expect(`const client = new StreamableHTTPClient({ base_url: 'https://example.com/mcp', observe: true });
		const blocked = new StreamableHTTPClient({ base_url: 'https://a.example.org/mcp', protocolVersion: '2026-07-28' });
		const { failure } = blocked.ping();
		[client.ping().ok, failure.kind, failure.detail.includes('blocked')]`, `[true,"connect",true]`)
	if protocol != "HTTP/2.0" {
		t.Errorf("got %s; expected HTTP/2.0", protocol)
	}
	if got := strings.Join(f.taken(), "\n"); !strings.Contains(got, "mcp_requests{method=ping,operation=ping} 1") {
		t.Errorf("got %s", got)
	}
	builtin := metrics.RegisterBuiltinMetrics(metrics.NewRegistry())
	tags := f.state.Tags.GetCurrentValues()
	for _, sample := range dialer.IOSamples(time.Now(), tags, builtin).GetSamples() {
		if sample.Value < 500 {
			t.Errorf("got %s %v; expected the bytes of two requests over TLS", sample.Metric.Name, sample.Value)
		}
	}
}
