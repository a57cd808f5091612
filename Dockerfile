# The images that are the project's own: `make up` builds them (scripts/docker.sh).
ARG TARGET_IMAGE=lab

FROM node:24.19.0-bookworm-slim AS node
ENV NODE_ENV=production

# The reference target, and its upstream.
FROM node AS target
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/var/cache/npm npm ci --cache /var/cache/npm --omit=dev --no-audit --no-fund
COPY target target
# A clone under umask 077 has files that nobody else can read.
RUN find . ! -type l ! -perm -o=r -exec chmod a+rX {} +
USER node
CMD ["node", "target/server.js"]

# What compiles the project's Go programs. Modules and compiled packages stay in the builder's cache: a change of xk6-mcp costs seconds.
FROM golang:1.26.8-bookworm AS go
ENV CGO_ENABLED=0 GOWORK=off GOCACHE=/var/cache/go-build GOFLAGS="-buildvcs=false -mod=readonly -trimpath"

# k6 with the module k6/x/mcp, and what starts programs in another container.
FROM go AS k6-build
WORKDIR /xk6-mcp
COPY xk6-mcp ./
# k6 only warns of an extension that is made for another k6. -v shows progress.
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/var/cache/go-build \
  go build -v -ldflags=-s -o /bin/ ./cmd/k6 ./cmd/stdio-runner && k6 version && k6 version | grep -q k6/x/mcp

# All of it: a test can be run where nothing but this image is, as in a pipeline (docs/ci.md), and those of docker-compose.yml are.
FROM prom/prometheus:v3.15.0 AS prometheus
FROM prom/node-exporter:v1.12.1 AS node-exporter
FROM node AS lab
ENV NODE_ENV= HOME=/tmp K6_AUTO_EXTENSION_RESOLUTION=false K6_NO_USAGE_REPORT=true
RUN apt-get update && apt-get install --yes --no-install-recommends supervisor && rm -rf /var/lib/apt/lists/*
ENV MCP_LOAD_LAB_CACHE=/opt/mcp-load-lab-tools RUN_DIR=/tmp/mcp-load-lab
COPY --from=prometheus /bin/prometheus /usr/bin/
COPY --from=node-exporter /bin/node_exporter /usr/bin/
WORKDIR /opt/mcp-load-lab
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/var/cache/npm npm ci --cache /var/cache/npm --omit=dev --no-audit --no-fund
COPY tools tools
COPY scripts scripts
COPY xk6-mcp xk6-mcp
COPY --from=k6-build /bin/k6 /bin/stdio-runner /usr/bin/
# Where scripts/setup would put what it builds: under a name that changes with the pins. What they write there is a lock.
RUN bash -c 'set -e; . scripts/common.sh; mkdir -p "$CACHE_DIR"; mkdir "$(tool_dir k6)"; ln -s /usr/bin/k6 "$(tool_dir k6)/k6"; chown node: "$CACHE_DIR"'
COPY provisioning provisioning
COPY dashboards dashboards
COPY target target
COPY workloads workloads
COPY lib lib
COPY analysis analysis
COPY page page
COPY cli cli
COPY deploy/kubernetes/collector.ts deploy/kubernetes/
COPY contract contract
COPY scenarios scenarios
RUN find . ! -type l ! -perm -o=r -exec chmod a+rX {} +
# What this image was made of: there is no git in it.
ARG GIT_COMMIT=
ARG GIT_DIRTY=
ENV GIT_COMMIT=$GIT_COMMIT GIT_DIRTY=$GIT_DIRTY
USER node
CMD ["cat", "scripts/list.txt"]

# A server that is a program (TARGET_COMMAND), in its own image or in that of the generator.
FROM ${TARGET_IMAGE} AS program
COPY --from=k6-build /bin/stdio-runner /stdio-runner

# What the system knows of a server's processes (TARGET_CONTAINER, TARGET_COMMAND).
FROM go AS exporter-build
WORKDIR /exporter
COPY exporter ./
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/var/cache/go-build \
  go build -ldflags=-s -o /bin/exporter .
FROM prom/node-exporter:v1.12.1 AS exporter
COPY --from=exporter-build /bin/exporter /bin/exporter
ENTRYPOINT ["/bin/exporter"]
