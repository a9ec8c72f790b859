"""A stand-in for a training program: its accuracy grows with the epochs, as real ones do."""

import math

import tandem_trial as trial

p = trial.params({"optimizer": "Adam", "num_epochs": 10, "batch_size": 64})
best = {"Adam": 0.97, "SGD": 0.93, "RMSprop": 0.96}[p["optimizer"]]
for epoch in range(1, p["num_epochs"] + 1):
    speed = 6.0 * p["batch_size"] / 32
    accuracy = best * (1 - math.exp(-epoch / speed)) + 0.03 * math.exp(-epoch)
    if not trial.report(epoch, accuracy=round(accuracy, 6)):
        break
