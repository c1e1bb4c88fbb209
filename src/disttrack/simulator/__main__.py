"""``python -m disttrack.simulator`` is the program ``disttrack``."""

from disttrack.simulator.cli import main

if __name__ == "__main__":
    main()
