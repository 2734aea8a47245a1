"""The content types of the office formats, by the formats' names."""

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
