"""What pytest leaves out: the simulated deployments, where simloom is not installed (Python 3.12 or later)."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("simloom") else ["sim_*.py"]
