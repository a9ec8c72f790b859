"""Writes random databases with liblmdb and, beside each, what liblmdb then reads from it.

make_databases.py FOLDER SEED FIRST COUNT: case N becomes FOLDER/N with data.mdb and expected.bin.
An empty data.mdb that is there already decides the page size.

expected.bin, little-endian: u32 databases; each: string name (empty: main), u32 flags, u32 page
size, u64 depth, branch, leaf, overflow pages, entries; u32 records, each string key, string value;
u32 seeks, each string sought, u8 found, u32 ordinal; u32 duplicate seeks, each string key, string
value, u8 found, u32 ordinal. A string is u32 length and bytes.
"""
import os
import random
import struct
import subprocess
import sys

import lmdb

REVERSEKEY, DUPSORT, INTEGERKEY, DUPFIXED, INTEGERDUP, REVERSEDUP = 2, 4, 8, 16, 32, 64


def flags_of(r):
    flags = r.choice([0, 0, 0, INTEGERKEY, REVERSEKEY])
    if r.random() < 0.5:
        flags |= DUPSORT | r.choice(
            [0, DUPFIXED, INTEGERDUP, DUPFIXED | INTEGERDUP, REVERSEDUP, REVERSEDUP | DUPFIXED])
    return flags


def arguments(flags):
    return dict(
        reverse_key=bool(flags & REVERSEKEY), dupsort=bool(flags & DUPSORT),
        integerkey=bool(flags & INTEGERKEY), dupfixed=bool(flags & DUPFIXED),
        integerdup=bool(flags & INTEGERDUP))


def key_maker(r, flags):
    if flags & INTEGERKEY:
        code = r.choice(["<I", "<Q"])
        top = r.choice([300, 1 << 20, 1 << (8 * struct.calcsize(code))])
        return lambda: struct.pack(code, r.randrange(top))
    kind = r.choice(["counter", "short", "long", "words", "mixed"])
    counter = [0]

    def make():
        if kind == "counter":
            counter[0] += 1
            return b"%08d" % counter[0]
        if kind == "short":
            return r.randbytes(r.randint(1, 3))
        if kind == "long":
            return r.randbytes(r.randint(200, 511))
        if kind == "words":
            return bytes(r.choice(b"ab") for _ in range(r.randint(1, 14)))
        return r.randbytes(r.randint(1, 511 if r.random() < 0.05 else 30))
    return make


def value_maker(r, flags):
    if flags & DUPSORT:
        if flags & INTEGERDUP:
            code = r.choice(["<I", "<Q"])
            top = r.choice([1000, 1 << (8 * struct.calcsize(code))])
            return lambda: struct.pack(code, r.randrange(top))
        if flags & DUPFIXED:
            size = r.choice([1, 2, 3, 7, 8, 40, 200])
            return lambda: r.randbytes(size)
        top = r.choice([3, 30, 511])
        return lambda: r.randbytes(r.randint(1, top))
    kind = r.choice(["empty", "tiny", "threshold", "page", "medium", "large", "mixed"])

    def make():
        if kind == "empty":
            return r.randbytes(r.choice([0, 0, 1]))
        if kind == "tiny":
            return r.randbytes(r.randint(0, 40))
        if kind == "threshold":
            return r.randbytes(r.randint(1500, 2100))
        if kind == "page":
            return r.randbytes(r.choice([4079, 4080, 4081, 8175, 8176, 8177]))
        if kind == "medium":
            return r.randbytes(r.randint(0, 20000))
        if kind == "large":
            return r.randbytes(r.choice([0, 100, 1 << 20, r.randint(0, 1 << 20)]))
        return r.randbytes(int(2 ** r.uniform(0, 17)) - 1)
    return make


