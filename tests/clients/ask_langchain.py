"""Ask with LangChain: questions come as JSON on standard input, the retrieved documents go to standard output."""

from __future__ import annotations

import asyncio
import json
import os
import sys

from ragbase import Client
from ragbase.client.langchain import LangChainRetriever

with Client(os.environ["ENDPOINT"], os.environ["KEY"]) as client:
    retriever = LangChainRetriever(client=client)
    questions = json.load(sys.stdin)
    found = retriever.batch(questions)
    if asyncio.run(retriever.abatch(questions)) != found:
        sys.exit("To ask asynchronously finds something else.")
    json.dump([[document.model_dump() for document in documents] for documents in found], sys.stdout)
