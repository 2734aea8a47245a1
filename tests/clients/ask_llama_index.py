"""Ask with LlamaIndex: questions come as JSON on standard input, the retrieved nodes go to standard output."""

from __future__ import annotations

import asyncio
import json
import os
import sys

from llama_index.core.schema import MetadataMode

from ragbase import Client
from ragbase.client.llama_index import LlamaIndexRetriever

with Client(os.environ["ENDPOINT"], os.environ["KEY"]) as client:
    retriever = LlamaIndexRetriever(client)
    all_found = []
    for question in json.load(sys.stdin):
        found = retriever.retrieve(question)
        if asyncio.run(retriever.aretrieve(question)) != found:
            sys.exit("To ask asynchronously finds something else.")
        all_found.append(
            [
                {
                    "id": one.node.node_id,
                    "text": one.node.text,
                    "score": one.score,
                    "metadata": one.node.metadata,
                    "for_models": one.node.get_content(MetadataMode.LLM),
                    "source": one.node.source_node.node_id,
                    "place": [one.node.start_char_idx, one.node.end_char_idx],
                }
                for one in found
            ]
        )
    json.dump(all_found, sys.stdout)
