// Command exporter is a Prometheus exporter for one server. It exports what Linux knows about the processes that serve a port, or that k6 has
// started, without any support by the server. It reads /proc, the kernel's list of sockets, and cgroups.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/procfs"
)

// Scrapes come from the Prometheus on the same machine.
const readTimeout = 5 * time.Second

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("exporter", flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	listen := flags.String("listen", "127.0.0.1:0", "`address` of /metrics")
	target := flags.String("target", "", "`host:port` that the server listens on")
	pid := flags.Int("pid", 0, "the server's `process`, instead of the one that listens there")
	generator := flags.Int("generator", 0, "the `process` that starts k6: the server is what k6 starts, and speaks on its pipes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *target == "" && *pid <= 0 && *generator <= 0 {
		return errors.New("no process to watch: set -target, -pid or -generator")
	}
	watched := &server{pid: *pid, generator: *generator}
	if *target != "" {
		if err := watched.listensOn(*target); err != nil {
			return fmt.Errorf("-target is %q; expected a host name or address of this machine and a port, such as 127.0.0.1:8080", *target)
		}
	}
	address, err := net.ResolveTCPAddr("tcp", *listen)
	if err != nil || address.IP == nil || address.IP.IsUnspecified() {
		return fmt.Errorf("-listen is %q; expected an IP address of this machine and a port, such as 127.0.0.1:9100", *listen)
	}
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return err
	}
	watched.fs = fs
	registry := prometheus.NewRegistry()
	metrics := newCollector(fs, watched)
	registry.MustRegister(metrics)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	listener, err := net.ListenTCP("tcp", address)
	if err != nil {
		return err
	}
	go metrics.watch(context.Background())
	web := &http.Server{Handler: mux, ReadHeaderTimeout: readTimeout}
	return web.Serve(listener)
}
