# The image of a Parley server. Build it in this folder: docker build --tag parley .
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build --silent
RUN node scripts/pack.mjs /tmp
# Node with its libraries and the program, without shell and package managers.
RUN node scripts/packages/image-root.mjs /tmp/parley-cli-*.tgz /image
RUN install --directory --mode=700 /owned/data

FROM scratch
COPY --from=build /image/ /
COPY --from=build --chown=1000:1000 /owned/ /
USER 1000:1000
ENV PATH=/usr/local/bin:/usr/bin \
    HOME=/ \
    NODE_ENV=production \
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
