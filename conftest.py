"""What pytest leaves out where an extra is not installed."""

from importlib.util import find_spec

gym_files = ["simulator/environment.py", "disttrack/gym.py", "examples/train_policy.py"]
collect_ignore = [] if find_spec("gymnasium") else gym_files
collect_ignore += [] if find_spec("atheris") else ["tests/fuzz/coverage_guided.py"]
