package dev.tandem.parallel.exchange;

import dev.tandem.core.Shape;
import dev.tandem.nn.spec.Movement;
import dev.tandem.nn.spec.Movement.Box;
import dev.tandem.nn.spec.Movement.Collective;
import dev.tandem.nn.spec.Movement.Operation;
import dev.tandem.nn.spec.Movement.Parcel;
import dev.tandem.nn.spec.Movement.Range;
import dev.tandem.nn.spec.SampleShare;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Random movements of all kinds with their adjoints, and what they do, element by element.
 *
 * @param source the shape of a sample of each rank's source
 * @param result and of each rank's result
 * @param forward the movement as each rank sees it
 * @param backward its adjoint
 */
record MovementCases(
    int samples,
    List<Shape> source,
    List<Shape> result,
    List<Movement> forward,
    List<Movement> backward) {

  /** A box of one rank's source and the box of another's result to which it goes. */
  private record Leg(int from, Box source, int to, Box result) {}

  static MovementCases draw(int ranks, SplittableRandom random) {
    MovementCases drawn =
        switch (random.nextInt(5)) {
          case 0 -> gather(ranks, random);
          case 1 -> sum(ranks, random);
          default -> cells(ranks, random);
        };
    return random.nextBoolean() && drawn.isLinear() ? drawn.turned() : drawn;
  }

  /** Whether nothing is filled with anything but zeros. */
  boolean isLinear() {
    return forward.stream().allMatch(movement -> movement.fill() == 0);
  }

  private MovementCases turned() {
    return new MovementCases(
        samples,
        /* source= */ result,
        /* result= */ source,
        /* forward= */ backward,
        /* backward= */ forward);
  }

  /** Parts of one dimension, of several pieces each, or of the samples. */
  private static MovementCases gather(int ranks, SplittableRandom random) {
    Shape whole = shape(random);
    boolean bySamples = random.nextInt(3) == 0;
    int dimension = random.nextInt(whole.extents().size());
    List<Shape> parts = new ArrayList<>();
    List<Leg> legs = new ArrayList<>();
    long[] from = new long[ranks];
    List<SampleShare> shares = shares(ranks, bySamples);
    if (bySamples) {
      for (int rank = 0; rank < ranks; rank++) {
        parts.add(whole);
        Box box = new Box(shares.get(rank), all(whole));
        for (int to = 0; to < ranks; to++) {
          legs.add(new Leg(rank, box, to, box));
        }
      }
    } else {
      long at = 0;
      int pieces = ranks + random.nextInt(3);
      for (int piece = 0; piece < pieces; piece++) {
        int rank = piece < ranks ? piece : random.nextInt(ranks);
        long length = random.nextLong(1, 4);
        Range mine = new Range(from[rank], length);
        Range there = new Range(at, length);
        for (int to = 0; to < ranks; to++) {
          legs.add(
              new Leg(
                  rank,
                  new Box(SampleShare.ALL, with(all(whole), dimension, mine)),
                  to,
                  new Box(SampleShare.ALL, with(all(whole), dimension, there))));
        }
        from[rank] += length;
        at += length;
      }
      for (int rank = 0; rank < ranks; rank++) {
        parts.add(resized(whole, dimension, from[rank]));
      }
      whole = resized(whole, dimension, at);
    }
    List<Shape> results = copies(whole, ranks);
    boolean together = random.nextBoolean();
    List<Movement> forward =
        movements(
            Operation.COPY,
            together ? Collective.ALLGATHER : Collective.EXCHANGE,
            factor(random),
            0,
            shares,
            shares(ranks, false),
            legs);
    return adjoint(
        batch(ranks, random),
        parts,
        results,
        forward,
        legs,
        together ? Collective.REDUCE_SCATTER : Collective.EXCHANGE);
  }

  private static MovementCases sum(int ranks, SplittableRandom random) {
    Shape whole = shape(random);
    Box box = new Box(SampleShare.ALL, all(whole));
    List<Leg> legs = new ArrayList<>();
    for (int from = 0; from < ranks; from++) {
      for (int to = 0; to < ranks; to++) {
        legs.add(new Leg(from, box, to, box));
      }
    }
    List<SampleShare> shares = shares(ranks, false);
    List<Movement> forward =
        movements(Operation.ADD, Collective.ALLREDUCE, factor(random), 0, shares, shares, legs);
    List<Shape> shapes = copies(whole, ranks);
    return adjoint(batch(ranks, random), shapes, shapes, forward, legs, Collective.ALLREDUCE);
  }

  /** Results in cells, each from anywhere in the source of any rank, or filled. */
  private static MovementCases cells(int ranks, SplittableRandom random) {
    boolean local = random.nextInt(4) == 0;
    int dimensions = 1 + random.nextInt(4);
    boolean sourceBySamples = random.nextInt(4) == 0;
    boolean resultBySamples = !sourceBySamples && random.nextInt(3) == 0;
    List<SampleShare> sourceShares = shares(ranks, sourceBySamples);
    List<SampleShare> resultShares = shares(ranks, resultBySamples);
    List<Shape> source = new ArrayList<>();
    List<Shape> result = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      source.add(shape(random, dimensions, 4));
      result.add(shape(random, dimensions, 1));
    }
    List<Leg> legs = new ArrayList<>();
    for (int to = 0; to < ranks; to++) {
      List<List<Range>> cells = cells(result.get(to), random);
      for (List<Range> cell : cells) {
        for (int share = 0; share < (sourceBySamples ? ranks : 1); share++) {
          int any = local ? to : random.nextInt(ranks);
          int from = sourceBySamples ? share : any;
          boolean needed = local && from == to && cell.equals(cells.getFirst());
          if (!needed && (random.nextInt(5) == 0 || (local && from != to))) {
            continue; // but something local stays: nothing at all would mean that nothing changes
          }
          SampleShare samples = resultBySamples ? resultShares.get(to) : sourceShares.get(from);
          List<Range> origin = new ArrayList<>();
          for (int i = 0; i < dimensions; i++) {
            long length = cell.get(i).length();
            long room = source.get(from).extents().get(i) - length;
            origin.add(new Range(random.nextLong(room + 1), length));
          }
          legs.add(new Leg(from, new Box(samples, origin), to, new Box(samples, cell)));
        }
      }
    }
    double fill = new double[] {0, 0, Double.NEGATIVE_INFINITY, 2}[random.nextInt(4)];
    Collective collective = local ? Collective.LOCAL : Collective.EXCHANGE;
    List<Movement> forward =
        movements(
            Operation.COPY, collective, factor(random), fill, sourceShares, resultShares, legs);
    return adjoint(batch(ranks, random), source, result, forward, legs, collective);
  }

  private static MovementCases adjoint(
      int samples,
      List<Shape> source,
      List<Shape> result,
      List<Movement> forward,
      List<Leg> legs,
      Collective collective) {
    List<Leg> back =
        legs.stream().map(leg -> new Leg(leg.to, leg.result, leg.from, leg.source)).toList();
    List<Movement> backward =
        movements(
            Operation.ADD,
            collective,
            forward.getFirst().factor(),
            0,
            forward.stream().map(Movement::result).toList(),
            forward.stream().map(Movement::source).toList(),
            back);
    return new MovementCases(samples, source, result, forward, backward);
  }

  private static List<Movement> movements(
      Operation operation,
      Collective collective,
      double factor,
      double fill,
      List<SampleShare> sources,
      List<SampleShare> results,
      List<Leg> legs) {
    List<Movement> movements = new ArrayList<>();
    for (int rank = 0; rank < sources.size(); rank++) {
      TreeMap<Integer, List<Box>> outgoing = new TreeMap<>();
      TreeMap<Integer, List<Box>> incoming = new TreeMap<>();
      for (Leg leg : legs) {
        if (leg.from == rank) {
          outgoing.computeIfAbsent(leg.to, _ -> new ArrayList<>()).add(leg.source);
        }
        if (leg.to == rank) {
          incoming.computeIfAbsent(leg.from, _ -> new ArrayList<>()).add(leg.result);
        }
      }
      movements.add(
          new Movement(
              operation,
              collective,
              factor,
              fill,
              sources.get(rank),
              results.get(rank),
              parcels(outgoing),
              parcels(incoming)));
    }
    return movements;
  }

  private static List<Parcel> parcels(TreeMap<Integer, List<Box>> boxes) {
    return boxes.entrySet().stream()
        .map(entry -> new Parcel(entry.getKey(), entry.getValue()))
        .toList();
  }

  /** What the movements make of the ranks' sources, one element after the other. */
  static List<double[]> moved(
      List<Movement> movements,
      List<Shape> sources,
      List<Shape> results,
      List<double[]> values,
      int samples) {
    List<double[]> moved = new ArrayList<>();
    for (int rank = 0; rank < movements.size(); rank++) {
      int to = rank;
      Movement movement = movements.get(to);
      long count = movement.result().count(samples) * results.get(to).elements();
      double[] result = new double[Math.toIntExact(count)];
      Arrays.fill(result, movement.fill());
      for (Parcel parcel : movement.incoming()) {
        int from = parcel.peer();
        Movement other = movements.get(from);
        Parcel sent =
            other.outgoing().stream().filter(each -> each.peer() == to).findFirst().orElseThrow();
        for (int i = 0; i < parcel.boxes().size(); i++) {
          int[] places = places(parcel.boxes().get(i), movement.result(), results.get(to), samples);
          int[] origins = places(sent.boxes().get(i), other.source(), sources.get(from), samples);
          for (int k = 0; k < places.length; k++) {
            double value = values.get(from)[origins[k]] * other.factor();
            result[places[k]] =
                movement.operation() == Operation.ADD ? result[places[k]] + value : value;
          }
        }
      }
      moved.add(result);
    }
    return moved;
  }

  private static int[] places(Box box, SampleShare share, Shape shape, int samples) {
    long first = box.samples().from(samples) - share.from(samples);
    IntStream places = IntStream.range((int) first, (int) (first + box.samples().count(samples)));
    for (int i = 0; i < box.ranges().size(); i++) {
      Range range = box.ranges().get(i);
      int extent = Math.toIntExact(shape.extents().get(i));
      places =
          places.flatMap(
              outer ->
                  IntStream.range(0, (int) range.length())
                      .map(place -> outer * extent + (int) range.start() + place));
    }
    return places.toArray();
  }

  private static List<List<Range>> cells(Shape shape, SplittableRandom random) {
    List<List<Range>> cells = List.of(List.of());
    for (long extent : shape.extents()) {
      List<List<Range>> longer = new ArrayList<>();
      long middle = random.nextInt(3) == 0 ? extent : random.nextLong(extent + 1);
      for (List<Range> cell : cells) {
        for (Range range : List.of(new Range(0, middle), new Range(middle, extent - middle))) {
          if (range.length() > 0) {
            List<Range> with = new ArrayList<>(cell);
            with.add(range);
            longer.add(with);
          }
        }
      }
      cells = longer;
    }
    return cells;
  }

  private static int batch(int ranks, SplittableRandom random) {
    return ranks + random.nextInt(3);
  }

  private static double factor(SplittableRandom random) {
    return random.nextInt(3) == 0 ? 0.5 : 1;
  }

  private static List<SampleShare> shares(int ranks, boolean bySamples) {
    return IntStream.range(0, ranks)
        .mapToObj(rank -> bySamples ? new SampleShare(rank, ranks) : SampleShare.ALL)
        .toList();
  }

  private static List<Shape> copies(Shape shape, int ranks) {
    return IntStream.range(0, ranks).mapToObj(_ -> shape).toList();
  }

  private static Shape shape(SplittableRandom random) {
    return shape(random, 1 + random.nextInt(4), 1);
  }

  private static Shape shape(SplittableRandom random, int dimensions, int least) {
    return Shape.of(random.longs(dimensions, least, least + 4).toArray());
  }

  private static Shape resized(Shape shape, int dimension, long extent) {
    long[] extents = shape.toArray();
    extents[dimension] = extent;
    return Shape.of(extents);
  }

  private static List<Range> all(Shape shape) {
    return shape.extents().stream().map(extent -> new Range(0, extent)).toList();
  }

  private static List<Range> with(List<Range> ranges, int dimension, Range range) {
    List<Range> changed = new ArrayList<>(ranges);
    changed.set(dimension, range);
    return changed;
  }
}
