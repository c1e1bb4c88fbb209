"""Dynamic mechanisms: private answers on a data set that grows, or that grows and shrinks.

>>> import numpy as np
>>> from disttrack.privacy.mechanisms import FullyDynamic
>>> run = FullyDynamic(epsilon=1.0, queries="count").start(np.random.default_rng(0))
>>> news = [run.step(1) for _ in range(4)]  # the item of value 0, four times
>>> news, run.answers.shape
([False, True, False, True], (1,))
"""
