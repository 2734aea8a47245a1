"""Answers made of sentences of the documents, without a model that writes."""
