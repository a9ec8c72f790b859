"""The Gloo side of `tandem bench collective`, by PyTorch; see collective_mpi.c for the steps.

usage: collective_gloo.py RANK RANKS STORE_FILE PIPES
"""

import statistics
import sys
import time

import torch
import torch.distributed as dist

MAXIMUM_CALLS = 20000
MINIMUM_CALLS = 2
WARM_CALLS = 1


def call_once(data, index, call):
    torch.add(index, call % 1000 + dist.get_rank(), out=data)
    dist.barrier()
    began = time.perf_counter()
    dist.all_reduce(data)
    took = time.perf_counter() - began
    expected = sum(call % 1000 + rank for rank in range(dist.get_world_size()))
    if data[0].item() != expected:
        sys.exit("wrong result: %f instead of %f" % (data[0].item(), expected))
    return took


def calls_in(data, index, warm_up, seconds):
    """How many calls fit into the time, the same in all ranks."""
    began = time.perf_counter()
    call = 0
    enough = torch.zeros(1)
    while not enough.item():
        call_once(data, index, call)
        call += 1
        enough[0] = call >= WARM_CALLS and time.perf_counter() - began >= warm_up
        dist.broadcast(enough, 0)
    each = torch.tensor([(time.perf_counter() - began) / call])
    dist.all_reduce(each, dist.ReduceOp.MAX)
    return int(min(max(seconds / each.item(), MINIMUM_CALLS), MAXIMUM_CALLS))


def main():
    rank, ranks, store, pipes = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=ranks)
    dist.barrier()
    if rank == 0:
        print("ready", flush=True)
    with open(pipes + str(rank)) as pipe:
        for line in iter(pipe.readline, ""):
            operation, size, warm_up, seconds = line.split()
            count = int(size) // 4
            index = torch.arange(count, dtype=torch.int32).bitwise_and_(7).to(torch.float32)
            data = torch.zeros(count)
            calls = calls_in(data, index, float(warm_up), float(seconds))
            times = torch.tensor([call_once(data, index, call) for call in range(calls)],
                                 dtype=torch.float64)
            dist.all_reduce(times, dist.ReduceOp.MAX)
            if rank == 0:
                median = statistics.median(times.tolist())
                print(operation, count * 4, "%.3f" % (median * 1e6), flush=True)
    dist.barrier()


main()
