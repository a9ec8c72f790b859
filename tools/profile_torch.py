#!/usr/bin/env python3
"""Measures what the layers of a PyTorch model take on this device, as a profile for `tandem plan`.

    python3 profile_torch.py my_module:make_model --input 3x224x224 --samples 1,8,32 \\
        --output profile.json

Needs this file, Python 3.8 and PyTorch (1.13 or newer sees functions besides modules). The model
is what `make_model` in my_module.py returns, in training mode. Each layer is measured alone, with
random samples: its forward pass, and its backward pass apart for the gradient by its inputs and by
its parameters; then optimizers, and whole passes. Where a whole pass takes more than its layers
together, the rest is noted too; where it takes less, because a device is given work ahead, the
layers' times are divided so that they add up to it. Layers that are alike are measured once. Times
are medians; `spread` is relative, from the median deviation. On CUDA devices all measurements wait
for the device.
"""

import argparse
import datetime
import importlib
import json
import os
import platform
import re
import statistics
import sys
import time

import torch
from torch import nn

try:
    from torch.overrides import TorchFunctionMode
except ImportError:
    TorchFunctionMode = None

VERSION = 1

# Kinds of layers as Tandem names them; the first class that fits counts.
MODULES = [
    ((nn.Conv1d, nn.Conv2d, nn.Conv3d), "convolution"),
    ((nn.Linear,), "fully-connected"),
    ((nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm), "batch-norm"),
    ((nn.LayerNorm,), "layer-norm"),
    ((nn.GroupNorm,), "group-norm"),
    ((nn.LocalResponseNorm,), "local-response-norm"),
    ((nn.ReLU,), "relu"),
    ((nn.LeakyReLU,), "leaky-relu"),
    ((nn.GELU,), "gelu"),
    ((nn.SiLU,), "silu"),
    ((nn.Sigmoid,), "sigmoid"),
    ((nn.Tanh,), "tanh"),
    ((nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d), "max-pool"),
    ((nn.AvgPool1d, nn.AvgPool2d, nn.AvgPool3d), "average-pool"),
    ((nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool3d), "average-pool"),
    ((nn.AdaptiveMaxPool1d, nn.AdaptiveMaxPool2d, nn.AdaptiveMaxPool3d), "max-pool"),
    ((nn.Dropout, nn.Dropout2d, nn.Dropout3d), "dropout"),
    ((nn.Flatten,), "flatten"),
    ((nn.MultiheadAttention,), "self-attention"),
]

FUNCTIONS = {
    "add": "add", "add_": "add", "__add__": "add", "__iadd__": "add", "__radd__": "add",
    "relu": "relu", "relu_": "relu", "leaky_relu": "leaky-relu", "gelu": "gelu", "silu": "silu",
    "sigmoid": "sigmoid", "tanh": "tanh", "dropout": "dropout",
    "conv1d": "convolution", "conv2d": "convolution", "conv3d": "convolution",
    "linear": "fully-connected", "batch_norm": "batch-norm", "layer_norm": "layer-norm",
    "group_norm": "group-norm", "local_response_norm": "local-response-norm",
    "max_pool1d": "max-pool", "max_pool2d": "max-pool", "max_pool3d": "max-pool",
    "avg_pool1d": "average-pool", "avg_pool2d": "average-pool", "avg_pool3d": "average-pool",
    "adaptive_avg_pool1d": "average-pool", "adaptive_avg_pool2d": "average-pool",
    "adaptive_avg_pool3d": "average-pool", "adaptive_max_pool2d": "max-pool",
    "cat": "concatenation", "concat": "concatenation", "mean": "mean",
}

# Kernels that compute both gradients at once: measured together.
TOGETHER = ("batch-norm", "layer-norm", "group-norm", "instance-norm")

# What changes shapes alone.
VIEWS = ("flatten", "view", "reshape")


def kebab(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name.strip("_")).replace("_", "-").lower()


