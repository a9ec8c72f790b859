package dev.tandem.sync.compress;

import dev.tandem.core.DType;
import dev.tandem.core.UsageException;
import java.util.List;

/**
 * Which tensor is compressed how; the same on all ranks. The first clause whose pattern a name fits
 * decides; where none does, tensors of some size have the usual compression, and small ones, such
 * as biases, travel as they are. Other types than float32 are never compressed.
 *
 * @param smallest elements that a tensor must have for the usual compression
 */
public record CompressionRule(List<Clause> clauses, Compression usual, long smallest) {

  /** Nothing is compressed. */
  public static final CompressionRule NONE = of(Compression.none());

  /** Below, what compression saves is less than what a message costs anyway. */
  public static final long USUAL_SMALLEST = 1024;

  /**
   * An exception for some names.
   *
   * @param pattern a name; or the beginning of names up to a dot ({@code conv1} means {@code
   *     conv1.weight}); {@code *} stands for any letters and {@code ?} for one
   */
  public record Clause(String pattern, Compression compression) {

    /** A clause as it is written: {@code conv1.*=none}. */
    public static Clause of(String text) {
      int equals = text.lastIndexOf('=');
      if (equals < 1) {
        throw new UsageException(
            "a rule of compression is NAME=COMPRESSION, such as conv1.*=none, not '%s'"
                .formatted(text));
      }
      return new Clause(text.substring(0, equals), Compression.of(text.substring(equals + 1)));
    }

    @Override
    public String toString() {
      return pattern + "=" + compression.code();
    }

    boolean means(String name) {
      return name.startsWith(pattern + ".") || fits(pattern, 0, name, 0);
    }

    private static boolean fits(String pattern, int at, String name, int place) {
      if (at == pattern.length()) {
        return place == name.length();
      }
      if (pattern.charAt(at) == '*') {
        return fits(pattern, at + 1, name, place)
            || (place < name.length() && fits(pattern, at, name, place + 1));
      }
      return place < name.length()
          && (pattern.charAt(at) == '?' || pattern.charAt(at) == name.charAt(place))
          && fits(pattern, at + 1, name, place + 1);
    }
  }

  public CompressionRule {
    clauses = List.copyOf(clauses);
    if (smallest < 0) {
      throw new UsageException(
          "the smallest tensor to compress must have 0 elements or more, not %d"
              .formatted(smallest));
    }
  }

  /** The same for all tensors but small ones. */
  public static CompressionRule of(Compression usual) {
    return new CompressionRule(List.of(), usual, USUAL_SMALLEST);
  }

  /** Whether it compresses anything at all. */
  public boolean compresses() {
    return !usual.isNone() || clauses.stream().anyMatch(clause -> !clause.compression().isNone());
  }

  /** How a tensor is compressed. */
  public Compression of(String name, DType dtype, long elements) {
    if (dtype != DType.FLOAT32) {
      return Compression.none();
    }
    for (Clause clause : clauses) {
      if (clause.means(name)) {
        return clause.compression();
      }
    }
    return elements < smallest ? Compression.none() : usual;
  }

  /** Refuses clauses that mean none of these names: most likely a mistake of the author's. */
  public void requireMeaning(List<String> names) {
    for (Clause clause : clauses) {
      if (names.stream().noneMatch(clause::means)) {
        throw new UsageException(
            "no gradient fits '%s' in the rule of compression %s; there are %s"
                .formatted(clause.pattern(), clause, String.join(", ", names)));
      }
    }
  }
}
