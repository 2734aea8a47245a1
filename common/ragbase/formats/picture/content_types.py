"""The names and the content types of the formats of pictures."""

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
