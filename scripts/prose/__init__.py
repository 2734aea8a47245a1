"""The English of the docs, checked by Vale with the public styles write-good and proselint."""
