// An MCP server on the official Go SDK, as a test subject: tools with schemas of many shapes, a resource, a template,
// a prompt, completion; one tool that writes and one that destroys.
//
//	go-server -port 8080 [-stateless] [-json]
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type searchInput struct {
	Text  string   `json:"text" jsonschema:"what to look for"`
	Limit int      `json:"limit,omitempty"`
	Sort  string   `json:"sort,omitempty"`
	Tags  []string `json:"tags,omitempty"`
}

type point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

type pathInput struct {
	From  point   `json:"from"`
	Via   []point `json:"via,omitempty"`
	To    *point  `json:"to"`
	Round bool    `json:"round"`
}

type planInput struct {
	At     time.Time      `json:"at"`
	Shares map[string]int `json:"shares"`
}

type noteInput struct {
	Text string `json:"text"`
}

type counted struct {
	Count int `json:"count"`
}

// schemaOf is the schema that the SDK would infer, for a tool to narrow.
func schemaOf[T any](narrow func(properties map[string]*jsonschema.Schema)) *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		log.Fatal(err)
	}
	narrow(schema.Properties)
	return schema
}

func main() {
	port := flag.Int("port", 0, "port of 127.0.0.1")
	stateless := flag.Bool("stateless", false, "keep no sessions")
	plain := flag.Bool("json", false, "answer as JSON, not as SSE")
	flag.Parse()

	var notes atomic.Int64
	server := mcp.NewServer(&mcp.Implementation{Name: "go-test-subject", Version: "1.0.0"}, &mcp.ServerOptions{
		CompletionHandler: func(_ context.Context, request *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			value := request.Params.Argument.Value
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{value + "1", value + "2"}}}, nil
		},
	})

	read := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(server, &mcp.Tool{Name: "status", Description: "No arguments at all.", Annotations: read},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ready"}}}, nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{
		Name: "search", Description: "Bounds, an enum, a default, a list.", Annotations: read,
		InputSchema: schemaOf[searchInput](func(properties map[string]*jsonschema.Schema) {
			properties["text"].MinLength = jsonschema.Ptr(2)
			properties["text"].MaxLength = jsonschema.Ptr(40)
			properties["limit"].Minimum = jsonschema.Ptr(1.0)
			properties["limit"].Maximum = jsonschema.Ptr(50.0)
			properties["limit"].Default = []byte("10")
			properties["sort"].Enum = []any{"relevance", "newest"}
			properties["tags"].MaxItems = jsonschema.Ptr(3)
		}),
	}, func(_ context.Context, _ *mcp.CallToolRequest, input searchInput) (*mcp.CallToolResult, counted, error) {
		return nil, counted{Count: min(input.Limit, 5)}, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "path", Description: "Structs in structs, a pointer.", Annotations: read},
		func(_ context.Context, _ *mcp.CallToolRequest, input pathInput) (*mcp.CallToolResult, counted, error) {
			return nil, counted{Count: len(input.Via) + 2}, nil
		})
	mcp.AddTool(server, &mcp.Tool{
		Name: "plan", Description: "A date-time, a map.", Annotations: read,
		InputSchema: schemaOf[planInput](func(properties map[string]*jsonschema.Schema) {
			properties["at"].Format = "date-time"
		}),
	},
		func(_ context.Context, _ *mcp.CallToolRequest, input planInput) (*mcp.CallToolResult, counted, error) {
			return nil, counted{Count: len(input.Shares)}, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "slow_count", Description: "Progress notifications before the reply.", Annotations: read},
		func(ctx context.Context, request *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, counted, error) {
			if token := request.Params.GetProgressToken(); token != nil {
				for step := range 3 {
					params := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(step), Total: 3}
					if err := request.Session.NotifyProgress(ctx, params); err != nil {
						return nil, counted{}, err
					}
				}
			}
			return nil, counted{Count: 3}, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "add_note", Description: "Not said to be read-only."},
		func(_ context.Context, _ *mcp.CallToolRequest, _ noteInput) (*mcp.CallToolResult, counted, error) {
			return nil, counted{Count: int(notes.Add(1))}, nil
		})
	mcp.AddTool(server, &mcp.Tool{
		Name: "delete_notes", Description: "Destructive.",
		Annotations: &mcp.ToolAnnotations{DestructiveHint: jsonschema.Ptr(true)},
	}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, counted, error) {
		return nil, counted{Count: int(notes.Swap(0))}, nil
	})

	readText := func(text string) mcp.ResourceHandler {
		return func(_ context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			uri := request.Params.URI
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "text/plain", Text: text + uri}}}, nil
		}
	}
	server.AddResource(&mcp.Resource{Name: "about", URI: "notes://about", MIMEType: "text/plain"}, readText("about "))
	server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "user", URITemplate: "users://{name}/greeting"}, readText("hello "))
	server.AddPrompt(&mcp.Prompt{Name: "review", Arguments: []*mcp.PromptArgument{{Name: "topic", Required: true}, {Name: "tone"}}},
		func(_ context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			topic := strings.TrimSpace(request.Params.Arguments["topic"])
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
				{Role: "user", Content: &mcp.TextContent{Text: "Review " + topic}},
			}}, nil
		})

	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: *stateless, JSONResponse: *plain})
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	log.Fatal(http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", *port), mux))
}
