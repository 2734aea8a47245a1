"""All limits that users can reach (docs/contracts/documents.md, sections 1, 4 and 5; docs/contracts/retriever.md,
section 1)."""

from __future__ import annotations

from datetime import timedelta

MAX_FILE_SIZE = 50 * 1024 * 1024
"""Bytes of a file. The contract's `maxFileSizeMB`."""

LARGE_TEXT = 4 * 1024 * 1024
"""Bytes above which a text takes the heavy lane, and is read in a process of its own: reading takes several times its
size."""

READ_HERE = 256 * 1024
"""Bytes up to which a text is read in the process of its lane. A larger one has a process of its own, with limits of
time and memory: to start it costs a fraction of what the text costs later."""

MAX_GROWTH, SMALL_TEXT = 64, 1024 * 1024
"""Characters of text that each byte of a text file may become, if these are more than some: the names of columns stand
in each row, but no file needs pages of one byte."""

MAX_CHUNKS = 500_000
"""Chunks of one document. With chunks of the default size, 50 MB of text have 65,000."""

MIN_TEXT_LENGTH = 50
"""Characters of text that a document in the bucket needs, unless its uploader set another minimum. The contract's
`minTextLength`."""

MAX_NOISE_RATIO = 0.8
"""A text with a larger share of noise is refused. The contract's `maxNoiseRatio`."""

MIN_CHUNK_SIZE, MAX_CHUNK_SIZE = 100, 10_000
"""Characters or tokens of the longest chunk. Embedding models read some hundreds of tokens."""

MAX_CHUNK_OVERLAP = 2_000
"""Characters or tokens that a chunk repeats of the one before it."""

MAX_BATCH = 96
"""Texts in one call of a hosted embedder, for every service: the limit of Cohere and of
docs/contracts/website-pipeline.md, section 4. A service may take fewer."""

MAX_RETRIES = 3
"""How often a failed job is tried again before its document is FAILED. The contract's `retryCount`."""

LONGEST_WAIT = timedelta(days=1)
"""How long a document waits for a service that is away before it is FAILED, unless a setting says otherwise."""

MAX_QUERY_LENGTH = 1000
"""Characters of a query. Embedding models read about as many (MiniLM: 256 tokens)."""

MIN_SEARCH_LENGTH = 3
"""Characters of a query to `Retriever.search`, without spaces around it."""

MAX_SEARCHES = 4
"""Searches for one question. One that asks for more things says which were not searched for."""

DEFAULT_TOP_K = 5
"""Results of a query that does not say how many."""

MAX_TOP_K = 100
"""The most results that a query over HTTP or the command line can ask for."""

MAX_DOCUMENT_IDS = 100
"""The most ids of documents in the filter of a query over HTTP."""

MAX_GOLDEN_QUESTIONS = 200
"""Golden questions of a tenant. They are one checkpoint, of which Firestore takes 1 MiB: each has at most 4 KB."""
MAX_CONDITIONS = 20
"""The most conditions on front matter in the filter of a query."""

DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE = 20, 100
"""Documents, chunks or dead letters of one page of a list: without a wish, and at most."""

MAX_OFFSET = 2**31 - 1
"""How many documents a listing can skip: the 32-bit number that Firestore takes."""

DEFAULT_SIMILARITY_THRESHOLD = 0.5
"""A result with a lower score is left out, unless the query or a setting says otherwise."""

MAX_PATH = 1024
"""Bytes of a document's name: the limit of Cloud Storage."""

KEEP_ALIVE = 75
"""Seconds for which a connection is kept after an answer, unless a setting says otherwise. A proxy sends its next
request over it, which is lost if the server has just closed it: so the proxy has to close first. nginx and the load
balancers of AWS do so after 60 s (https://nginx.org/en/docs/http/ngx_http_upstream_module.html#keepalive_timeout,
https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-load-balancer-attributes.html)."""

MAX_WAIT = 30
"""Seconds that a request may wait for a document."""

DEFAULT_EVIDENCE_TOKENS = 2_000
"""Tokens (of cl100k_base) of the passages that an answer is written from, unless a setting says otherwise."""
DEFAULT_ANSWER_TOKENS = 1_000
"""Tokens that a language model writes for one answer, unless a setting says otherwise: some 40 sentences."""
DEFAULT_EXPAND_TOKENS, MAX_EXPAND_TOKENS = 1_000, 8_000
"""Tokens (of cl100k_base) of the text around each result: if the question does not say how many, and at most."""
ALLOWED_LOSS = 0.02
"""By how much the mean score of the questions of `ragbase reindex --gate` may fall, of 1 at most."""
MAX_RERANKED = 100
"""Results that are reranked at most. Cohere bills a search unit for a question with up to 100 texts."""
MAX_VANISHED_PERCENT = 20
"""A sync deletes a larger share of a source's documents only by force. An empty folder or a wrong address looks as if
everything had vanished."""
