package lab

import mcp "mcp-load-lab/xk6-mcp"

// maxClients bounds the clients that are counted. The calls of further VUs are not counted by client.
const maxClients = 100_000

// clients counts calls by VU. Each VU is a client with its own connection, session and credentials.
type clients map[uint64]*callsOfClient

type callsOfClient struct{ calls, failed int64 }

func (c clients) count(request *mcp.Request) {
	client := c[request.VU]
	if client == nil {
		if len(c) >= maxClients {
			return
		}
		client = &callsOfClient{}
		c[request.VU] = client
	}
	client.calls++
	if request.Outcome != mcp.Names.Outcomes.OK {
		client.failed++
	}
}

// clientTotals groups clients by how many of their calls failed.
type clientTotals struct {
	None clientTotal `json:"none"`
	Some clientTotal `json:"some"`
	All  clientTotal `json:"all"`
}

type clientTotal struct {
	Clients int64 `json:"clients"`
	Calls   int64 `json:"calls"`
	Failed  int64 `json:"failed"`
}

func (c clients) totals() *clientTotals {
	if len(c) == 0 {
		return nil
	}
	totals := &clientTotals{}
	for _, client := range c {
		total := &totals.Some
		switch client.failed {
		case 0:
			total = &totals.None
		case client.calls:
			total = &totals.All
		}
		total.Clients++
		total.Calls += client.calls
		total.Failed += client.failed
	}
	return totals
}
