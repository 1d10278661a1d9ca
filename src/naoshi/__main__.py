"""`python -m naoshi` is the command `naoshi`."""

from naoshi.ui.cli.main import main

if __name__ == "__main__":
    main()
