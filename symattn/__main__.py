"""`python -m symattn` is the command `symattn`."""

try:
    from symattn.cli.main import main

    if __name__ == "__main__":
        main()
except KeyboardInterrupt:  # before the command line could say so itself
    raise SystemExit(130) from None
