"""A stand-in for a training that can be continued: a large rate learns fast, a small one well."""

import json
import os

import tandem_trial as trial

p = trial.params({"rate": 0.1})
state = {"epoch": 0, "error": 1.0}
if trial.resume_from():
    with open(trial.resume_from()) as file:
        state = json.load(file)
folder = trial.checkpoint_dir()
while state["epoch"] < trial.budget(64):
    state["epoch"] += 1
    state["error"] = state["error"] * (1 - p["rate"]) + 0.05 * p["rate"] ** 2
    name = "epoch-%d.json" % state["epoch"]
    with open(os.path.join(folder, name + ".new"), "w") as file:
        json.dump(state, file)
    os.rename(os.path.join(folder, name + ".new"), os.path.join(folder, name))
    trial.saved(state["epoch"], name)
    if not trial.report(state["epoch"], error=state["error"]):
        break
