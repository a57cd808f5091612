// Command k6 is k6 with the module k6/x/mcp and the output lab built in.
package main

import (
	"go.k6.io/k6/v2/cmd"

	_ "mcp-load-lab/xk6-mcp"
	_ "mcp-load-lab/xk6-mcp/lab"
)

func main() { cmd.Execute() }
