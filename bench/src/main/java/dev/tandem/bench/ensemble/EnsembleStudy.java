package dev.tandem.bench.ensemble;

import dev.tandem.core.UsageException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What is looked at. */
public enum EnsembleStudy {
  /** Processor time of each pipeline. */
  COST,
  /** Members of different speed. */
  UNEQUAL,
  /** The adaptive pipeline beside members that change their speed. */
  ADAPTIVE,
  /** Every image once, also when processes are lost. */
  EXACT,
  /** How many images members can get with a limit of their own. */
  PEAK,
  /** How much slower members are with few cores. */
  SLOWDOWN;

  /** The word for it in results. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The study of a word. */
  public static EnsembleStudy of(String code) {
    return Arrays.stream(values())
        .filter(study -> study.code().equals(code))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "--only: unknown '%s', expected %s"
                        .formatted(
                            code,
                            Arrays.stream(values())
                                .map(EnsembleStudy::code)
                                .collect(Collectors.joining(", ")))));
  }
}
