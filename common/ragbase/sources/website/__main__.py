"""`python -m ragbase.sources.website`."""

from ragbase.sources.website.run import main

if __name__ == "__main__":
    main()
