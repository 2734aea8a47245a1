"""The machine that ragbase runs on."""
