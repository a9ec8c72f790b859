package dev.tandem.bench;

import java.util.List;

/**
 * One side of {@code tandem bench collective}: ranks as processes that end when they have measured.
 */
interface CollectiveContender {

  /** The name in the results. */
  String peer();

  int ranks();

  /** Measures once, in fresh processes; returns lines of operation, bytes and microseconds. */
  String run();

  /**
   * What a contender measures.
   *
   * @param warmUp seconds before each size counts
   * @param seconds that each size takes
   */
  record Plan(
      List<CollectiveOperation> operations, double warmUp, double seconds, List<Long> sizes) {

    String operationCodes() {
      return String.join(",", operations.stream().map(CollectiveOperation::code).toList());
    }
  }
}
