package dev.tandem.parallel;

import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Spelling;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mesh.Axis;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How a user names a way to split a network over ranks: words with the number of ranks along each,
 * such as {@code filter}, {@code data=2,filter=2}, {@code spatial=2x2}, {@code pipeline=4}. The
 * size of one word may be left out: then it is what the number of ranks leaves for it.
 *
 * @param parts one or more
 */
public record StrategyText(List<Part> parts) {

  /** Splits the batch, and each rank holds only a part of what it updates. */
  public static final String SHARDED = "sharded";

  /** A pipeline whose batch is one piece. */
  public static final String LAYER = "layer";

  /** Chosen by {@code tandem train} before anything is trained. */
  public static final String AUTO = "auto";

  private static final String SPATIAL = "spatial";

  /** Names of the axes of space, the slowest first. */
  private static final List<String> SPACE = List.of("depth", "height", "width");

  private static final List<String> WORDS =
      List.of(
          Mesh.DATA,
          SHARDED,
          SPATIAL,
          "filter",
          "channel",
          "alternate",
          Mesh.PIPELINE,
          LAYER,
          "depth",
          "height",
          "width",
          AUTO);

  /**
   * A word and the ranks along it.
   *
   * @param sizes several for a grid in space; empty if left out
   */
  public record Part(String word, List<Integer> sizes) {

    public Part {
      sizes = List.copyOf(sizes);
    }

    /** Along how many axes it goes. */
    int axes() {
      return Math.max(1, sizes.size());
    }

    int ranks() {
      return sizes.stream().reduce(1, Math::multiplyExact);
    }

    @Override
    public String toString() {
      return sizes.isEmpty()
          ? word
          : word + "=" + sizes.stream().map(String::valueOf).collect(Collectors.joining("x"));
    }
  }

  public StrategyText {
    parts = List.copyOf(parts);
    if (parts.stream().anyMatch(part -> part.word.equals(AUTO))
        && !(parts.size() == 1 && parts.getFirst().sizes.isEmpty())) {
      throw new UsageException(
          "strategy %s: auto chooses everything: leave the rest out".formatted(text(parts)));
    }
    Set<String> axes = new HashSet<>();
    for (Part part : parts) {
      if (!axes.add(axis(part.word))) {
        throw new UsageException(
            "strategy %s has two parts along %s".formatted(text(parts), axis(part.word)));
      }
    }
    if (axes.contains(SPATIAL) && SPACE.stream().anyMatch(axes::contains)) {
      throw new UsageException(
          "strategy %s has spatial and one of its dimensions: use spatial=2x2, or height=2,width=2"
              .formatted(text(parts)));
    }
    if (parts.stream().filter(part -> part.sizes.isEmpty()).count() > 1) {
      throw new UsageException(
          "strategy %s leaves more than one size out: expected sizes as in %s"
              .formatted(text(parts), withSizes(parts)));
    }
  }

