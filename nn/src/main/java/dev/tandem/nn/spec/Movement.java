package dev.tandem.nn.spec;

import java.util.List;

/**
 * How numbers go from a tensor of each rank of a group to another tensor of each, as one rank sees
 * it. The result is filled first; then what the ranks have for each other is copied into it, or
 * added from the lowest rank to the highest.
 *
 * @param collective the call of {@link Transfer} by which it travels, the same on all ranks
 * @param factor everything taken from the own source is multiplied with it
 * @param fill what stands where nothing comes: 0 if numbers are added
 * @param source which of the group's samples the source has
 * @param result which of them the result has
 * @param outgoing for each rank of the group that gets something of the source, ascending, own rank
 *     included: boxes of the source
 * @param incoming for each rank from which something of the result comes, ascending, own rank
 *     included: boxes of the result, in the order and with the extents of that rank's outgoing
 */
public record Movement(
    Operation operation,
    Collective collective,
    double factor,
    double fill,
    SampleShare source,
    SampleShare result,
    List<Parcel> outgoing,
    List<Parcel> incoming) {

  /** What happens with a number that arrives. */
  public enum Operation {
    COPY,
    ADD
  }

  /** How it travels. */
  public enum Collective {
    /** Not at all: the result is the source. */
    IDENTITY,
    /** Within the rank: all boxes are its own, or there are none and the result is filled. */
    LOCAL,
    /** A message to each rank that gets something. */
    EXCHANGE,
    /** COPY where every rank gets all of every rank's source. */
    ALLGATHER,
    /** ADD where each rank gets a part of every source. */
    REDUCE_SCATTER,
    /** ADD where every rank gets the sum of all of every source. */
    ALLREDUCE
  }

  /** What goes between the own rank and another. */
  public record Parcel(int peer, List<Box> boxes) {

    public Parcel {
      boxes = List.copyOf(boxes);
    }

    /** Elements for a number of samples of the group. */
    public long elements(long samples) {
      long elements = 0;
      for (Box box : boxes) {
        elements += box.elements(samples);
      }
      return elements;
    }
  }

  /**
   * A box of a local tensor.
   *
   * @param samples which of the group's samples, all of which the tensor has
   * @param ranges one for each dimension of a sample
   */
  public record Box(SampleShare samples, List<Range> ranges) {

    public Box {
      ranges = List.copyOf(ranges);
    }

    /** Elements for a number of samples of the group. */
    public long elements(long count) {
      long elements = samples.count(count);
      for (Range range : ranges) {
        elements *= range.length;
      }
      return elements;
    }
  }

  /** Neighbouring places of a local dimension. */
  public record Range(long start, long length) {}

  public Movement {
    outgoing = List.copyOf(outgoing);
    incoming = List.copyOf(incoming);
  }

  /** Whether the result is the source, unchanged. */
  public boolean isIdentity() {
    return collective == Collective.IDENTITY;
  }

  /**
   * Elements that a rank copies: into messages, and out of what came into the result.
   *
   * @param rank its number in the group
   * @param samples of the group
   */
  public long copiedElements(int rank, long samples) {
    long packed =
        switch (collective) {
          case IDENTITY, LOCAL, ALLREDUCE -> 0;
          // The same to every rank, packed once.
          case ALLGATHER -> outgoing.isEmpty() ? 0 : outgoing.getFirst().elements(samples);
          case EXCHANGE ->
              outgoing.stream()
                  .filter(parcel -> parcel.peer() != rank)
                  .mapToLong(parcel -> parcel.elements(samples))
                  .sum();
          case REDUCE_SCATTER -> outgoing.stream().mapToLong(each -> each.elements(samples)).sum();
        };
    long taken =
        switch (collective) {
          case IDENTITY, ALLREDUCE -> 0;
          case LOCAL, EXCHANGE, ALLGATHER ->
              incoming.stream().mapToLong(parcel -> parcel.elements(samples)).sum();
          // Of all summands of the rank's block only the sum.
          case REDUCE_SCATTER ->
              incoming.stream().limit(1).mapToLong(each -> each.elements(samples)).sum();
        };
    return packed + taken;
  }

  /** Nothing happens: the result is the source, which has these samples. */
  public static Movement identity(SampleShare samples) {
    return new Movement(
        Operation.COPY, Collective.IDENTITY, 1, 0, samples, samples, List.of(), List.of());
  }
}
