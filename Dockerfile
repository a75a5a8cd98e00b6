# The harness with its core backends: docker run --rm -v "$PWD:/work" IMAGE run --dataset seeds
FROM python:3.11-slim AS development
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends chromium git make qqwing \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 harness

FROM python:3.11-slim
COPY . /source
RUN pip install --no-cache-dir -c /source/constraints.txt /source \
    && rm -r /source \
    && useradd --create-home --uid 1000 harness
USER 1000
WORKDIR /work
ENTRYPOINT ["harness"]
CMD ["--help"]
