"""The extensions and the content types of source code, of office documents and of pictures."""

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


_OOXML = "application/vnd.openxmlformats-officedocument"

OFFICE_CONTENT_TYPES = {
    "docx": (f"{_OOXML}.wordprocessingml.document",),
    "pptx": (f"{_OOXML}.presentationml.presentation",),
    "xlsx": (f"{_OOXML}.spreadsheetml.sheet",),
    "epub": ("application/epub+zip",),
    "odt": ("application/vnd.oasis.opendocument.text",),
    "ods": ("application/vnd.oasis.opendocument.spreadsheet",),
    "odp": ("application/vnd.oasis.opendocument.presentation",),
    "rtf": ("application/rtf", "text/rtf"),
    "eml": ("message/rfc822",),
    "msg": ("application/vnd.ms-outlook",),
    "doc": ("application/msword",),
    "xls": ("application/vnd.ms-excel",),
    "ppt": ("application/vnd.ms-powerpoint",),
}
"""The first one is the format's own."""

OFFICE_EXTENSIONS = {
    "docx": (".docx", ".docm", ".dotx"),
    "pptx": (".pptx", ".pptm", ".ppsx", ".potx"),
    "xlsx": (".xlsx", ".xlsm", ".xltx"),
    "odt": (".odt", ".ott"),
    "ods": (".ods", ".ots"),
    "odp": (".odp", ".otp"),
    "ppt": (".ppt", ".pps"),
}
"""Of the formats that have more than their name: also documents with macros, which are not run, templates and shows."""

READ_WITHOUT_LIBRARY = frozenset(("pptx", "xlsx", "odt", "ods", "odp", "rtf", "eml", "epub"))
"""They are read here: rows as those of CSV, and slides and paragraphs with their notes."""


PICTURE_CONTENT_TYPES = {
    "png": ("image/png",),
    "jpeg": ("image/jpeg", "image/jpg"),
    "tiff": ("image/tiff",),
    "webp": ("image/webp",),
    "gif": ("image/gif",),
    "bmp": ("image/bmp", "image/x-ms-bmp"),
}
"""The first one is the format's own."""

PICTURE_EXTENSIONS = {"jpeg": (".jpg", ".jpeg", ".jpe"), "tiff": (".tif", ".tiff")}
"""Of the formats whose extension is not their name."""