class Slot:
    """The place of an activation among the arguments of a call."""

    def __init__(self, index):
        self.index = index


def placed(value, find):
    """The same arguments with something else in the place of each tensor."""
    if isinstance(value, torch.Tensor):
        return find(value)
    if type(value) in (list, tuple):
        return type(value)(placed(each, find) for each in value)
    if isinstance(value, dict):
        return {key: placed(each, find) for key, each in value.items()}
    return value


def filled(value, tensors):
    if isinstance(value, Slot):
        return tensors[value.index]
    if type(value) in (list, tuple):
        return type(value)(filled(each, tensors) for each in value)
    if isinstance(value, dict):
        return {key: filled(each, tensors) for key, each in value.items()}
    return value


def first_tensor(value):
    if isinstance(value, torch.Tensor):
        return value
    if isinstance(value, (list, tuple)):
        for each in value:
            found = first_tensor(each)
            if found is not None:
                return found
    return None


def size(shape):
    product = 1
    for extent in shape:
        product *= extent
    return product


def element_bytes(dtype):
    return torch.empty(0, dtype=dtype).element_size()


class Call:
    """A layer as it was called once: enough to call it again with random activations."""

    def __init__(self, name, kind, settings, function, args, kwargs, samples, in_place):
        self.name, self.kind, self.function, self.in_place = name, kind, function, in_place
        self.samples = samples
        self.tensors, self.parameters, self.learns_before = [], [], False
        slots = {}

        def find(tensor):
            if isinstance(tensor, nn.Parameter):
                self.parameters.append(tensor)
                return tensor
            batched = tensor.dim() > 0 and tensor.shape[0] % samples == 0
            if not tensor.is_floating_point() or not batched:
                return tensor.detach()
            if id(tensor) not in slots:
                slots[id(tensor)] = Slot(len(self.tensors))
                self.tensors.append((tuple(tensor.shape), tensor.dtype))
                self.learns_before |= tensor.requires_grad
            return slots[id(tensor)]

        self.args, self.kwargs = placed(tuple(args), find), placed(dict(kwargs), find)
        self.inputs = [self.sample(shape) for shape, _ in self.tensors]
        self.settings = settings
        self.output = None
        self.output_bytes = 0

    def sample(self, shape):
        """The shape of one sample."""
        rest = shape[0] // self.samples
        return list(shape[1:]) if rest == 1 else [rest, *shape[1:]]

    def ends(self, output):
        """Takes note of the result; gives whether it is one of samples."""
        if output is None or not output.is_floating_point() or not self.tensors:
            return False
        if output.dim() == 0 or output.shape[0] % self.samples != 0:
            return False
        self.output = self.sample(tuple(output.shape))
        self.output_bytes = output.numel() * output.element_size()
        space = len(self.inputs[0]) - 1
        alone = size(self.output) == self.inputs[0][0]
        if self.kind in ("average-pool", "max-pool", "mean") and space >= 2 and alone:
            if self.kind == "mean" or "Adaptive" in self.settings or "adaptive" in self.settings:
                self.kind = "global-" + self.kind.replace("mean", "average-pool")
                self.output = self.output[:1]
        elif self.kind == "mean" and space == 1 and self.output == self.inputs[0][1:]:
            self.kind = "token-mean"
        return True

    def key(self):
        parameters = [tuple(each.shape) for each in self.parameters]
        return (self.kind, self.settings, str(self.inputs), str(parameters))

    def input_bytes(self):
        return sum(size(shape) * element_bytes(dtype) for shape, dtype in self.tensors)

    def leaves(self, device, learn):
        return [
            torch.randn(shape, device=device, dtype=dtype).requires_grad_(learn)
            for shape, dtype in self.tensors
        ]

    def run(self, leaves):
        tensors = [leaf.clone() for leaf in leaves] if self.in_place else leaves
        args, kwargs = filled(self.args, tensors), filled(self.kwargs, tensors)
        return first_tensor(self.function(*args, **kwargs))


