"""The demo: sample documents about an invented weather station, and a story that proves what ragbase promises."""
