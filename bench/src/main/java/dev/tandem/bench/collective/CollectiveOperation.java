package dev.tandem.bench.collective;

import java.util.Arrays;

/** What the contenders of {@code tandem bench collective} do. */
enum CollectiveOperation {
  /** The sum of floats in place, in private memory. */
  ALLREDUCE("allreduce"),
  /** Many tensors are packed, reduced as if they were one, and unpacked. */
  FUSED("fused-step"),
  /** Tandem's {@code fast} level, whose bits may depend on the size. */
  FAST("allreduce-fast"),
  /** Tandem's {@code elastic} level, one shard a rank. */
  ELASTIC("allreduce-elastic"),
  /** Every rank copies as many bytes at the same time: what the memory allows. */
  COPY("copy"),
  /** The last rank comes 20 ms late. */
  STRAGGLER("straggler");

  private final String code;

  CollectiveOperation(String code) {
    this.code = code;
  }

  /** The name in arguments and results. */
  String code() {
    return code;
  }

  static CollectiveOperation of(String code) {
    return Arrays.stream(values())
        .filter(operation -> operation.code.equals(code))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no operation is called " + code));
  }
}
