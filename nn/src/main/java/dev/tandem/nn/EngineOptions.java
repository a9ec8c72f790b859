package dev.tandem.nn;

/**
 * How an engine computes.
 *
 * @param threads of each operation on the processor, the caller among them
 * @param localRank its place among the ranks of its host, which decides on the GPU if none is named
 * @param tf32 whether a GPU may round the factors of float32 products to 10 bits; for the whole
 *     process
 * @param repeatable whether a GPU gives the same bits for the same work every time; for the whole
 *     process
 * @param graph whether a GPU may repeat whole passes from a recording
 */
public record EngineOptions(
    Device device, int threads, int localRank, boolean tf32, boolean repeatable, boolean graph) {

  public EngineOptions {
    if (threads < 1) {
      throw new IllegalArgumentException("the engine needs at least 1 thread, not " + threads);
    }
  }

  /** On this device, with the same bits every time. */
  public static EngineOptions of(Device device, int threads) {
    return new EngineOptions(device, threads, 0, false, true, true);
  }

  public EngineOptions withLocalRank(int rank) {
    return new EngineOptions(device, threads, rank, tf32, repeatable, graph);
  }

  public EngineOptions withTf32(boolean on) {
    return new EngineOptions(device, threads, localRank, on, repeatable, graph);
  }

  public EngineOptions withRepeatable(boolean on) {
    return new EngineOptions(device, threads, localRank, tf32, on, graph);
  }

  public EngineOptions withGraph(boolean on) {
    return new EngineOptions(device, threads, localRank, tf32, repeatable, on);
  }
}
