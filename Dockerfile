# The image of a Parley server. Build it in this folder: docker build --tag parley .
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build --silent
RUN node scripts/pack.mjs /tmp

FROM node:24-bookworm-slim
COPY --from=build /tmp/parley-cli-*.tgz /tmp/
# Node 24 includes SQLite, so the native packages for Node 20 are left out.
RUN npm install --global --ignore-scripts --omit=optional /tmp/parley-cli-*.tgz && rm /tmp/parley-cli-*.tgz
RUN install --directory --owner=node --group=node --mode=700 /data
USER node
ENV NODE_ENV=production \
    PARLEY_DATA_DIR=/data \
    PARLEY_CACHE_DIR=/data/cache \
    PARLEY_LISTEN_HOST=0.0.0.0 \
    PARLEY_LISTEN_PORT=4010 \
    PARLEY_LOG=json
VOLUME /data
EXPOSE 4010
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4010/healthz').then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["parley"]
CMD ["server", "start"]
