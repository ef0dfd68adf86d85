# The command line and the studio, without a network at run time. docs/how-to/install.md says how to use it.
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim
COPY --from=build /wheels /wheels
RUN python -m pip install --no-cache-dir "$(ls /wheels/*.whl)[evaluate,files,databases,studio]" \
    && rm -r /wheels \
    && useradd --create-home --uid 1000 curator
USER 1000
WORKDIR /data
ENTRYPOINT ["quantail"]
CMD ["--help"]
