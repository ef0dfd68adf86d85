"""`python -m quantail`: the command line where the `quantail` script is not on the path."""

from quantail.cli import main

if __name__ == "__main__":
    main()
