"""Runs trials that do nothing by Debian's Optuna, for tandem bench tune.

    optuna_overhead.py STORAGE WORKERS TRIALS

STORAGE is memory, journal:PATH or sqlite:PATH. Prints {"seconds": S, "complete": N, "failed": W}:
the time of the trials alone, how many are COMPLETE, and how many workers ended badly.
"""
import json
import subprocess
import sys
import time
import warnings

import optuna

warnings.simplefilter("ignore")
optuna.logging.set_verbosity(optuna.logging.ERROR)


def storage(text):
    kind, _, path = text.partition(":")
    if kind == "journal":
        return optuna.storages.JournalStorage(optuna.storages.JournalFileStorage(path))
    return "sqlite:///" + path if kind == "sqlite" else None


def objective(trial):
    trial.suggest_float("rate", 1e-5, 1, log=True)
    trial.suggest_float("drop", 0, 1)
    trial.suggest_int("units", 1, 100)
    trial.suggest_categorical("kind", ["a", "b", "c"])
    return 0.0


def work(text, seed, trials):
    study = optuna.load_study(
        study_name="bench", storage=storage(text), sampler=optuna.samplers.RandomSampler(seed=seed)
    )
    study.optimize(objective, n_trials=trials)


if __name__ == "__main__":
    text, workers, trials = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if len(sys.argv) > 4:
        print("ready", flush=True)
        sys.stdin.readline()
        work(text, int(sys.argv[4]), trials)
        sys.exit(0)
    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(study_name="bench", storage=storage(text), sampler=sampler)
    failed = 0
    if workers == 1:
        began = time.perf_counter()
        study.optimize(objective, n_trials=trials)
        seconds = time.perf_counter() - began
    else:
        command = [sys.executable, __file__, text, "1", str(trials // workers)]
        children = [
            subprocess.Popen(
                command + [str(seed)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            for seed in range(workers)
        ]
        for child in children:
            child.stdout.readline()
        began = time.perf_counter()
        for child in children:
            child.stdin.write(b"\n")
            child.stdin.flush()
        failed = sum(child.wait() != 0 for child in children)
        seconds = time.perf_counter() - began
    complete = 0
    try:
        study = optuna.load_study(study_name="bench", storage=storage(text)) if text != "memory" else study
        complete = sum(t.state == optuna.trial.TrialState.COMPLETE for t in study.get_trials(deepcopy=False))
    except Exception:
        failed += 1
    print(json.dumps({"seconds": seconds, "complete": complete, "failed": failed}))
