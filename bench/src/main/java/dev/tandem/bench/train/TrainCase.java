package dev.tandem.bench.train;

import dev.tandem.core.UsageException;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What is compared with what. */
public enum TrainCase {
  /** Our float32 against PyTorch's, one process. */
  SERIAL("serial"),
  /** Our bfloat16 against our float32, one process. */
  BF16("bf16"),
  /** Our two ranks against DistributedDataParallel's, one thread each. */
  DDP("ddp");

  private final String code;

  TrainCase(String code) {
    this.code = code;
  }

  /** The name in options and results. */
  public String code() {
    return code;
  }

  /** The case with this name. */
  public static TrainCase of(String code) {
    return Arrays.stream(values())
        .filter(each -> each.code.equals(code))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "no case '%s' to measure: there are %s"
                        .formatted(
                            code,
                            Arrays.stream(values())
                                .map(TrainCase::code)
                                .collect(Collectors.joining(", ")))));
  }
}
