"""`python -m symattn` is the command `symattn`."""

from symattn.cli.main import main

if __name__ == "__main__":
    main()
