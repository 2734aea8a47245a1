"""The pipeline as a library: what a program, the command line and the HTTP API ask of a profile."""
