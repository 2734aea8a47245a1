"""The demo: sample documents about an invented weather station, and a story that checks what ragbase promises."""
