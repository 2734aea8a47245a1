"""The only place that chooses adapters: by the setting `profile`, and by the settings of that profile."""
