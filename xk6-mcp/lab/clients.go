package lab

import mcp "mcp-load-lab/xk6-mcp"

// maxClients bounds what VUs can make; the calls of later ones are not counted by client.
const maxClients = 100_000

// clients are the calls of VUs, each of which is a client with its own connection, session and credentials.
type clients map[uint64]*callsOfClient

type callsOfClient struct{ calls, failed int64 }

func (c clients) count(request *mcp.Request) {
	of := c[request.VU]
	if of == nil {
		if len(c) >= maxClients {
			return
		}
		of = &callsOfClient{}
		c[request.VU] = of
	}
	of.calls++
	if request.Outcome != mcp.Names.Outcomes.OK {
		of.failed++
	}
}

// clientTotals are clients by how many of their calls failed.
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
	for _, of := range c {
		total := &totals.Some
		switch of.failed {
		case 0:
			total = &totals.None
		case of.calls:
			total = &totals.All
		}
		total.Clients++
		total.Calls += of.calls
		total.Failed += of.failed
	}
	return totals
}