  /** Reads what a user wrote. */
  public static StrategyText parse(String text) {
    List<Part> parts = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      String[] sides = part.strip().split("=", 2);
      String word = sides[0].strip();
      if (!WORDS.contains(word)) {
        throw new UsageException(
            "strategy '%s': unknown word '%s', expected one of %s, as in data=2,filter=2%s"
                .formatted(text, word, String.join(", ", WORDS), Spelling.question(word, WORDS)));
      }
      parts.add(
          new Part(word, sides.length == 1 ? List.of() : sizes(text, word, sides[1].strip())));
    }
    return new StrategyText(parts);
  }

  /** The same as a mapping of words to sizes, which must not be left out. */
  public static StrategyText of(Map<String, String> sizes) {
    return parse(
        sizes.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(",")));
  }

  private static List<Integer> sizes(String text, String word, String sizes) {
    boolean grid = word.equals(SPATIAL);
    if (!sizes.matches(grid ? "[1-9][0-9]{0,5}(x[1-9][0-9]{0,5}){0,2}" : "[1-9][0-9]{0,5}")) {
      throw new UsageException(
          "strategy '%s': %s=%s, expected a number of ranks, as in %s"
              .formatted(text, word, sizes, grid ? "spatial=2 or spatial=2x2" : word + "=2"));
    }
    return Arrays.stream(sizes.split("x", -1)).map(Integer::valueOf).toList();
  }

  /** The axis that a word is about; {@code spatial} stands for one or more. */
  private static String axis(String word) {
    return switch (word) {
      case SHARDED -> Mesh.DATA;
      case LAYER -> Mesh.PIPELINE;
      default -> word;
    };
  }

  /** Whether a word is among them. */
  public boolean has(String word) {
    return parts.stream().anyMatch(part -> part.word.equals(word));
  }

  /** Whether a size is written. */
  public boolean sized() {
    return parts.stream().anyMatch(part -> !part.sizes.isEmpty());
  }

  /** The fewest ranks that it fits. */
  public int leastRanks() {
    return parts.stream().mapToInt(Part::ranks).reduce(1, Math::multiplyExact);
  }

  /** Whether layers are on different ranks. */
  public boolean pipelined() {
    return parts.stream().anyMatch(part -> axis(part.word).equals(Mesh.PIPELINE));
  }

  /** Whether tensors may be split, or layers computed by several ranks together. */
  public boolean splitsLayers() {
    return parts.stream()
        .map(part -> axis(part.word))
        .anyMatch(axis -> !axis.equals(Mesh.DATA) && !axis.equals(Mesh.PIPELINE));
  }

  /** Whether tensors may be split in space. */
  public boolean splitsSpace() {
    return parts.stream().anyMatch(part -> part.word.equals(SPATIAL) || SPACE.contains(part.word));
  }

  /**
   * The ranks in a grid, axes in their order: pipeline, data, then the others as they are written.
   *
   * @param dimensions of space that a sample has: 2 for images, 3 for volumes
   * @throws UsageException if this number of ranks does not fit
   */
  public Mesh mesh(int ranks, int dimensions) {
    if (has(AUTO)) {
      throw new UsageException(
          "strategy auto is for ./tandem train, which chooses one: name a strategy here, such as"
              + " data or filter=2");
    }
    List<Axis> axes = new ArrayList<>();
    for (Part part : sized(ranks)) {
      if (part.word.equals(SPATIAL)) {
        axes.addAll(space(part, dimensions));
      } else if (SPACE.contains(part.word) && !axesOfSpace(dimensions).contains(part.word)) {
        throw new UsageException(
            "strategy %s: %s have no %s".formatted(this, samples(dimensions), part.word));
      } else {
        axes.add(new Axis(axis(part.word), part.ranks()));
      }
    }
    axes.sort(Comparator.comparingInt(axis -> order(axis.name())));
    return Mesh.of(axes.toArray(Axis[]::new));
  }

  private static int order(String axis) {
    return axis.equals(Mesh.PIPELINE) ? 0 : axis.equals(Mesh.DATA) ? 1 : 2;
  }

  private static List<Axis> space(Part part, int dimensions) {
    List<String> names = axesOfSpace(dimensions);
    if (part.axes() > names.size()) {
      throw new UsageException(
          "%s splits %d dimension%s, but %s have %s"
              .formatted(
                  part,
                  part.axes(),
                  part.axes() == 1 ? "" : "s",
                  samples(dimensions),
                  names.isEmpty() ? "none: use filter or channel" : names.size()));
    }
    List<Axis> axes = new ArrayList<>();
    for (int i = 0; i < part.axes(); i++) {
      axes.add(new Axis(names.get(i), part.sizes.get(i)));
    }
    return axes;
  }

  private static List<String> axesOfSpace(int dimensions) {
    return SPACE.subList(SPACE.size() - Math.min(dimensions, SPACE.size()), SPACE.size());
  }

  private static String samples(int dimensions) {
    return switch (dimensions) {
      case 2 -> "images";
      case 3 -> "volumes";
      default -> "samples";
    };
  }

  /** The parts with all sizes. */
  private List<Part> sized(int ranks) {
    int given = leastRanks();
    boolean open = parts.stream().anyMatch(part -> part.sizes.isEmpty());
    if (open ? ranks % given != 0 : ranks != given) {
      int needed = open ? given * Math.ceilDiv(ranks, given) : given;
      throw new UsageException(
          "strategy %s needs %s%d ranks, not %d: use -n %d%s"
              .formatted(this, open ? "a multiple of " : "", given, ranks, needed, instead(ranks)));
    }
    return parts.stream()
        .map(part -> part.sizes.isEmpty() ? new Part(part.word, List.of(ranks / given)) : part)
        .toList();
  }

  /** Another strategy of the same words that fits, if changing the size of one is enough. */
  private String instead(int ranks) {
    for (int changed = parts.size() - 1; changed >= 0; changed--) {
      List<Part> others = new ArrayList<>(parts);
      Part removed = others.remove(changed);
      int rest = others.stream().mapToInt(Part::ranks).reduce(1, Math::multiplyExact);
      if (ranks % rest == 0 && ranks / rest > 1 && removed.axes() == 1) {
        others.add(changed, new Part(removed.word, List.of(ranks / rest)));
        return ", or " + text(others);
      }
    }
    return "";
  }

  private static String text(List<Part> parts) {
    return parts.stream().map(Part::toString).collect(Collectors.joining(","));
  }

  private static String withSizes(List<Part> parts) {
    return text(
        parts.stream()
            .map(part -> part.sizes.isEmpty() ? new Part(part.word, List.of(2)) : part)
            .toList());
  }

  /** As a user writes it. */
  @Override
  public String toString() {
    return text(parts);
  }
}
