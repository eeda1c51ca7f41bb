# The service as an image; static/docs/install.md says how to run it.

FROM denoland/deno:bin-2.9.6 AS deno

FROM debian:13-slim AS base
COPY --from=deno /deno /usr/local/bin/deno
ENV DENO_DIR=/deno-dir DENO_NO_UPDATE_CHECK=1
WORKDIR /app

# Rebuilt only when the dependencies change. deno.lock names no package that only tests need. `deno eval`
# writes down which package satisfies which import; without that a start tries for some seconds to write it
# where it may not. Some packages hold files that only their owner may read.
FROM base AS packages
COPY deno.json deno.lock ./
RUN deno eval 'import "zod"' && chmod -R a+rX node_modules

FROM packages AS build
COPY . .
# Compiled here, once. The packages are a layer of their own.
RUN deno task build \
  && deno cache _fresh/server.js serve.ts commands/*.ts lib/events/pictures/internal/picture_program.ts \
  && rm -r node_modules && mkdir -p /deno-dir/remote && chmod -R a+rX . /deno-dir/remote

FROM base
RUN useradd --system --uid 900 --user-group --no-create-home foyer \
  && install --directory --owner foyer --group foyer --mode 0700 \
    /data /deno-dir /deno-dir/location_data
COPY --from=packages /app/node_modules node_modules
COPY --from=build --chown=foyer:foyer /deno-dir/gen /deno-dir/gen
# Empty, but with the Fresh of JSR.
COPY --from=build /deno-dir/remote /deno-dir/remote
COPY --from=build /app .
ENV KV_PATH=/data/foyer.sqlite3 PORT=8000
USER foyer
VOLUME /data
EXPOSE 8000
# Whether the process answers, whatever it says: /up is 503 too when a provider is away.
HEALTHCHECK --interval=30s --timeout=10s --start-period=10s \
  CMD ["deno", "eval", "await fetch(`http://127.0.0.1:${Deno.env.get('PORT')}/up`)"]
CMD ["deno", "task", "start"]
