module mcp-load-lab/bench-server

go 1.26.0
