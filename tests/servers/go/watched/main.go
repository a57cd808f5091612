// A process to be watched: a pgxpool in a known state, exported at /metrics.
//
//	watched -listen 127.0.0.1:8080 -database postgres://...
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"time"

	"github.com/IBM/pgxpoolprometheus"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

func main() {
	listen := flag.String("listen", "", "host:port")
	database := flag.String("database", "", "URL of a PostgreSQL database")
	flag.Parse()

	ctx := context.Background()
	config, err := pgxpool.ParseConfig(*database)
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = 4
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		log.Fatal(err)
	}
	// 3 of 4 are out for good, for the fourth there are always 3 that wait while one has it for 50 ms.
	var held []*pgxpool.Conn
	for range 3 {
		connection, err := pool.Acquire(ctx)
		if err != nil {
			log.Fatal(err)
		}
		held = append(held, connection)
	}
	for range 4 {
		go func() {
			for {
				connection, err := pool.Acquire(ctx)
				if err != nil {
					log.Fatal(err)
				}
				time.Sleep(50 * time.Millisecond)
				connection.Release()
			}
		}()
	}
	prometheus.MustRegister(pgxpoolprometheus.NewCollector(pool, map[string]string{"db_name": "watched"}))
	http.Handle("/metrics", promhttp.Handler())
	log.Fatal(http.ListenAndServe(*listen, nil), held)
}