class Recorder:
    """Sees the calls of a forward pass: of PyTorch's modules, and of functions outside them."""

    def __init__(self, model, samples):
        self.model, self.samples = model, samples
        self.calls, self.depth, self.left_out = [], 0, 0

    def leaf(self, module):
        of_torch = type(module).__module__.startswith("torch.nn.modules")
        container = type(module).__module__.endswith(".container")
        if not of_torch or container or isinstance(module, nn.Identity):
            return False
        return isinstance(module, nn.MultiheadAttention) or not any(True for _ in module.children())

    def kind(self, module):
        for classes, kind in MODULES:
            if isinstance(module, classes):
                return kind
        return kebab(type(module).__name__)

    def begin(self, name, kind, settings, function, args, kwargs, in_place, parameters=()):
        call = Call(name, kind, settings, function, args, kwargs, self.samples, in_place)
        call.parameters.extend(parameters)
        return call

    def end(self, call, output):
        if call.ends(first_tensor(output)):
            self.calls.append(call)
        else:
            self.left_out += 1

    def wrapped(self, name, module, forward):
        def call(*args, **kwargs):
            if self.depth:
                return forward(*args, **kwargs)
            seen = self.begin(name, self.kind(module), repr(module), forward, args, kwargs,
                              getattr(module, "inplace", False), module.parameters())
            self.depth += 1
            try:
                output = forward(*args, **kwargs)
            finally:
                self.depth -= 1
            self.end(seen, output)
            return output

        return call

    def function(self, function, args, kwargs):
        name = getattr(function, "__name__", "")
        if self.depth:
            return function(*args, **kwargs)
        in_place = kwargs.get("inplace", False) or (
            name.startswith("__i") or (name.endswith("_") and not name.endswith("__")))
        kind = FUNCTIONS.get(name) or ("flatten" if name in VIEWS else kebab(name))
        settings = name + " " + repr(placed((args, kwargs), lambda tensor: "tensor"))
        before = first_tensor((args, kwargs))
        address = before.data_ptr() if before is not None else None
        seen = self.begin(kind, kind, settings, function, args, kwargs, in_place)
        output = function(*args, **kwargs)
        if isinstance(output, torch.Tensor) and output.is_floating_point() and seen.tensors:
            view = output.data_ptr() == address and not in_place
            flat = kind == "flatten" and output.dim() == 2 and before.dim() > 2
            if flat or (not view and name not in VIEWS and not name.startswith("__get")):
                seen.name = "%s.%d" % (kind, len(self.calls))
                self.end(seen, output)
        return output

    def record(self, batch):
        modules = [(name, each) for name, each in self.model.named_modules() if self.leaf(each)]
        for name, module in modules:
            module.forward = self.wrapped(name or kebab(type(module).__name__), module,
                                          module.forward)
        try:
            if TorchFunctionMode is None:
                return self.model(batch)
            recorder = self

            class Functions(TorchFunctionMode):
                def __torch_function__(self, function, types, args=(), kwargs=None):
                    return recorder.function(function, args, kwargs or {})

            with Functions():
                return self.model(batch)
        finally:
            for _, module in modules:
                del module.forward


