"""Writes cma-0.9.1.json: a search by Debian's python3-cmaes 0.9.1, for CmaStateTest.

    /usr/bin/python3 cma_vectors.py > cma-0.9.1.json
"""
import json

import cmaes
import numpy as np

assert cmaes.__version__ == "0.9.1", cmaes.__version__
D = 4
search = cmaes.CMA(mean=np.full(D, 0.5), sigma=1 / 6, seed=3)
generations = []
for _ in range(25):
    asked = [search.ask() for _ in range(search.population_size)]
    told = [(x, float(sum(10 ** i * (x[i] - 0.3) ** 2 for i in range(D)) + x[0] * x[1])) for x in asked]
    search.tell(told)  # Sorts them, the best first.
    generations.append(
        {
            "points": [list(map(float, x)) for x, _ in told],
            "values": [v for _, v in told],
            "mean": list(map(float, search._mean)),
            "width": float(search._sigma),
            "covariance": [list(map(float, row)) for row in search._C],
        }
    )
print(json.dumps(generations))
