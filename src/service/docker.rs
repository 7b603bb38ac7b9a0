//! A Dockerfile for a checkout of this program.

/// Builds the program, and puts it alone into an image that runs as nobody in particular. What is to be
/// kept is in the volume `/data`.
#[must_use]
pub fn dockerfile(serves: bool) -> String {
    let rust = env!("CARGO_PKG_RUST_VERSION");
    let serve = if serves { ", \"--serve\"" } else { "" };
    let expose = if serves { "EXPOSE 8765\n" } else { "" };
    format!(
        r#"# docker build -t jezero .
# docker run -d --name jezero --restart unless-stopped --read-only --tmpfs /tmp \
#   --cap-drop ALL --security-opt no-new-privileges -v jezero:/data \
#   -v "$HOME/.claude:/sources/claude:ro" jezero
# The configuration is /data/jezero.toml; in it projects_dir = "/sources/claude/projects".
# Files of the sources must be readable for user 10001, or add --user "$(id -u):$(id -g)".
FROM rust:{rust}-slim AS build
WORKDIR /src
COPY . .
RUN cargo build --release --locked

FROM debian:stable-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --user-group --home-dir /data --shell /usr/sbin/nologin jezero \
 && install -d -o jezero -g jezero -m 0700 /data
COPY --from=build /src/target/release/jezero /usr/local/bin/jezero
USER jezero
WORKDIR /data
VOLUME ["/data"]
ENV HOME=/data JEZERO_CONFIG=/data/jezero.toml
{expose}STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5m --timeout=30s --start-period=10m --retries=3 CMD ["jezero", "health"]
ENTRYPOINT ["jezero"]
CMD ["daemon"{serve}]
"#
    )
}