def fill(r, env, db, flags, makers, limit):
    """Puts, overwrites and deletes in several transactions."""
    make_key, make_value = makers
    budget = min(limit, r.choice([0, 1 << 10, 1 << 14, 1 << 17, 1 << 20, 3 << 20]))
    keys = []
    hot = None
    for _ in range(r.choice([1, 1, 2, 5, 20])):
        with env.begin(db=db, write=True) as txn:
            for _ in range(r.choice([1, 10, 100, 1000, 3000])):
                if budget <= 0:
                    break
                if flags & DUPSORT and keys and r.random() < 0.7:
                    if hot is None or r.random() < 0.01:
                        hot = r.choice(keys)
                    key = hot
                else:
                    key = make_key()
                value = make_value()
                budget -= len(key) + len(value) + 16
                txn.put(key, value)
                keys.append(key)
            if keys and r.random() < 0.4:
                for key in r.sample(keys, r.randint(0, len(keys) * 3 // 4)):
                    txn.delete(key)
            if keys and r.random() < 0.05:
                for key in keys:
                    txn.delete(key)


def load(r, folder, name, flags, makers, records):
    """py-lmdb cannot set MDB_REVERSEDUP nor flags of the main database, mdb_load can."""
    make_key, make_value = makers
    lines = ["VERSION=3", "format=bytevalue"]
    if name:
        lines.append("database=" + name.decode())
    lines += ["type=btree", "mapsize=268435456"]
    for flag, word in ((REVERSEKEY, "reversekey"), (DUPSORT, "dupsort"), (INTEGERKEY, "integerkey"),
                       (DUPFIXED, "dupfixed"), (INTEGERDUP, "integerdup"),
                       (REVERSEDUP, "reversedup")):
        if flags & flag:
            lines.append(word + "=1")
    lines.append("HEADER=END")
    keys = [make_key() for _ in range(r.choice([1, 5, 50]))]
    for _ in range(records):
        lines += [" " + r.choice(keys).hex(), " " + make_value().hex()]
    lines += ["DATA=END", ""]
    subprocess.run(["mdb_load", folder], input="\n".join(lines).encode(), check=True)


def string(data):
    return struct.pack("<I", len(data)) + data


def describe(r, env, name, flags, makers):
    make_key, make_value = makers
    db = env.open_db(name, create=False) if name else env.open_db(None)
    out = []
    with env.begin(db=db) as txn:
        stat = txn.stat(db)
        out.append(string(name) + struct.pack(
            "<IIQQQQQ", flags, stat["psize"], stat["depth"], stat["branch_pages"], stat["leaf_pages"],
            stat["overflow_pages"], stat["entries"]))
        cursor = txn.cursor()
        records = list(cursor.iternext())
        assert records[::-1] == list(txn.cursor().iterprev())
        assert len(records) == stat["entries"]
        out.append(struct.pack("<I", len(records)))
        for key, value in records:
            out.append(string(key) + string(value))
        ordinals, pairs = {}, {}
        for i, (key, value) in enumerate(records):
            ordinals.setdefault(key, i)
            pairs.setdefault((key, value), i)
        seeks = []
        for _ in range(25):
            sought = r.choice(records)[0] if records and r.random() < 0.3 else make_key()
            found = cursor.set_range(sought)
            seeks.append(string(sought) + struct.pack(
                "<BI", found, ordinals[cursor.key()] if found else 0))
        out.append(struct.pack("<I", len(seeks)) + b"".join(seeks))
        pair_seeks = []
        if flags & DUPSORT and records:
            for _ in range(25):
                key, value = r.choice(records)
                sought = value if r.random() < 0.3 else make_value()
                # A fresh cursor: a used one keeps state of the last search in liblmdb 0.9.24.
                fresh = txn.cursor()
                found = fresh.set_range_dup(key, sought)
                pair_seeks.append(string(key) + string(sought) + struct.pack(
                    "<BI", found, pairs[fresh.item()] if found else 0))
        out.append(struct.pack("<I", len(pair_seeks)) + b"".join(pair_seeks))
    return b"".join(out)


def make(folder, seed):
    r = random.Random(seed)
    os.makedirs(folder, exist_ok=True)
    names = {}
    if r.random() < 0.5:
        names[b""] = flags_of(r)
    if not names or r.random() < 0.4:
        for i in range(r.choice([1, 1, 2, 5, 60])):
            names[b"db%d" % i] = flags_of(r)
    if len(names) > 1 and b"" in names:
        names[b""] &= REVERSEKEY
    for name in names:
        if name and names[name] & INTEGERDUP:
            names[name] |= DUPFIXED  # as py-lmdb does
    makers = {name: (key_maker(r, flags), value_maker(r, flags)) for name, flags in names.items()}
    limit = (3 << 20) // len(names)
    for name, flags in names.items():
        if flags & REVERSEDUP:
            load(r, folder, name, flags, makers[name], r.choice([5, 100, 2000]))
        elif not name and flags:
            load(r, folder, name, flags, makers[name], 0)
    env = lmdb.open(folder, map_size=1 << 28, max_dbs=64, sync=False)
    for name, flags in names.items():
        if flags & REVERSEDUP:
            continue
        db = env.open_db(name, **arguments(flags)) if name else env.open_db(None)
        fill(r, env, db, flags, makers[name], limit)
    # Databases change again after others, so that their pages mix; some are dropped.
    for name, flags in list(names.items()):
        if r.random() < 0.3 and not flags & REVERSEDUP:
            fill(r, env, env.open_db(name or None), flags, makers[name], limit)
        elif name and r.random() < 0.1:
            with env.begin(write=True) as txn:
                txn.drop(env.open_db(name, txn=txn), delete=True)
            del names[name]
    env.close()
    env = lmdb.open(folder, max_dbs=64, readonly=True)
    if b"" not in names:
        names[b""] = 0
        makers[b""] = (key_maker(r, 0), value_maker(r, 0))
    out = [struct.pack("<I", len(names))]
    for name, flags in names.items():
        out.append(describe(r, env, name, flags, makers[name]))
    env.close()
    with open(os.path.join(folder, "expected.bin"), "wb") as file:
        file.write(b"".join(out))


def main():
    folder, seed, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    for case in range(first, first + count):
        make(os.path.join(folder, str(case)), seed * 1000003 + case)


main()
