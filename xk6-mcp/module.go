// Package mcp is the k6 module k6/x/mcp: clients for servers that speak the Model Context Protocol over HTTP or stdio.
package mcp

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/metrics"
)

func init() { modules.Register("k6/x/mcp", New()) }

// registry is that of the test: a process has one.
var registry atomic.Pointer[metrics.Registry]

// Registry returns where the metrics of the test are, nil where its script does not import the module.
func Registry() *metrics.Registry { return registry.Load() }

// Server is one that a script asked who it is.
type Server struct {
	// Without a query, which may hold a key.
	URL string `json:"url"`
	// Empty where it does not speak MCP.
	ProtocolVersion string `json:"protocolVersion,omitempty"`
	Name            string `json:"name,omitempty"`
	Version         string `json:"version,omitempty"`
}

// connected has them by their URL.
var connected sync.Map

// Servers returns those that clients of the test connected to, in the order of their URLs.
func Servers() []Server {
	var all []Server
	connected.Range(func(_, one any) bool {
		all = append(all, one.(Server))
		return true
	})
	slices.SortFunc(all, func(a, b Server) int { return strings.Compare(a.URL, b.URL) })
	return all
}

type (
	// RootModule makes an instance for each VU.
	RootModule struct {
		// What was negotiated with a server, by its URL: a VU that starts later does not ask again.
		negotiated sync.Map
		// Sessions that all VUs share, by the server's URL.
		sharing sync.Mutex
		shared  map[string]sharedSession
		// Sources of OAuth tokens that VUs share.
		tokens    sync.Map
		cache     cacheBudget
		processes processes
	}

	// ModuleInstance is the module of one VU.
	ModuleInstance struct {
		vu      modules.VU
		root    *RootModule
		metrics *instanceMetrics
		cookies cookieLedger
		// The last iteration whose start was noted.
		noted int64
		// The interpreter's JSON functions, looked up once.
		parse, stringify sobek.Callable
	}
)

var (
	_ modules.Module   = &RootModule{}
	_ modules.Instance = &ModuleInstance{}
)

// New returns the module.
func New() *RootModule { return &RootModule{shared: make(map[string]sharedSession)} }

// NewModuleInstance implements modules.Module.
func (r *RootModule) NewModuleInstance(vu modules.VU) modules.Instance {
	registry.Store(vu.InitEnv().Registry)
	registered, err := registerMetrics(vu.InitEnv().Registry)
	if err != nil {
		common.Throw(vu.Runtime(), fmt.Errorf("k6/x/mcp: %w", err))
	}
	instance := &ModuleInstance{vu: vu, root: r, metrics: registered, noted: -1}
	json := vu.Runtime().GlobalObject().Get("JSON").ToObject(vu.Runtime())
	instance.parse, _ = sobek.AssertFunction(json.Get("parse"))
	instance.stringify, _ = sobek.AssertFunction(json.Get("stringify"))
	return instance
}

// Exports implements modules.Instance.
func (m *ModuleInstance) Exports() modules.Exports {
	named := map[string]any{"StreamableHTTPClient": m.newHTTPClient, "StdioClient": m.newStdioClient}
	return modules.Exports{Default: named, Named: named}
}

func (m *ModuleInstance) newHTTPClient(call sobek.ConstructorCall) *sobek.Object {
	options, err := parseClientOptions(m.vu.Runtime(), call.Argument(0))
	if err != nil {
		common.Throw(m.vu.Runtime(), fmt.Errorf("StreamableHTTPClient: %w", err))
	}
	m.defineClient(call.This, options, &httpTransport{options.url})
	return nil
}

func (m *ModuleInstance) newStdioClient(call sobek.ConstructorCall) *sobek.Object {
	options, err := parseStdioOptions(m.vu.Runtime(), call.Argument(0))
	if err != nil {
		common.Throw(m.vu.Runtime(), fmt.Errorf("StdioClient: %w", err))
	}
	m.defineClient(call.This, options, &stdioTransport{command: options.command})
	return nil
}

func (m *ModuleInstance) defineClient(object *sobek.Object, options *clientOptions, transport transport) {
	client := &Client{
		instance: m, options: options, transport: transport, measured: true, lastID: &atomic.Int64{}, usage: &usage{}, logged: &sync.Map{},
		invalid: &invalidMessages{},
	}
	if err := client.define(object); err != nil {
		common.Throw(m.vu.Runtime(), err)
	}
}
