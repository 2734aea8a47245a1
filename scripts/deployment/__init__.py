"""Deploy an environment to Google Cloud (scripts/deploy). It needs only Python 3.11 or newer."""
