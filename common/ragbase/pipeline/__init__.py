"""The work on one document, from the event to the flip: route, then process, which makes or copies its chunks."""
