package dev.tandem.comm.collective;

import dev.tandem.core.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Which algorithm to use for which team and length. The first row that fits decides; if none does,
 * the built-in table decides. Immutable.
 *
 * <p>As text, a row is a line of six words: {@code allreduce}, the determinism level ({@code fast}
 * or {@code run}), the medium ({@code messages}, {@code shared} or {@code hosts}), the most ranks
 * and the most bytes that the row is for ({@code *} for any), and the algorithm. Empty lines and
 * what follows a {@code #} do not count.
 */
public final class AlgorithmTable {

  /**
   * One row.
   *
   * @param ranks the largest team it is for
   * @param bytes the longest message it is for
   */
  public record Row(
      Determinism level, Medium medium, int ranks, long bytes, AllreduceAlgorithm algorithm) {

    boolean fits(Determinism wanted, Medium present, int size, long length) {
      return level == wanted && medium == present && size <= ranks && length <= bytes;
    }

    String line() {
      return "allreduce %s %s %s %s %s"
          .formatted(
              level.code(),
              medium.code(),
              ranks == Integer.MAX_VALUE ? ANY : ranks,
              bytes == Long.MAX_VALUE ? ANY : bytes,
              algorithm.code());
    }
  }

  private static final String ANY = "*";
  private static final String COLLECTIVE = "allreduce";
  private static final int WORDS = 6;

  /** Good guesses for any machine. */
  public static final AlgorithmTable BUILT_IN =
      parse(
          "the built-in table",
          """
          allreduce run  shared   * *     flat
          allreduce run  messages 2 32768 gathered
          allreduce run  messages 4 8192  gathered
          allreduce run  messages 8 4096  gathered
          allreduce run  messages * 1024  gathered
          allreduce run  messages * *     direct
          allreduce run  hosts    4 8192  gathered
          allreduce run  hosts    8 4096  gathered
          allreduce run  hosts    * 1024  gathered
          allreduce run  hosts    * *     hierarchical
          allreduce fast shared   * *     flat
          allreduce fast messages 2 32768 gathered
          allreduce fast messages 2 *     direct
          allreduce fast messages 4 8192  gathered
          allreduce fast messages 8 4096  gathered
          allreduce fast messages * 16384 doubling
          allreduce fast messages 8 *     ring
          allreduce fast messages * 4194304 tree
          allreduce fast messages * *     ring
          allreduce fast hosts    4 8192  gathered
          allreduce fast hosts    8 4096  gathered
          allreduce fast hosts    * 4096  doubling
          allreduce fast hosts    * *     hierarchical
          """
              .lines()
              .toList());

  private final List<Row> rows;

  private AlgorithmTable(List<Row> rows) {
    this.rows = List.copyOf(rows);
  }

  /** A table of these rows, which must make sense. */
  public static AlgorithmTable of(List<Row> rows) {
    return parse("the table", rows.stream().map(Row::line).toList());
  }

  /** Reads a table from a file. */
  public static AlgorithmTable read(Path file) {
    try {
      return parse(file.toString(), Files.readAllLines(file));
    } catch (IOException e) {
      throw new UsageException(
          "cannot read the algorithm table %s: %s".formatted(file, e.getMessage()));
    }
  }

  static AlgorithmTable parse(String name, List<String> lines) {
    List<Row> rows = new ArrayList<>();
    for (int number = 1; number <= lines.size(); number++) {
      String line = lines.get(number - 1).replaceFirst("#.*", "").strip();
      if (!line.isEmpty()) {
        String where = "%s, line %d: ".formatted(name, number);
        rows.add(row(where, Arrays.asList(line.split("\\s+"))));
      }
    }
    return new AlgorithmTable(rows);
  }

  private static Row row(String where, List<String> words) {
    if (words.size() != WORDS || !words.getFirst().equals(COLLECTIVE)) {
      throw new UsageException(where + "expected 'allreduce LEVEL MEDIUM RANKS BYTES ALGORITHM'");
    }
    Determinism level =
        known(
            Arrays.stream(Determinism.values())
                .filter(each -> each.code().equals(words.get(1)))
                .findFirst(),
            where,
            "level is fast or run",
            words.get(1));
    Medium medium =
        known(
            Medium.ofCode(words.get(2)),
            where,
            "medium is messages, shared or hosts",
            words.get(2));
    long ranks = bound(where, words.get(3)).orElse(Integer.MAX_VALUE);
    long bytes = bound(where, words.get(4)).orElse(Long.MAX_VALUE);
    AllreduceAlgorithm algorithm =
        known(
            AllreduceAlgorithm.ofCode(words.get(5)),
            where,
            "algorithm is one of " + AllreduceAlgorithm.codes(),
            words.get(5));
    if (!algorithm.keeps(level) || !algorithm.appliesTo(medium)) {
      throw new UsageException(
          where
              + (algorithm.keeps(level)
                  ? "%s cannot be used with %s".formatted(algorithm.code(), medium.code())
                  : "%s does not keep level %s".formatted(algorithm.code(), level.code())));
    }
    return new Row(level, medium, (int) Math.min(ranks, Integer.MAX_VALUE), bytes, algorithm);
  }

  private static <T> T known(Optional<T> value, String where, String rule, String word) {
    return value.orElseThrow(
        () -> new UsageException("%sthe %s, not '%s'".formatted(where, rule, word)));
  }

  private static OptionalLong bound(String where, String word) {
    if (word.equals(ANY)) {
      return OptionalLong.empty();
    }
    try {
      long bound = Long.parseLong(word);
      if (bound >= 0) {
        return OptionalLong.of(bound);
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new UsageException(
        "%sranks and bytes are whole numbers or *, not '%s'".formatted(where, word));
  }

  /** The algorithm of an allreduce. */
  AllreduceAlgorithm allreduce(Determinism level, TeamPosition position, long bytes) {
    Medium medium = Medium.of(position);
    for (Row row : rows) {
      if (row.fits(level, medium, position.size(), bytes)) {
        return row.algorithm();
      }
    }
    return BUILT_IN.allreduce(level, position, bytes);
  }

  /** The table as text, which {@link #read} understands. */
  public String text() {
    StringBuilder text =
        new StringBuilder("# collective level medium most-ranks most-bytes algorithm\n");
    rows.forEach(row -> text.append(row.line()).append('\n'));
    return text.toString();
  }

  /** Writes the table into a file. */
  public void write(Path file) throws IOException {
    Files.writeString(file, text());
  }

  long fingerprint() {
    return text().hashCode();
  }
}
