// Checks a Dockerfile with the parser, the linter and the .dockerignore matcher of BuildKit, which builds it, and prints as JSON
// what they warn of and what the stages are made of. No image is fetched: of a base image it is assumed that it is one
// of Linux.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
	"github.com/opencontainers/go-digest"
)

type command struct {
	Line    int      `json:"line"`
	Name    string   `json:"name"`
	Text    string   `json:"text"`
	Sources []string `json:"sources,omitempty"`
	From    string   `json:"from,omitempty"`
}

type stage struct {
	Name     string    `json:"name"`
	Base     string    `json:"base"`
	Commands []command `json:"commands"`
}

type warning struct {
	Rule   string `json:"rule"`
	Detail string `json:"detail"`
}

type result struct {
	Warnings []warning `json:"warnings"`
	Stages   []stage   `json:"stages"`
	// Of the paths given on standard input, one a line: those that a build gets.
	Sent []string `json:"sent"`
}

// assumed answers for a registry.
type assumed struct{}

func (assumed) ResolveImageConfig(_ context.Context, ref string, _ sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	return ref, "", []byte(`{"architecture":"amd64","os":"linux","config":{}}`), nil
}

var _ llb.ImageMetaResolver = assumed{}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: dockerfile-lint <Dockerfile> <.dockerignore>   (paths of the build's folder on standard input)")
		os.Exit(2)
	}
	text := read(os.Args[1])
	source := llb.NewSourceMap(nil, os.Args[1], "Dockerfile", text)
	source.Definition = &llb.Definition{}
	found, err := dockerfile2llb.DockerfileLint(context.Background(), text, dockerfile2llb.ConvertOpt{
		MetaResolver: assumed{},
		SourceMap:    source,
	})
	check(err)
	if found.Error != nil {
		check(fmt.Errorf("%s: %s", os.Args[1], found.Error.Message))
	}
	out := result{Warnings: []warning{}, Sent: []string{}}
	for _, each := range found.Warnings {
		out.Warnings = append(out.Warnings, warning{each.RuleName, each.Detail})
	}
	out.Stages = stages(text)

	patterns, err := ignorefile.ReadAll(bytes.NewReader(read(os.Args[2])))
	check(err)
	matcher, err := patternmatcher.New(patterns)
	check(err)
	paths, err := io.ReadAll(os.Stdin)
	check(err)
	for _, path := range strings.Fields(string(paths)) {
		ignored, err := matcher.MatchesOrParentMatches(path)
		check(err)
		if !ignored {
			out.Sent = append(out.Sent, path)
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	check(encoder.Encode(out))
}

func stages(text []byte) []stage {
	parsed, err := parser.Parse(bytes.NewReader(text))
	check(err)
	all, _, err := instructions.Parse(parsed.AST, nil)
	check(err)
	var out []stage
	for _, each := range all {
		one := stage{Name: each.Name, Base: each.BaseName, Commands: []command{}}
		for _, given := range each.Commands {
			next := command{Line: given.Location()[0].Start.Line, Name: given.Name(), Text: fmt.Sprint(given)}
			if copied, ok := given.(*instructions.CopyCommand); ok {
				next.Sources, next.From = copied.SourcePaths, copied.From
			}
			one.Commands = append(one.Commands, next)
		}
		out = append(out, one)
	}
	return out
}

func read(path string) []byte {
	text, err := os.ReadFile(path)
	check(err)
	return text
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
