# One image for `ragbase serve`, for the other commands and for the functions (docs/container.md).
#
# Everything comes from Debian's packages, PyPI and npm. Behind a mirror, give the build your configuration of pip and
# npm, and the certificates that you trust, as secrets. They reach the stage that builds, and never the image:
#
#   docker build --secret id=pip,src=pip.conf --secret id=npm,src=.npmrc --secret id=certificates,src=ca-certificates.crt .
#
# The tag is a point release. A digest would pin it to the byte: write it here when you mirror the image.
FROM docker.io/library/debian:13.8-slim AS python
# Debian's Python gets Debian's security updates. `tini` is process 1: it passes signals on, and buries orphans.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 tini \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log

FROM python AS build
RUN apt-get update && apt-get install --yes --no-install-recommends python3-venv
RUN --mount=type=secret,id=certificates \
    if [ -s /run/secrets/certificates ]; then cp /run/secrets/certificates /etc/ssl/certs/ca-certificates.crt; fi
WORKDIR /source
COPY requirements/image.txt requirements/image-build.txt requirements/
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    python3 -m venv /build \
    && python3 -m venv --without-pip /opt/ragbase \
    && /build/bin/pip install --quiet --no-cache-dir --require-hashes --only-binary :all: --requirement requirements/image-build.txt \
    && /build/bin/pip --python /opt/ragbase/bin/python install --quiet --no-cache-dir --no-compile --require-hashes \
    --only-binary :all: --requirement requirements/image.txt
COPY LICENSE README.md pyproject.toml .git_archival.txt ./
COPY common common
RUN /build/bin/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /build/bin/pip --python /opt/ragbase/bin/python install --quiet --no-compile --no-deps --no-index --find-links /wheels ragbase
# The model and the data of OCR are part of the image: it starts without a network.
ENV RAGBASE_MODEL_FOLDER=/opt/models
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    --mount=type=secret,id=npm,target=/root/.npmrc \
    export PATH="/build/bin:$PATH" NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
    && PYTHONPATH=$(echo /opt/ragbase/lib/python3*/site-packages) && export PYTHONPATH \
    && /build/bin/python -P -m ragbase.bootstrap.local_models minilm \
    && /build/bin/python -P -m ragbase.formats.pdf.ocr_data
# What the packages bring, and nothing that runs uses. Where another version of a package has other files, `rm` fails.
WORKDIR /opt/ragbase/lib/python3.13/site-packages
# First the packages' own tests, and what is for type checkers and for compilers of C.
RUN find . -type d -name tests -prune -exec rm -r {} + \
    && find . -type f \( -name '*.pyi' -o -name '*.pxd' -o -name '*.pyx' -o -name '*.c' -o -name '*.h' -o -name '*.a' \) -delete \
    # the services of AWS, except S3 and those that give its credentials
    && find botocore/data -mindepth 1 -maxdepth 1 -type d ! -name s3 ! -name signin ! -name sso ! -name sso-oidc ! -name sts \
    -exec rm -r {} + \
    # the runtime for programs in C: the module for Python has its own; and what makes models smaller, which is done
    && rm -r onnxruntime/capi/libonnxruntime.so.* onnxruntime/quantization onnxruntime/tools onnxruntime/transformers \
    # the libraries of xberg a second time: its module loads those beside it (RUNPATH is $ORIGIN)
    && rm -r xberg.libs \
    # a command: ragbase calls the module
    && rm -r html_to_markdown/bin \
    # downloads from Hugging Face, which tokenizers asks for: the model is there
    && rm -r hf_xet hf_xet-*.dist-info
COPY functions /opt/functions
# Nothing can be compiled later: the root file system is read-only.
RUN /opt/ragbase/bin/python -m compileall -q -j 0 /opt/ragbase/lib /opt/functions

FROM python AS installed
COPY --from=build /opt /opt
# A volume that is made from this folder is private from the start.
RUN install --directory --mode=0700 --owner=10001 --group=10001 /data
ENV HOME=/data \
    PATH=/opt/ragbase/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    RAGBASE_HOME=/data/ragbase \
    RAGBASE_MODEL_FOLDER=/opt/models
# A number: Kubernetes can see that it is not root.
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080

# The functions, and what stands for Pub/Sub's push and for Cohere on one machine (docs/local-cloud.md).
FROM installed AS local-cloud
COPY scripts/__init__.py /opt/scripts/__init__.py
COPY scripts/local_cloud /opt/scripts/local_cloud
COPY tests/__init__.py /opt/tests/__init__.py
COPY tests/doubles /opt/tests/doubles
ENV HOME=/tmp \
    PYTHONPATH=/opt \
    RAGBASE_HOME=/tmp/ragbase
ENTRYPOINT ["tini", "--", "python", "-P", "-m", "scripts.local_cloud.contained"]

# What is built unless a target is named.
FROM installed AS ragbase
# A start may have to copy a large database, before a newer ragbase changes its format. The check asks no proxy, which
# Docker's client may give to each container, and imports nothing from the data folder, which it runs in.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30m --retries=3 \
    CMD ["python", "-I", "-c", "import sys; from http.client import HTTPConnection; \
server = HTTPConnection('127.0.0.1', 8080, timeout=4); server.request('GET', '/readyz'); \
sys.exit(server.getresponse().status != 200)"]
ENTRYPOINT ["tini", "--", "ragbase"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080"]
