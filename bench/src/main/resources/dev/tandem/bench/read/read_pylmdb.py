"""py-lmdb's side of the reading benchmark; arguments and output as of read_liblmdb.c.

The last argument is the library that computes the checksum. Values are bytes objects, as py-lmdb
gives them by default.
"""

import ctypes
import multiprocessing
import sys
import time

import lmdb


def load_keys(path):
    data = open(path, "rb").read()
    keys, at = [], 0
    while at < len(data):
        end = at + 1 + data[at]
        keys.append(data[at + 1 : end])
        at = end
    return keys


def open_database(folder, flags):
    return lmdb.open(folder, readonly=True, lock=False, readahead=not flags & 1)


def shares(rank, readers, batch, iterations):
    for i in range(iterations):
        yield i * batch + batch * rank // readers, i * batch + batch * (rank + 1) // readers


def read_strided(transaction, mine, hash_of):
    checksum, records, at = 0, 0, -1
    cursor = transaction.cursor()
    for first, end in mine:
        while at < first - 1:
            cursor.next() or cursor.first()
            at += 1
        for _ in range(first, end):
            cursor.next() or cursor.first()
            key, value = cursor.item()
            checksum += hash_of(key, len(key), value, len(value))
        at = end - 1
        records += end - first
    return checksum, records


def read_shuffled(transaction, mine, hash_of, keys, order):
    checksum, records = 0, 0
    for first, end in mine:
        for place in range(first, end):
            key = keys[order[place]]
            value = transaction.get(key)
            checksum += hash_of(key, len(key), value, len(value))
        records += end - first
    return checksum, records


def run(rank, folder, readers, batch, iterations, flags, keys, order, library, start, results):
    hash_of = ctypes.CDLL(library).hash_of
    hash_of.restype = ctypes.c_uint64
    hash_of.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    mine = shares(rank, readers, batch, iterations)
    start.wait()
    began = time.monotonic()
    with open_database(folder, flags) as environment, environment.begin() as transaction:
        if keys is None:
            checksum, records = read_strided(transaction, mine, hash_of)
        else:
            checksum, records = read_shuffled(transaction, mine, hash_of, keys, order)
    results.put((began, time.monotonic(), checksum, records))


def main():
    folder, access, *numbers = sys.argv[1:7]
    readers, batch, iterations, flags = map(int, numbers)
    library = sys.argv[-1]
    keys = order = None
    if access == "shuffled":
        keys = load_keys(sys.argv[7])
        order = memoryview(open(sys.argv[8], "rb").read()).cast("I")
    context = multiprocessing.get_context("fork")
    start = context.Barrier(readers)
    results = context.Queue()
    arguments = (folder, readers, batch, iterations, flags, keys, order, library, start, results)
    children = [context.Process(target=run, args=(rank, *arguments)) for rank in range(readers)]
    for child in children:
        child.start()
    ended = []
    while len(ended) < readers:
        ended.append(results.get(timeout=600))
    for child in children:
        child.join()
    began, finished, checksums, records = zip(*ended)
    seconds = max(finished) - min(began)
    print(f"records={sum(records)} seconds={seconds:.6f} checksum={sum(checksums) % 2**64:016x}")


main()
