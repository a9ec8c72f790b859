"""Trials of `tandem tune` in Python: one file, no dependencies. Copy it beside your program.

    import tandem_trial as trial

    p = trial.params({"lr": 0.1})          # the trial's parameters, over these defaults
    for epoch in range(1, 11):
        accuracy = train_one_epoch(p["lr"])
        if not trial.report(epoch, accuracy=accuracy):
            break                          # the study has stopped this trial

Outside Tandem the program runs as it is: defaults, reports on standard output, never stopped.
"""

import json
import os


def params(defaults=None):
    """The parameters of this trial; `defaults` for what it does not set."""
    values = dict(defaults or {})
    path = os.environ.get("TANDEM_PARAMS")
    if path:
        with open(path) as file:
            values.update(json.load(file))
    return values


def report(step, **metrics):
    """Says the metrics of a step; False if the trial is to end."""
    print(json.dumps(dict(step=step, **metrics)), flush=True)
    if os.environ.get("TANDEM_ANSWERS") == "stdin":
        import sys

        line = sys.stdin.readline()
        return bool(line) and json.loads(line).get("decision") != "stop"
    stop = os.environ.get("TANDEM_STOP_FILE")
    return not (stop and os.path.exists(stop))


def checkpoint_dir():
    """Where to write checkpoints."""
    path = os.environ.get("TANDEM_CHECKPOINT", "checkpoint")
    os.makedirs(path, exist_ok=True)
    return path


def saved(step, name):
    """Says that a checkpoint in checkpoint_dir() is whole."""
    print(json.dumps({"checkpoint": name, "step": step}), flush=True)


def resume_from():
    """The checkpoint to go on from, or None."""
    return os.environ.get("TANDEM_RESUME_FROM") or None


def budget(default):
    """The last step that is wanted now; a trial that is paused there may be continued later."""
    return int(os.environ.get("TANDEM_BUDGET") or 0) or default


def seed(default=0):
    """A seed for all random choices of the trial."""
    return int(os.environ.get("TANDEM_SEED", default))
