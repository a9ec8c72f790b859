"""Writes parzen-3.1.0.json: densities of Debian's python3-optuna 3.1.0, for ParzenTest.

    /usr/bin/python3 parzen_vectors.py > parzen-3.1.0.json
"""
import json
import warnings

import numpy as np
import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers._tpe.parzen_estimator import _ParzenEstimator, _ParzenEstimatorParameters
from optuna.samplers._tpe.sampler import default_weights

warnings.simplefilter("ignore")
assert optuna.__version__ == "3.1.0", optuna.__version__
SPACE = {
    "real": ({"float": [-2, 3]}, FloatDistribution(-2, 3)),
    "rate": ({"float": [1e-5, 0.1], "log": True}, FloatDistribution(1e-5, 0.1, log=True)),
    "drop": ({"float": [0, 0.5], "step": 0.1}, FloatDistribution(0, 0.5, step=0.1)),
    "batch": ({"int": [16, 256], "step": 16}, IntDistribution(16, 256, step=16)),
    "units": ({"int": [1, 1000], "log": True}, IntDistribution(1, 1000, log=True)),
    "kind": ({"choice": ["a", "b", "c"]}, CategoricalDistribution(["a", "b", "c"])),
}
random = np.random.RandomState(5)


def draw(name, count):
    distribution = SPACE[name][1]
    if isinstance(distribution, CategoricalDistribution):
        return random.randint(0, 3, count)
    if isinstance(distribution, IntDistribution):
        if distribution.log:
            return np.round(np.exp(random.uniform(0, np.log(distribution.high), count)))
        return 16 * random.randint(1, 17, count).astype(float)
    if distribution.step is not None:
        return np.array([distribution.step * i for i in random.randint(0, 6, count)])
    if distribution.log:
        return np.exp(random.uniform(np.log(distribution.low), np.log(distribution.high), count))
    # Some of them close together, as where a search has gone.
    values = random.uniform(distribution.low, distribution.high, count)
    values[::2] = np.clip(1 + 0.1 * random.randn(len(values[::2])), -2, 3)
    return values


def case(names, count, together):
    observed = {name: draw(name, count) for name in names}
    points = {name: draw(name, 12) for name in names}
    estimator = _ParzenEstimator(
        observed,
        {name: SPACE[name][1] for name in names},
        _ParzenEstimatorParameters(True, 1.0, True, False, default_weights, together),
    )
    return {
        "together": together,
        "space": {name: SPACE[name][0] for name in names},
        "observed": {name: list(map(float, observed[name])) for name in names},
        "points": {name: list(map(float, points[name])) for name in names},
        "logDensities": list(map(float, estimator.log_pdf(points))),
    }


cases = []
for count in (0, 1, 2, 9, 14):
    cases += [case([name], count, False) for name in SPACE]
# Which of several equal observations has which width is numpy's affair beyond 16 of them.
for count in (24, 25, 26, 60):
    cases += [case([name], count, False) for name in ("real", "rate", "kind")]
for count in (1, 9, 26, 60):
    cases += [case([name], count, True) for name in SPACE]
    cases += [case(["real", "rate"], count, True), case(list(SPACE), count, True)]
print(json.dumps(cases))
