"""Adapters for the services of Google Cloud. Each file imports its client when it is first used."""

import warnings

# weaviate-client requires older versions of protobuf, and so of grpcio, than Google's clients want by April 2027.
warnings.filterwarnings("ignore", r".*grpcio < 1\.83", FutureWarning)
