"""Writes to an environment until its input ends: keep_writing.py FOLDER.

Each commit replaces all 300 values by the commit's number, in values of many sizes, so a reader
that sees two different numbers has seen no consistent state.
"""
import os
import random
import select
import sys

import lmdb

env = lmdb.open(sys.argv[1], map_size=1 << 30, sync=False)
r = random.Random(5)
commit = 0
while not select.select([sys.stdin], [], [], 0)[0]:
    commit += 1
    with env.begin(write=True) as txn:
        for i in range(300):
            size = r.choice([8, 8, 8, 100, 3000, 9000])
            txn.put(b"%06d" % i, commit.to_bytes(8, "little") * (size // 8))
    if commit == 1:
        print("ready", flush=True)
print(commit, flush=True)
env.close()
