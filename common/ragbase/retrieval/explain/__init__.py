"""Why a search does not show a document, or where it shows it."""
