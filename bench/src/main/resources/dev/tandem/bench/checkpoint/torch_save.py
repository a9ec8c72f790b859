"""Saves a state dictionary by torch.save and fsync, once for each line on standard input, which
names the file; answers with the seconds it took. Arguments: a file with one tensor a line, name and
extents."""
import os, sys, time
import torch

torch.set_num_threads(1)
state = {}
for line in open(sys.argv[1]):
    name, extents = line.rstrip("\n").split("\t")
    shape = [int(extent) for extent in extents.split(",") if extent]
    state[name] = torch.rand(shape, dtype=torch.float32).sub_(0.5).mul_(0.1)
print("ready", flush=True)
for line in sys.stdin:
    began = time.perf_counter()
    with open(line.rstrip("\n"), "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    print(time.perf_counter() - began, flush=True)
