"""py-lmdb on a leash: one command a line, one answer a line."""
import binascii
import hashlib
import sys

import lmdb


def open_env(path, **options):
    return lmdb.open(path, map_size=1 << 32, max_dbs=64, **options)


def unhex(text):
    return binascii.unhexlify("" if text == "-" else text)


def named(env, txn, name):
    return None if name == "-" else env.open_db(name.encode(), txn=txn, create=False)


def digest(path, *names):
    """Entries and hash of all databases, walked forwards and backwards."""
    env = open_env(path, readonly=True, lock=False)
    total = 0
    sums = hashlib.sha256()
    with env.begin() as txn:
        for name in names:
            cursor = txn.cursor(named(env, txn, name))
            count = 0
            for key, value in cursor:
                if name == "-" and len(names) > 1 and key.decode("latin-1") in names:
                    continue
                for part in (key, value):
                    sums.update(len(part).to_bytes(4, "little"))
                    sums.update(part)
                count += 1
            back = sum(
                1
                for key, _ in cursor.iterprev()
                if not (name == "-" and len(names) > 1 and key.decode("latin-1") in names)
            )
            assert back == count, (name, back, count)
            total += count
    env.close()
    return "%d %s" % (total, sums.hexdigest())


def value(path, key):
    env = open_env(path, readonly=True, lock=False)
    with env.begin() as txn:
        found = txn.get(unhex(key))
    env.close()
    return "-" if found is None else binascii.hexlify(found).decode()


def write(path, script):
    """Runs a file of operations: 'put DB KEY VALUE', 'del DB KEY [VALUE]', 'commit'."""
    env = open_env(path)
    txn = env.begin(write=True)
    count = 0
    for line in open(script):
        words = line.split()
        if words[0] == "commit":
            txn.commit()
            txn = env.begin(write=True)
            continue
        handle = named(env, txn, words[1])
        if words[0] == "put":
            txn.put(unhex(words[2]), unhex(words[3]), db=handle)
        elif len(words) > 3:
            txn.delete(unhex(words[2]), unhex(words[3]), db=handle)
        else:
            txn.delete(unhex(words[2]), db=handle)
        count += 1
    txn.commit()
    env.close()
    return count


held = {}


def reader(path, action):
    """Keeps a read transaction open, or ends it."""
    if action == "open":
        env = lmdb.open(path, map_size=1 << 32, readonly=True)
        held[path] = (env, env.begin())
    else:
        env, txn = held.pop(path)
        txn.abort()
        env.close()
    return action


def writer(path, action):
    """Keeps a write transaction open, or aborts it."""
    if action == "open":
        env = open_env(path)
        held[path] = (env, env.begin(write=True))
    else:
        env, txn = held.pop(path)
        txn.abort()
        env.close()
    return action


COMMANDS = {"writer": writer, "digest": digest, "value": value, "write": write, "reader": reader}

for request in sys.stdin:
    words = request.split()
    try:
        print("ok", COMMANDS[words[0]](*words[1:]), flush=True)
    except Exception as error:
        print("failed", repr(error), flush=True)
