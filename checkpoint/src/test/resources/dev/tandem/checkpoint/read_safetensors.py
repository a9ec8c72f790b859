"""Reads all shards of a checkpoint with nothing but the standard library, and prints a line for each
piece: name, type, shape, bytes."""
import glob, json, struct, sys

SIZES = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "U8": 1}


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length].decode("utf-8"))
    start = 8 + length
    expected = 0
    for name, entry in header.items():
        if name == "__metadata__":
            assert all(isinstance(text, str) for text in entry.values())
            continue
        begin, end = entry["data_offsets"]
        # As the reference implementation demands: in order, without gaps.
        assert begin == expected, name
        expected = end
        elements = 1
        for extent in entry["shape"]:
            elements *= extent
        assert elements * SIZES[entry["dtype"]] == end - begin, name
        yield name, entry["dtype"], entry["shape"], data[start + begin : start + end]
    assert start + expected == len(data), "bytes behind the last tensor"


for shard in sorted(glob.glob(sys.argv[1] + "/*.safetensors")):
    for name, dtype, shape, content in read(shard):
        print(name, dtype, ",".join(map(str, shape)), content.hex(), sep="\t")
