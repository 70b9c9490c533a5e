# The service in an image, with its store on SQLite in a volume: docker build --tag portcullis .
#
# Node 22: the better-sqlite3 of the lock file runs on it, and on Node 24 would end the process now and then (see the Makefile).

FROM node:22-bookworm AS build
WORKDIR /build
# better-sqlite3 is compiled from what the lock file vouches for, and against the headers in this very image: no binary that
# somebody else has made comes in.
ENV npm_config_build_from_source=true npm_config_nodedir=/usr/local
COPY package.json package-lock.json Makefile ./
RUN make node_modules/.package-lock.json
COPY tsconfig.json ./
COPY domain domain
COPY application application
COPY adapters adapters
RUN make build ONLY=adapters
# What only development needs, and what SQLite was compiled of, stays behind.
RUN npm prune --omit=dev \
  && rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/build/Release/obj \
    node_modules/better-sqlite3/build/Release/obj.target

FROM node:22-bookworm-slim
LABEL org.opencontainers.image.title="portcullis" \
  org.opencontainers.image.description="A self-hosted authentication and profile service" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="docker.io/library/node:22-bookworm-slim"
# Neither DATABASE_URL nor PUBLIC_URL: the first would stand in the way of DATABASE_URL_FILE, the second is nobody's but yours.
# METRICS_PORT is not exposed, so that whoever publishes all that is does not publish what was measured.
ENV NODE_ENV=production HOST=0.0.0.0 PASSWORD_POLICY=nist METRICS_PORT=9464
WORKDIR /portcullis
COPY package.json LICENSE ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
# All of it is root's, and the service only reads it: the store in ./data is the one thing that it writes.
RUN install -d -o 1000 -g 1000 -m 0700 data
VOLUME /portcullis/data
# The user `node` of the image, by number, so that whoever runs it can see that it is not root.
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
# Alive, not ready: a service that waits for its database is not mended by another start. There is no curl in the image.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/portcullis/dist/adapters/main.js"]
CMD ["serve"]
