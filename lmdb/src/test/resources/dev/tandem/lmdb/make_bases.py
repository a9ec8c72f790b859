"""Writes small databases of every layout with liblmdb, to be damaged: make_bases.py FOLDER SEED."""
import os
import random
import struct
import sys

import lmdb

folder, r = sys.argv[1], random.Random(int(sys.argv[2]))


def environment(name):
    os.makedirs(os.path.join(folder, name))
    return lmdb.open(os.path.join(folder, name), map_size=1 << 26, max_dbs=8, sync=False)


# Values within leaves and on overflow pages, several commits, deletions.
env = environment("plain")
for start in range(0, 120, 30):
    with env.begin(write=True) as txn:
        for i in range(start, start + 30):
            txn.put(b"%08d" % i, r.randbytes(r.choice([0, 10, 300, 3083, 9000])))
        for i in range(start, start + 30, 7):
            txn.delete(b"%08d" % i)
env.close()

# Keys so long that a page has few: a deep tree.
env = environment("deep")
with env.begin(write=True) as txn:
    for i in range(250):
        txn.put(b"%06d" % r.randrange(10 ** 6) + r.randbytes(490), r.randbytes(5))
env.close()

# Duplicates in sub-pages and in trees.
env = environment("duplicates")
db = env.open_db(b"dup", dupsort=True)
with env.begin(write=True, db=db) as txn:
    for i in range(40):
        for _ in range(r.choice([1, 3, 20])):
            txn.put(b"key%d" % i, r.randbytes(r.randint(1, 30)))
    for _ in range(60):
        txn.put(b"key5", r.randbytes(400))
env.close()

# Packed duplicates of equal length.
env = environment("fixed")
db = env.open_db(b"fix", dupsort=True, dupfixed=True, integerkey=True)
with env.begin(write=True, db=db) as txn:
    for i in range(20):
        for _ in range(r.choice([1, 5, 40])):
            txn.put(struct.pack("<Q", i), r.randbytes(8))
    for _ in range(2000):
        txn.put(struct.pack("<Q", 7), r.randbytes(8))
env.close()

# Several databases, one emptied, and a free list of some length.
env = environment("named")
dbs = [env.open_db(b"db%d" % i, reverse_key=i == 1) for i in range(4)]
for n in range(12):
    with env.begin(write=True) as txn:
        for i in range(60):
            txn.put(r.randbytes(12), r.randbytes(r.choice([20, 200, 5000])), db=dbs[n % 4])
        if n == 6:
            txn.drop(dbs[3], delete=False)
env.close()
