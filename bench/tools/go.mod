module mcp-load-lab/bench/tools

go 1.26.0

tool (
	mcp-load-lab/bench/tools/rusage
	mcp-load-lab/bench/tools/bench-server
)
