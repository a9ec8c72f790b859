"""PyTorch's side of `tandem bench train`: eager mode, channels-last, alone or with
DistributedDataParallel over Gloo. The networks are those of dev.tandem.nn.models, with their
parameters in the same order, and start from the weights and samples that Tandem wrote.

usage: train_torch.py RANK RANKS STORE_FILE PIPES FOLDER
"""

import contextlib
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

LEARNING_RATE = 0.001
MOMENTUM = 0.9
CHECKED_STEPS = 3


class CaffeCifar(nn.Module):
    """Caffe's network for CIFAR-10 ("full")."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, 5, padding=2)
        self.conv2 = nn.Conv2d(32, 32, 5, padding=2)
        self.conv3 = nn.Conv2d(32, 64, 5, padding=2)
        self.ip1 = nn.Linear(64 * 4 * 4, 10)

    @staticmethod
    def norm(x):
        return x / F.avg_pool2d(x * x, 3, 1, 1).mul(5e-5).add(1.0).pow(0.75)

    def forward(self, x):
        x = self.norm(F.relu(F.max_pool2d(self.conv1(x), 3, 2, ceil_mode=True), inplace=True))
        x = F.relu(self.conv2(x), inplace=True)
        x = self.norm(F.avg_pool2d(x, 3, 2, ceil_mode=True))
        x = F.relu(self.conv3(x), inplace=True)
        return self.ip1(F.avg_pool2d(x, 3, 2, ceil_mode=True).flatten(1))


class Block(nn.Module):
    """Two 3x3 convolutions and a shortcut, whose parameters come first."""

    def __init__(self, channels, filters, stride):
        super().__init__()
        same = stride == 1 and channels == filters
        self.shortcut = nn.Identity() if same else nn.Sequential(
            nn.Conv2d(channels, filters, 1, stride, bias=False), nn.BatchNorm2d(filters))
        self.conv1 = nn.Conv2d(channels, filters, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(filters)
        self.conv2 = nn.Conv2d(filters, filters, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(filters)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(y))
        y += self.shortcut(x)
        return F.relu(y, inplace=True)


def resnet18(first, classes):
    layers = first
    channels = 64
    for stage in range(4):
        for block in range(2):
            filters = 64 << stage
            layers.append(Block(channels, filters, 2 if stage > 0 and block == 0 else 1))
            channels = filters
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, classes))


def small_start():
    return [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)]


def imagenet_start():
    return [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, 1)]


NETWORKS = {
    "cifar": (CaffeCifar, 32),
    "resnet18": (lambda: resnet18(small_start(), 10), 32),
    "resnet18-imagenet": (lambda: resnet18(imagenet_start(), 1000), 224),
}


def numbers(file, dtype):
    with open(file, "rb") as stream:
        return torch.frombuffer(bytearray(stream.read()), dtype=dtype)


class Training:
    """A network that trains on one batch."""

    def __init__(self, name, folder, parallel):
        make, side = NETWORKS[name]
        network = make()
        values = numbers(os.path.join(folder, name + ".parameters"), torch.float32)
        self.parameters = sum(p.numel() for p in network.parameters())
        if self.parameters != values.numel():
            sys.exit("%s has %d parameters here and %d there"
                     % (name, self.parameters, values.numel()))
        at = 0
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.copy_(values[at:at + parameter.numel()].view_as(parameter))
                at += parameter.numel()
        network = network.to(memory_format=torch.channels_last).train()
        inputs = numbers(os.path.join(folder, name + ".inputs"), torch.float32)
        self.inputs = inputs.view(-1, 3, side, side).contiguous(memory_format=torch.channels_last)
        self.labels = numbers(os.path.join(folder, name + ".labels"), torch.int64)
        self.network = nn.parallel.DistributedDataParallel(network) if parallel else network
        self.optimizer = torch.optim.SGD(self.network.parameters(), LEARNING_RATE, MOMENTUM)

    def step(self, synchronised, batch=None):
        self.optimizer.zero_grad(set_to_none=True)
        alone = not synchronised and isinstance(
            self.network, nn.parallel.DistributedDataParallel)
        with self.network.no_sync() if alone else contextlib.nullcontext():
            loss = F.cross_entropy(self.network(self.inputs[:batch]), self.labels[:batch])
            loss.backward()
        self.optimizer.step()
        return loss.item()


def seconds(step, ranks):
    if ranks > 1:
        dist.barrier()
    began = time.perf_counter()
    step()
    return time.perf_counter() - began


def slowest(times, ranks):
    """Of the slowest rank, step by step."""
    times = torch.tensor(times, dtype=torch.float64)
    if ranks > 1:
        dist.all_reduce(times, dist.ReduceOp.MAX)
    return times


def run(training, warm_up, steps, ranks):
    """Seconds per step."""
    for _ in range(warm_up):
        training.step(True)
    times = [seconds(lambda: training.step(True), ranks) for _ in range(steps)]
    return [statistics.median(slowest(times, ranks).tolist())]


def expose(training, batch, warm_up, pairs, ranks):
    """By how many seconds a step is longer with synchronisation, for each pair of steps."""
    for _ in range(warm_up):
        training.step(True, batch)
    times = []
    for pair in range(pairs):
        times.append([0.0, 0.0])
        # In turns, so that what a step leaves behind cancels out.
        for synchronised in (True, False) if pair % 2 == 0 else (False, True):
            times[pair][0 if synchronised else 1] = seconds(
                lambda: training.step(synchronised, batch), ranks)
    return [with_it - without for with_it, without in slowest(times, ranks).tolist()]


def main():
    rank, ranks, store, pipes, folder = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:6]
    torch.set_num_threads(1)
    if ranks > 1:
        dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=ranks)
        dist.barrier()
    if rank == 0:
        print("ready", flush=True)
    trainings = {}
    with open(pipes + str(rank)) as pipe:
        for line in iter(pipe.readline, ""):
            verb, name, *fields = line.split()
            if verb == "check":
                training = trainings[name] = Training(name, folder, ranks > 1)
                answer = "%d %s" % (training.parameters, " ".join(
                    "%.6f" % training.step(True) for _ in range(CHECKED_STEPS)))
            elif verb == "expose":
                batch, warm_up, pairs = (int(field) for field in fields)
                torch.set_num_threads(1)
                answer = " ".join("%.9f" % number for number in expose(
                    trainings[name], batch, warm_up, pairs, ranks))
            else:
                _, threads, warm_up, steps = fields
                torch.set_num_threads(int(threads))
                answer = " ".join("%.9f" % number for number in run(
                    trainings[name], int(warm_up), int(steps), ranks))
            if rank == 0:
                print(answer, flush=True)
    if ranks > 1:
        dist.barrier()


main()
