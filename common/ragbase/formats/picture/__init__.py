"""Pictures, whose text OCR reads in a child process with limits of time and memory."""
