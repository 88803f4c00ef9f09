"""Tests of memd. They, and the processes that they start, are compiled once, not by each, whatever the machine says."""

import os
import sys

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
