package dev.tandem.oracle.read;

/**
 * What all readers together read.
 *
 * @param name of the data set
 * @param batch records of an iteration, over all readers
 * @param iterations of the run
 * @param recordBytes of the file for a record, its whole pages
 * @param recordsPerLeaf how many records one page of the tree names: so far apart are the pages
 *     that a cursor has to touch
 */
public record SimulatedWorkload(
    String name, int batch, int iterations, long recordBytes, int recordsPerLeaf) {

  static final int PAGE = 4096;

  /** CIFAR10-Large as in the thesis' experiments: 512 iterations of 18,432 images. */
  public static final SimulatedWorkload CIFAR =
      new SimulatedWorkload("cifar", 18_432, 512, PAGE, 155);

  /** ImageNet-Large as in the thesis' experiments: 128 iterations of 18,432 images. */
  public static final SimulatedWorkload IMAGENET =
      new SimulatedWorkload("imagenet", 18_432, 128, 49L * PAGE, 70);

  public SimulatedWorkload {
    if (batch < 1 || iterations < 1 || recordBytes < 1 || recordsPerLeaf < 1) {
      throw new IllegalArgumentException("a workload has no numbers below 1");
    }
  }

  /** Bytes that all readers together need in an iteration. */
  long batchBytes() {
    return batch * recordBytes;
  }

  /** The share of the bytes it skips that a cursor brings in, a window at each leaf page. */
  double seekShare(long windowBytes) {
    return Math.min(1, (double) Math.max(PAGE, windowBytes) / (recordsPerLeaf * recordBytes));
  }
}
