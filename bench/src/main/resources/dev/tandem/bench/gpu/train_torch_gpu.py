"""PyTorch's side of `tandem bench train --device cuda`: channels-last, fused SGD, eager or by
torch.compile. The networks are those of dev.tandem.nn.models.ResNet, with their parameters in the
same order.

usage: train_torch_gpu.py PIPE FOLDER DEVICE
"""

import os
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

LEARNING_RATE = 0.01
GENTLE_RATE = 0.001  # of what is compared step by step
MOMENTUM = 0.9
WARM_UP = 30
DEVICE = torch.device(sys.argv[3])


def norm(channels, filters, kernel, stride):
    return nn.Sequential(
        nn.Conv2d(channels, filters, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(filters))


class Block(nn.Module):
    """Convolutions and a shortcut, whose parameters come first."""

    def __init__(self, channels, filters, stride, deep):
        super().__init__()
        outputs = 4 * filters if deep else filters
        same = stride == 1 and channels == outputs
        self.shortcut = None if same else norm(channels, outputs, 1, stride)
        if deep:
            parts = [norm(channels, filters, 1, 1), norm(filters, filters, 3, stride),
                     norm(filters, outputs, 1, 1)]
        else:
            parts = [norm(channels, filters, 3, stride), norm(filters, outputs, 3, 1)]
        self.parts = nn.ModuleList(parts)

    def forward(self, x):
        y = x
        for part in self.parts[:-1]:
            y = F.relu(part(y), inplace=True)
        y = self.parts[-1](y)
        y += x if self.shortcut is None else self.shortcut(x)
        return F.relu(y, inplace=True)


class ResNet(nn.Module):
    def __init__(self, deep, classes):
        super().__init__()
        self.deep = deep
        self.first = norm(3, 64, 7, 2) if deep else norm(3, 64, 3, 1)
        channels = 64
        blocks = []
        for stage, count in enumerate([3, 4, 6, 3] if deep else [2, 2, 2, 2]):
            for block in range(count):
                filters = 64 << stage
                blocks.append(Block(
                    channels, filters, 2 if stage > 0 and block == 0 else 1, deep))
                channels = 4 * filters if deep else filters
        self.blocks = nn.Sequential(*blocks)
        self.fc = nn.Linear(channels, classes)

    def forward(self, x):
        x = F.relu(self.first(x), inplace=True)
        if self.deep:
            x = F.max_pool2d(x, 3, 2, 1)
        return self.fc(self.blocks(x).mean((2, 3)))


NETWORKS = {"resnet18": (False, 32, 10), "resnet50": (True, 224, 1000)}


def numbers(folder, name, dtype):
    with open(os.path.join(folder, "gpu." + name), "rb") as stream:
        return torch.frombuffer(bytearray(stream.read()), dtype=dtype)


def tf32(allowed):
    torch.backends.cudnn.allow_tf32 = allowed
    torch.backends.cuda.matmul.allow_tf32 = allowed


def sgd(network, rate=LEARNING_RATE):
    return torch.optim.SGD(network.parameters(), lr=rate, momentum=MOMENTUM, fused=True)


def losses(folder, steps, batch, variant):
    """Of a training from the given parameters on the given batches, in exact float32."""
    tf32(False)
    torch.backends.cudnn.benchmark = variant == "benchmark"
    order = torch.contiguous_format if variant == "contiguous" else torch.channels_last
    network = ResNet(False, 10)
    values = numbers(folder, "parameters", torch.float32)
    at = 0
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(values[at:at + parameter.numel()].view_as(parameter))
            at += parameter.numel()
    if at != values.numel():
        sys.exit("%d parameters here and %d there" % (at, values.numel()))
    network = network.to(DEVICE).to(memory_format=order).train()
    inputs = numbers(folder, "inputs", torch.float32).view(steps, batch, 3, 32, 32)
    labels = numbers(folder, "labels", torch.int64).view(steps, batch)
    optimizer = sgd(network, GENTLE_RATE)
    told = []
    for step in range(steps):
        optimizer.zero_grad(set_to_none=True)
        x = inputs[step].to(DEVICE).contiguous(memory_format=order)
        loss = F.cross_entropy(network(x), labels[step].to(DEVICE))
        loss.backward()
        optimizer.step()
        told.append("%.7f" % loss.item())
    torch.backends.cudnn.benchmark = False
    return " ".join(told)


class Training:
    """A network that trains on one batch, which is on the GPU."""

    def __init__(self, name, precision, batch, compiled):
        deep, side, classes = NETWORKS[name]
        torch.manual_seed(1)
        self.mixed = precision == "bf16"
        self.network = ResNet(deep, classes).to(DEVICE).to(
            memory_format=torch.channels_last).train()
        self.inputs = torch.randn(batch, 3, side, side, device=DEVICE).contiguous(
            memory_format=torch.channels_last)
        self.labels = torch.randint(classes, (batch,), device=DEVICE)
        self.optimizer = sgd(self.network)
        self.called = torch.compile(self.network, dynamic=False) if compiled else self.network
        for _ in range(WARM_UP):
            self.step()

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=self.mixed):
            loss = F.cross_entropy(self.called(self.inputs), self.labels)
        loss.backward()
        self.optimizer.step()
        return loss

    def seconds(self, steps):
        for _ in range(3):
            self.step()
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(steps):
            self.step()
        torch.cuda.synchronize()
        return (time.perf_counter() - began) / steps


def main():
    print("ready", flush=True)
    present = None
    trainings = {}
    with open(sys.argv[1]) as pipe:
        for line in iter(pipe.readline, ""):
            words = line.split()
            if words[0] == "losses":
                answer = losses(sys.argv[2], int(words[1]), int(words[2]), words[3])
            elif words[0] == "about":
                answer = "PyTorch %s, Python %s" % (torch.__version__, sys.version.split()[0])
            else:
                case = words[1:4]
                if case != present:
                    trainings = {}
                    torch.cuda.empty_cache()
                    present = case
                    tf32(True)
                if words[0] not in trainings:
                    trainings[words[0]] = Training(
                        words[1], words[2], int(words[3]), words[0] == "compile")
                answer = "%.9f" % trainings[words[0]].seconds(int(words[4]))
            print(answer, flush=True)


main()
