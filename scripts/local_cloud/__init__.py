"""The whole cloud on this machine (docs/local-cloud.md): its servers, its functions, and tools that use them."""

from __future__ import annotations

import warnings

# Google's packages warn about each grpcio below 1.83. weaviate-client needs an older one, so we cannot do better.
warnings.filterwarnings("ignore", r".*grpcio < 1\.83", FutureWarning)
