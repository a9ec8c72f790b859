"""py-lmdb under a PyTorch DataLoader: the second peer of the reading benchmark's repeated reads.

Arguments and output as of read_liblmdb.c, over whole epochs: BATCH * ITERATIONS records are an
epoch or several. Values become batches of bytes, neither decoded nor normalised. The records of a
batch are fetched together, by the DataLoader's workers: one for each reader, two if there is one.
"""

import sys
import time
import warnings

import lmdb
import numpy
import torch
from torch.utils.data import DataLoader, Dataset

LOADER_BATCH = 256

# Values are views of the mapped file, which torch.stack copies.
warnings.filterwarnings("ignore", message="The given NumPy array is not writ")


def load_keys(path):
    data = open(path, "rb").read()
    keys, at = [], 0
    while at < len(data):
        end = at + 1 + data[at]
        keys.append(data[at + 1 : end])
        at = end
    return keys


class Records(Dataset):
    """The records of a database by their number; each worker opens it for itself."""

    def __init__(self, folder, keys):
        self.folder, self.keys, self.transaction = folder, keys, None

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, number):
        if self.transaction is None:
            self.transaction = lmdb.open(self.folder, readonly=True, lock=False).begin(buffers=True)
        return torch.from_numpy(numpy.frombuffer(self.transaction.get(self.keys[number]), numpy.uint8))


def stack(values):
    """Collated if all are of one size, as PyTorch's default would; else a list of tensors."""
    same = all(value.shape == values[0].shape for value in values)
    return torch.stack(values) if same else [value.clone() for value in values]


def main():
    folder, access, *numbers = sys.argv[1:7]
    readers, batch, iterations, _ = map(int, numbers)
    keys = load_keys(sys.argv[7])
    torch.manual_seed(1)
    loader = DataLoader(
        Records(folder, keys),
        batch_size=LOADER_BATCH,
        shuffle=access == "shuffled",
        num_workers=max(2, readers),
        collate_fn=stack,
        persistent_workers=True,
    )
    began = time.monotonic()
    records, wanted = 0, batch * iterations
    while records < wanted:
        for values in loader:
            records += len(values)
            if records >= wanted:
                break
    seconds = time.monotonic() - began
    print(f"records={records} seconds={seconds:.6f} checksum=0")


main()
