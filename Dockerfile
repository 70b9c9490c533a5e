# The service in an image, with SQLite in a volume. Build: docker build --tag portcullis . Steps: docs/deploy.md
#
# Node 22, because the better-sqlite3 of the lock file can crash on Node 24 (see the Makefile).

FROM node:22-bookworm AS build
WORKDIR /build
# Compiles better-sqlite3 from the source in the lock file, against the headers in this image, instead of downloading a binary.
ENV npm_config_build_from_source=true npm_config_nodedir=/usr/local
COPY package.json package-lock.json Makefile ./
RUN make node_modules/.package-lock.json
COPY tsconfig.json ./
COPY domain domain
COPY application application
COPY adapters adapters
RUN make build ONLY=adapters
# Drops development packages, the build files of SQLite, and binaries for other platforms.
RUN npm prune --omit=dev \
  && rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/build/Release/obj \
    node_modules/better-sqlite3/build/Release/obj.target \
    node_modules/sodium-native/prebuilds/android-* node_modules/sodium-native/prebuilds/darwin-* \
    node_modules/sodium-native/prebuilds/ios-* node_modules/sodium-native/prebuilds/win32-*

FROM node:22-bookworm-slim
LABEL org.opencontainers.image.title="portcullis" \
  org.opencontainers.image.description="A self-hosted authentication and profile service" \
  org.opencontainers.image.version="0.2.0" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="docker.io/library/node:22-bookworm-slim"
# Sets no DATABASE_URL, because it would conflict with DATABASE_URL_FILE. METRICS_PORT is not exposed, so `docker run --publish-all`
# does not publish the metrics.
ENV NODE_ENV=production HOST=0.0.0.0 PASSWORD_POLICY=nist METRICS_PORT=9464 THROTTLE_APPLICATION_TOKENS=600 THROTTLE_REGISTRATIONS=60
WORKDIR /portcullis
COPY package.json LICENSE ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
# Root owns all files, and the service only reads them. It writes only its store in ./data.
RUN install -d -o 1000 -g 1000 -m 0700 data
VOLUME /portcullis/data
# The user `node` of the image. A number lets the container engine verify that it is not root.
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
# Checks that the process is alive, not ready: a restart does not bring back a database. The image has no curl.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/portcullis/dist/adapters/main.js"]
CMD ["serve"]
