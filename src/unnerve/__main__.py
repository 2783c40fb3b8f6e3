"""``python -m unnerve``: the command, where it is not on the path."""

import sys

from unnerve.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
