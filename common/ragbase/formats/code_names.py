"""What files of source code are called."""

from __future__ import annotations

CODE_EXTENSIONS = (
    ".py", ".pyi", ".pyx", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte",
    ".java", ".kt", ".kts", ".scala", ".sbt", ".groovy", ".gradle", ".clj", ".cljs", ".go", ".rs", ".c", ".h",
    ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m", ".mm", ".cs", ".fs", ".vb", ".swift", ".dart", ".zig",
    ".nim", ".d", ".rb", ".php", ".pl", ".pm", ".raku", ".lua", ".tcl", ".r", ".jl", ".hs", ".ml", ".mli",
    ".ex", ".exs", ".erl", ".hrl", ".elm", ".lisp", ".el", ".scm", ".rkt", ".vim", ".sh", ".bash", ".zsh",
    ".fish", ".ps1", ".psm1", ".bat", ".cmd", ".awk", ".sql", ".tf", ".tfvars", ".hcl", ".proto", ".thrift",
    ".graphql", ".gql", ".cmake", ".mk", ".bzl", ".nix", ".css", ".scss", ".sass", ".less", ".f", ".f90",
    ".f95", ".pas", ".adb", ".ads", ".asm", ".s", ".v", ".sv", ".vhd", ".vhdl", ".sol", ".cr", ".coffee",
    ".diff", ".patch",
)  # fmt: skip
CODE_CONTENT_TYPES = (
    "text/x-source",
    "text/x-python",
    "text/javascript",
    "application/javascript",
    "text/typescript",
    "text/x-java-source",
    "text/x-c",
    "text/x-csrc",
    "text/x-c++src",
    "text/x-go",
    "text/x-rust",
    "text/x-ruby",
    "text/x-php",
    "text/x-sql",
    "application/sql",
    "text/x-sh",
    "application/x-sh",
    "text/css",
    "text/x-diff",
)
