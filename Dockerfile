# The two images that are the project's own.

FROM node:24.19.0-bookworm-slim AS node
ENV NODE_ENV=production

# The reference target, and its upstream.
FROM node AS target
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund
COPY target target
USER node
CMD ["node", "target/server.js"]

# k6 and Node. The project itself is mounted, so that a scenario that was just edited is the one that runs.
FROM grafana/k6:1.8.1 AS k6
FROM node AS runner
ENV NODE_ENV= HOME=/tmp K6_AUTO_EXTENSION_RESOLUTION=false K6_NO_USAGE_REPORT=true
COPY --from=k6 /usr/bin/k6 /usr/bin/k6
USER node
CMD ["k6", "version"]
