package dev.tandem.comm.collective;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** How an allreduce is done. */
public enum AllreduceAlgorithm {
  /** {@link AllreduceFlat}: in memory that the whole team shares. */
  FLAT(true),
  /** {@link AllreduceGathered}: everything to everybody. */
  GATHERED(true),
  /** {@link AllreduceDirect}: every rank reduces one block. */
  DIRECT(true),
  /** {@link AllreduceHierarchical}: within hosts, then between them. */
  HIERARCHICAL(true),
  /** {@link AllreduceRing}: blocks go round twice. */
  RING(false),
  /** {@link AllreduceDoubling}: with ever farther partners. */
  DOUBLING(false),
  /** {@link AllreduceTree}: up and down two trees. */
  TREE(false);

  private final boolean keepsOrder;

  AllreduceAlgorithm(boolean keepsOrder) {
    this.keepsOrder = keepsOrder;
  }

  /** The name in tables and variables. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The algorithm with this name. */
  public static Optional<AllreduceAlgorithm> ofCode(String code) {
    return Arrays.stream(values()).filter(each -> each.code().equals(code)).findFirst();
  }

  /** All names, for messages. */
  static String codes() {
    return Arrays.stream(values()).map(AllreduceAlgorithm::code).collect(Collectors.joining(", "));
  }

  /** Whether it may be used at this level. */
  public boolean keeps(Determinism level) {
    return keepsOrder || level == Determinism.FAST;
  }

  /** Whether a team like this can use it. */
  public boolean appliesTo(TeamPosition position) {
    return appliesTo(Medium.of(position));
  }

  boolean appliesTo(Medium medium) {
    return switch (this) {
      case FLAT -> medium == Medium.SHARED;
      case HIERARCHICAL -> medium == Medium.HOSTS;
      case GATHERED, DIRECT, RING, DOUBLING, TREE -> true;
    };
  }
}
