"""What the HTTP API answers: the server writes these models, and the client reads them (docs/http-api.md).

`XResponse` is what a route answers. `XBody` is the JSON of the value X (domain/, retrieval/), and a field has the name
that it has there, unless the contract demands another one: `content` is the `text` of a chunk or a passage, `metadata`
its place, `chunk_index` a chunk's `ordinal`, and `filename` a document's `source`.
"""
