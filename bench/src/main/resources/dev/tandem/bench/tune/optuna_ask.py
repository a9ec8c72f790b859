"""Asks Debian's Optuna for trials, for tandem bench tune: the objective is on the other side.

Each line of input is JSON. {"sampler": S, "seed": N, "space": {...}} begins a study; {"value": V}
ends the trial asked for last. Each is answered by {"params": {...}, "cpu": seconds}: the next
trial, and the processor time of telling and asking.
"""
import json
import sys
import time
import warnings

import optuna

warnings.simplefilter("ignore")
optuna.logging.set_verbosity(optuna.logging.ERROR)
SAMPLERS = {
    "tpe": lambda seed: optuna.samplers.TPESampler(seed=seed),
    "cma": lambda seed: optuna.samplers.CmaEsSampler(seed=seed),
    "random": lambda seed: optuna.samplers.RandomSampler(seed=seed),
}


def active(when, params):
    for name, condition in when.items():
        if name not in params:
            return False
        if isinstance(condition, dict):
            low, high = condition.get("min", -1e300), condition.get("max", 1e300)
            if not low <= params[name] <= high:
                return False
        elif params[name] not in condition:
            return False
    return True


def suggest(trial, space):
    params = {}
    for name, spec in space.items():
        if isinstance(spec, list):
            params[name] = trial.suggest_categorical(name, spec)
        elif not active(spec.get("when", {}), params):
            continue
        elif "choice" in spec:
            params[name] = trial.suggest_categorical(name, spec["choice"])
        elif "float" in spec:
            low, high = spec["float"]
            step = spec.get("step")
            params[name] = trial.suggest_float(name, low, high, step=step, log=spec.get("log", False))
        else:
            low, high = spec["int"]
            step = spec.get("step", 1)
            params[name] = trial.suggest_int(name, low, high, step=step, log=spec.get("log", False))
    return params


study = space = trial = None
for line in sys.stdin:
    order = json.loads(line)
    began = time.process_time()
    if "space" in order:
        study = optuna.create_study(sampler=SAMPLERS[order["sampler"]](order["seed"]))
        space = order["space"]
    else:
        study.tell(trial, order["value"])
    trial = study.ask()
    params = suggest(trial, space)
    print(json.dumps({"params": params, "cpu": time.process_time() - began}), flush=True)
