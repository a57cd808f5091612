// Loads a compose file with the parser Docker Compose itself uses, with every
// profile on, and prints the services as JSON. A file that Compose would refuse
// ends it with the parser's own message and exit code 1.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: compose-go <docker-compose.yml>   (variables come from the environment)")
		os.Exit(2)
	}
	options, err := cli.NewProjectOptions(
		[]string{os.Args[1]},
		cli.WithOsEnv,
		cli.WithProfiles([]string{"*"}),
		// Whether a secrets file exists is the machine's affair, not the file's.
		cli.WithoutEnvironmentResolution,
	)
	if err != nil {
		fail(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		fail(err)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(project); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
