"""Compare the bucket, the records and the vector store, and repair what differs."""
