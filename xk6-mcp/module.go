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

// registry is the registry of the test. A process runs one test.
var registry atomic.Pointer[metrics.Registry]

// Registry returns the metrics registry of the test, or nil if its script does not import the module.
func Registry() *metrics.Registry { return registry.Load() }

// Server is a server that a script connected to.
type Server struct {
	// The URL without its query, which may hold a key.
	URL string `json:"url"`
	// Empty if the server does not speak MCP.
	ProtocolVersion string `json:"protocolVersion,omitempty"`
	Name            string `json:"name,omitempty"`
	Version         string `json:"version,omitempty"`
}

// connected holds the servers by URL.
var connected sync.Map

// Servers returns the servers that clients of the test connected to, sorted by URL.
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
	// RootModule creates an instance of the module for each VU.
	RootModule struct {
		// What was negotiated with each server, so that VUs that start later need not negotiate. The keys are those of Client.negotiatedKey.
		negotiated sync.Map
		// Sessions that all VUs share. The keys are those of Client.sharedKey.
		sharing sync.Mutex
		shared  map[string]sharedSession
		// OAuth tokens that VUs share.
		tokens    sync.Map
		cache     cacheBudget
		processes processes
	}

	// ModuleInstance is the instance of the module in one VU.
	ModuleInstance struct {
		vu      modules.VU
		root    *RootModule
		metrics *instanceMetrics
		cookies cookieLedger
		// The last iteration whose start was recorded; -1 if there is none.
		noted int64
		// JSON.parse and JSON.stringify of the VU's runtime.
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
