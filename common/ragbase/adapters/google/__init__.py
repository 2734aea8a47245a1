"""Google Cloud's services as ports. Each file imports its client when it is first used."""

import warnings

# weaviate-client holds protobuf, and so grpcio, below what Google's clients would like to see by April 2027.
warnings.filterwarnings("ignore", r".*grpcio < 1\.83", FutureWarning)
