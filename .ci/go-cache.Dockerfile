# Fills the builder's cache with what Go has compiled on this host; the build context is GOCACHE. So k6 is compiled once, natively, and the
# image's build finds the packages.
ARG GO
FROM $GO
RUN --mount=type=cache,target=/root/.cache/go-build --mount=type=bind,target=/host cp --archive /host/. /root/.cache/go-build/
