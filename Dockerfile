# The project's own images. `make up` builds them (scripts/docker.sh).
ARG TARGET_IMAGE=lab

FROM node:24.19.0-bookworm-slim AS node
ENV NODE_ENV=production

# The reference target and its upstream service.
FROM node AS target
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/var/cache/npm npm ci --cache /var/cache/npm --omit=dev --no-audit --no-fund
COPY target target
# In a clone made under umask 077, only the owner can read the files.
RUN find . ! -type l ! -perm -o=r -exec chmod a+rX {} +
USER node
CMD ["node", "target/server.js"]

# The Go toolchain for the project's programs. The builder caches modules and compiled packages, so a change to xk6-mcp takes seconds to build.
FROM golang:1.26.8-bookworm AS go
ENV CGO_ENABLED=0 GOWORK=off GOCACHE=/var/cache/go-build GOFLAGS="-buildvcs=false -mod=readonly -trimpath"

# k6 with the module k6/x/mcp, and stdio-runner, which starts programs in another container.
FROM go AS k6-build
WORKDIR /xk6-mcp
COPY xk6-mcp ./
# k6 only warns if an extension was made for another version of k6. -v shows progress.
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/var/cache/go-build \
  go build -v -ldflags=-s -o /bin/ ./cmd/k6 ./cmd/stdio-runner && k6 version && k6 version | grep -q k6/x/mcp

# The complete lab. It runs tests without any other container, as in a pipeline (docs/ci.md), and the tests of docker-compose.yml.
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
# Link k6 where scripts/setup would install it, under a name that changes with the pinned versions. Users only write lock files there.
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
# The commit that this image was built from, because the image contains no git.
ARG GIT_COMMIT=
ARG GIT_DIRTY=
ENV GIT_COMMIT=$GIT_COMMIT GIT_DIRTY=$GIT_DIRTY
USER node
CMD ["cat", "scripts/list.txt"]

# A server that is a program (TARGET_COMMAND), in its own image (TARGET_IMAGE) or in the lab's image.
FROM ${TARGET_IMAGE} AS program
COPY --from=k6-build /bin/stdio-runner /stdio-runner

# The exporter of a server's process metrics (TARGET_CONTAINER, TARGET_COMMAND).
FROM go AS exporter-build
WORKDIR /exporter
COPY exporter ./
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/var/cache/go-build \
  go build -ldflags=-s -o /bin/exporter .
FROM prom/node-exporter:v1.12.1 AS exporter
COPY --from=exporter-build /bin/exporter /bin/exporter
ENTRYPOINT ["/bin/exporter"]
