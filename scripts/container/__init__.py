"""The image: its base from Debian's packages where no registry is reached, its build, and containers of it."""
