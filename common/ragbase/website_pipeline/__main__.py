"""`python -m ragbase.website_pipeline`."""

from ragbase.website_pipeline.run import main

if __name__ == "__main__":
    main()