class Clock:
    """Medians of repeated measurements."""

    BATCH_SECONDS = 0.005

    def __init__(self, device, rounds, limit):
        self.device, self.rounds, self.limit = device, rounds, limit
        self.most_bytes = 1 << 28
        if device.type == "cuda":
            self.most_bytes = torch.cuda.get_device_properties(device).total_memory // 16

    def wait(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def once(self, prepare, run, times):
        states = [prepare() for _ in range(times)]
        self.wait()
        begin = time.perf_counter()
        run(states)
        self.wait()
        return (time.perf_counter() - begin) / times

    def measure(self, prepare, run, held):
        """Seconds of a run and their relative spread.

        run: takes a list of what prepare returned, for as many runs
        held: bytes that one prepared run keeps
        """
        self.once(prepare, run, 1)
        first = self.once(prepare, run, 1)
        times = int(min(32, self.most_bytes // max(1, held), self.BATCH_SECONDS / first))
        found = []
        begin = time.perf_counter()
        while len(found) < self.rounds:
            if len(found) >= 3 and time.perf_counter() - begin > self.limit:
                break
            found.append(self.once(prepare, run, max(1, times)))
        median = statistics.median(found)
        deviation = statistics.median(abs(each - median) for each in found)
        return median, 1.4826 * deviation / median


def passes(call, clock, device):
    """Seconds of a layer: forward, backward by its inputs, by its parameters; and their spread."""
    learning = [each for each in call.parameters if each.requires_grad]
    held = 2 * (call.input_bytes() + call.output_bytes)
    gradient = []

    def forward(inputs, parameters):
        def prepare():
            for each in learning:
                each.requires_grad_(parameters)
            leaves = call.leaves(device, inputs)
            output = call.run(leaves)
            if not gradient:
                gradient.append(torch.randn_like(output))
            return output, leaves if inputs else []

        return prepare

    def backward(parameters):
        def run(states):
            # One call for all, as a pass of a model is one.
            outputs = [output for output, _ in states if output.requires_grad]
            targets = [leaf for _, leaves in states for leaf in leaves]
            targets += learning if parameters else []
            if outputs and targets:
                torch.autograd.grad(outputs, targets, gradient * len(outputs), allow_unused=True)

        return run

    def run(states):
        for leaves in states:
            call.run(leaves)

    try:
        ready = call.leaves(device, True)
        time_forward, spread = clock.measure(lambda: ready, run, held)
        time_weights = 0.0
        time_data, spread_data = clock.measure(
            forward(True, bool(learning)), backward(bool(learning)), held)
        if learning and call.kind not in TOGETHER:
            # What both take together, in the proportion of what each takes alone.
            data_alone, _ = clock.measure(forward(True, False), backward(False), held)
            weights_alone, _ = clock.measure(forward(False, True), backward(True), held)
            time_weights = time_data * weights_alone / (data_alone + weights_alone)
            time_data -= time_weights
    finally:
        for each in learning:
            each.requires_grad_(True)
    return {"samples": call.samples, "forward": time_forward, "backwardData": time_data,
            "backwardWeights": time_weights, "spread": max(spread, spread_data)}


def loss_of(output):
    output = first_tensor(output)
    if output.dim() == 2:
        targets = torch.arange(output.shape[0], device=output.device) % output.shape[1]
        return nn.functional.cross_entropy(output.float(), targets)
    return output.float().pow(2).mean()


def whole_pass(model, batch, clock):
    def forget():
        for each in model.parameters():
            each.grad = None

    def run(_):
        loss_of(model(batch)).backward()

    seconds, _ = clock.measure(forget, run, clock.most_bytes)
    forget()
    return seconds


def kept_share(model, batch, calls, device):
    """Bytes kept until the backward pass over those of all activations and their gradients."""
    counted = 2 * sum(call.input_bytes() + call.output_bytes for call in calls)
    own = {each.data_ptr() for each in [*model.parameters(), *model.buffers()]}
    if device.type == "cuda":
        torch.cuda.synchronize(device)
        before = torch.cuda.memory_allocated(device)
        torch.cuda.reset_peak_memory_stats(device)
        loss_of(model(batch)).backward()
        torch.cuda.synchronize(device)
        gradients = sum(each.numel() * each.element_size()
                        for each in model.parameters() if each.grad is not None)
        kept = torch.cuda.max_memory_allocated(device) - before - gradients
    else:
        storages = {}

        def pack(tensor):
            storage = tensor.storage() if not hasattr(tensor, "untyped_storage") \
                else tensor.untyped_storage()
            if storage.data_ptr() not in own:
                storages[storage.data_ptr()] = storage.nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            loss = loss_of(model(batch))
        kept = sum(storages.values())
        del loss
    for each in model.parameters():
        each.grad = None
    return max(kept, 1) / counted


def updates(model, clock, device):
    """What optimizers take, by the numbers that they keep for each parameter."""
    shapes = [(each.shape, each.dtype) for each in model.parameters() if each.requires_grad]
    found = []
    optimizers = [
        (0, lambda each: torch.optim.SGD(each, lr=0.01)),
        (1, lambda each: torch.optim.SGD(each, lr=0.01, momentum=0.9)),
        (2, lambda each: torch.optim.Adam(each)),
    ]
    if not shapes:
        return found
    for state_values, make in optimizers:
        def seconds(sizes):
            parameters = [torch.zeros(shape, device=device, dtype=dtype) for shape, dtype in sizes]
            for each in parameters:
                each.grad = torch.ones_like(each)
            optimizer = make(parameters)
            return clock.measure(lambda: None, lambda _: optimizer.step(), clock.most_bytes)[0]

        each = seconds([((1,), dtype) for _, dtype in shapes])
        total = sum(size(shape) * element_bytes(dtype) for shape, dtype in shapes)
        found.append({"stateValues": state_values,
                      "secondsPerByte": max(0.0, seconds(shapes) - each) / total,
                      "secondsPerTensor": each / len(shapes)})
    return found


def copies(clock, device):
    def seconds(elements):
        tensor = torch.zeros(elements, device=device)
        return clock.measure(
            lambda: tensor, lambda all: [each.clone() for each in all], 4 * elements)[0]

    small, elements = seconds(1), 1 << 22
    return small, max(0.0, seconds(elements) - small) / (4 * elements)


def device_name(device):
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            for line in info:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def processors(device):
    """That a rank may use, where they compute; else 0."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if device.type == "cpu" and affinity else 0


def load(parser, where):
    if ":" not in where:
        parser.error("MODEL is '%s', expected module:function, as in my_module:make_model" % where)
    module, name = where.split(":", 1)
    sys.path.insert(0, os.getcwd())
    try:
        made = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as e:
        parser.error("MODEL is '%s': %s" % (where, e))
    model = made if isinstance(made, nn.Module) else made()
    if not isinstance(model, nn.Module):
        parser.error("MODEL is '%s': %s returned no torch.nn.Module" % (where, name))
    return model


def options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL", help="module:function that returns the model")
    parser.add_argument("--input", required=True, metavar="SHAPE",
                        help="extents of one sample, such as 3x224x224")
    parser.add_argument("--samples", default="1,8,32", metavar="N,N",
                        help="samples that a device gets at once (default: %(default)s)")
    parser.add_argument("--output", default="profile.json", metavar="FILE",
                        help="where the profile goes (default: %(default)s)")
    parser.add_argument("--device", default="auto", help="cpu, cuda, cuda:1, ... (default: cuda if"
                        " there is one)")
    parser.add_argument("--threads", type=int, default=0, metavar="N",
                        help="threads of PyTorch on a CPU (default: its own)")
    parser.add_argument("--type", default="float32", choices=("float32", "bfloat16"),
                        help="of parameters and activations (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=7, metavar="N",
                        help="measurements of each pass of a layer (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=1, metavar="S",
                        help="after which no more are made, but for three (default: %(default)s)")
    chosen = parser.parse_args()
    try:
        chosen.input = [int(each) for each in chosen.input.split("x")]
        chosen.samples = sorted({int(each) for each in chosen.samples.split(",")})
    except ValueError:
        parser.error("--input and --samples are numbers, such as 3x224x224 and 1,8,32")
    if min(chosen.input + chosen.samples) < 1 or chosen.rounds < 1:
        parser.error("--input, --samples and --rounds must be at least 1")
    if chosen.device == "auto":
        chosen.device = "cuda" if torch.cuda.is_available() else "cpu"
    chosen.model = load(parser, chosen.model)
    return parser, chosen


def out_of_memory(error):
    return "out of memory" in str(error) or "can't allocate memory" in str(error)


def main():
    parser, chosen = options()
    torch.manual_seed(1)
    if chosen.threads:
        torch.set_num_threads(chosen.threads)
    try:
        device, dtype = torch.device(chosen.device), getattr(torch, chosen.type)
        model = chosen.model.to(device=device, dtype=dtype).train()
    except (RuntimeError, AssertionError) as e:
        parser.error("--device %s: %s" % (chosen.device, e))
    clock = Clock(device, chosen.rounds, chosen.seconds)
    layers, besides, gamma = {}, [], 1.0
    print("%8s  %12s  %12s  %s" % ("samples", "whole pass", "its layers", "share"), flush=True)
    for samples in chosen.samples:
        batch = torch.randn([samples, *chosen.input], device=device, dtype=dtype)
        recorder = Recorder(model, samples)
        try:
            recorder.record(batch)
        except RuntimeError as e:
            if not out_of_memory(e):
                parser.error("the model does not take %s samples of %s: %s"
                             % (samples, "x".join(map(str, chosen.input)), e))
            print("%8d  out of memory: nothing is measured for more samples" % samples)
            break
        calls = recorder.calls
        if not calls:
            parser.error("no layer was called: is the model compiled, or not of PyTorch's modules?")
        try:
            measured, together = {}, 0.0
            for call in calls:
                if call.key() not in measured:
                    measured[call.key()] = passes(call, clock, device)
                times = measured[call.key()]
                together += times["forward"] + times["backwardWeights"]
                together += times["backwardData"] if call.learns_before else 0.0
            whole = whole_pass(model, batch, clock)
            for times in measured.values():
                for part in ("forward", "backwardData", "backwardWeights"):
                    times[part] *= min(1.0, whole / together)
            gamma = kept_share(model, batch, calls, device)
        except RuntimeError as e:
            if not out_of_memory(e):
                parser.error("a pass of the model fails: %s" % e)
            print("%8d  out of memory: nothing is measured for more samples" % samples)
            break
        for call in calls:
            layer = layers.setdefault(call.key(), {
                "name": call.name, "kind": call.kind, "inputs": call.inputs,
                "output": call.output,
                "parameters": sum(each.numel() for each in call.parameters), "times": []})
            if not layer["times"] or layer["times"][-1]["samples"] != samples:
                layer["times"].append(measured[call.key()])
        besides.append(max(0.0, whole - together))
        print("%8d  %9.3f ms  %9.3f ms  %3.0f%%"
              % (samples, 1e3 * whole, 1e3 * together, 100 * together / whole), flush=True)
        if recorder.left_out:
            print("%8s  %d operations on no samples are left out" % ("", recorder.left_out))
    if not layers:
        parser.exit(1, "nothing was measured\n")
    copy_seconds, copy_per_byte = copies(clock, device)
    profile = {
        "version": VERSION,
        "device": device_name(device),
        "processors": processors(device),
        "ranks": 1,
        "threads": torch.get_num_threads(),
        "type": chosen.type,
        "made": datetime.date.today().isoformat(),
        "layers": list(layers.values()),
        "updates": updates(model, clock, device),
        "copySeconds": copy_seconds,
        "copySecondsPerByte": copy_per_byte,
        "perPass": {"seconds": min(besides), "perLayer": 0.0},
        "gamma": gamma,
        "collectives": [],
    }
    pending = chosen.output + ".pending"
    with open(pending, "w", encoding="utf-8") as out:
        json.dump(profile, out, indent=1)
        out.write("\n")
    os.replace(pending, chosen.output)
    print("%d layers, %.0f%% of counted activations kept: %s"
          % (len(layers), 100 * gamma, chosen.output))


if __name__ == "__main__":
    main()
