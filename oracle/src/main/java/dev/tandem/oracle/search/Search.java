package dev.tandem.oracle.search;

import dev.tandem.core.UsageException;
import dev.tandem.oracle.projection.Candidate;
import dev.tandem.oracle.projection.Candidate.Stages;
import dev.tandem.oracle.projection.Projection;
import dev.tandem.oracle.projection.Projector;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.rule.Space;
import dev.tandem.parallel.strategy.Strategy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the fastest ways to split a workload that fit the devices. The time of every way is
 * projected, on all processors; memory only of those that may be among the best, and where it does
 * not suffice, less of it is tried: more passes, activations computed again, more pieces.
 */
public final class Search {

  private final Projector projector;
  private final Limits limits;
  private final Mixtures mixtures;
  private final Predicate<Candidate> wanted;
  private final int top;

  /** A way with its time. */
  private record Timed(Candidate candidate, Family family, double seconds) {}

  /** What rows of a table differ in. */
  private record Row(Mesh mesh, Strategy strategy) {}

  /**
   * A search.
   *
   * @param wanted which ways are considered
   * @param top ways that are wanted
   */
  public Search(Projector projector, Predicate<Candidate> wanted, int top) {
    this(
        projector,
        wanted,
        top,
        new Limits(projector.workload()),
        new Mixtures(projector.workload().network()));
  }

  private Search(
      Projector projector, Predicate<Candidate> wanted, int top, Limits limits, Mixtures mixtures) {
    this.mixtures = mixtures;
    this.projector = projector;
    this.wanted = wanted;
    this.top = top;
    this.limits = limits;
  }

  /** The same search with another batch; what was found out for one serves both. */
  public Search withBatch(int samples) {
    return new Search(
        projector.withBatch(samples), wanted, top, limits.withBatch(samples), mixtures);
  }

  /** What projects the ways. */
  public Projector projector() {
    return projector;
  }

  /** What the ways are limited by. */
  public Limits limits() {
    return limits;
  }

  /** Searches all ways that use exactly so many devices. */
  public SearchResult over(int devices) {
    Set<String> impossible = new ConcurrentSkipListSet<>();
    List<Candidate> candidates =
        new Candidates(projector.workload(), limits).over(devices).stream().filter(wanted).toList();
    List<Timed> plain =
        candidates.parallelStream()
            .flatMap(candidate -> timed(candidate, impossible))
            .sorted(Comparator.comparingDouble(Timed::seconds))
            .toList();
    List<Timed> timed =
        Stream.concat(plain.stream(), mixed(plain))
            .sorted(Comparator.comparingDouble(Timed::seconds))
            .toList();
    List<Ranked> best = fastest(timed, top);
    Map<Family, List<Timed>> families = new LinkedHashMap<>();
    timed.forEach(each -> families.computeIfAbsent(each.family, _ -> new ArrayList<>()).add(each));
    Map<Family, Ranked> leaders = new HashMap<>();
    best.forEach(ranked -> leaders.putIfAbsent(Family.of(ranked.projection().candidate()), ranked));
    families.forEach((family, members) -> leaders.computeIfAbsent(family, _ -> leader(members)));
    List<String> reasons = new ArrayList<>(unreachable(devices));
    reasons.addAll(impossible);
    return new SearchResult(devices, timed.size(), best, sorted(leaders), reasons);
  }

  /** Mixtures of the fastest way along each axis that splits layers. */
  private Stream<Timed> mixed(List<Timed> plain) {
    List<Candidate> found = new ArrayList<>();
    for (String axis : Mixtures.AXES) {
      plain.stream()
          .map(Timed::candidate)
          .filter(candidate -> candidate.mesh().size(axis) > 1)
          .filter(candidate -> candidate.mesh().size(Mesh.PIPELINE) == 1)
          .findFirst()
          .ifPresent(candidate -> found.addAll(mixtures.of(candidate)));
    }
    // One that cannot be is no news: the plain way is there.
    return found.parallelStream()
        .filter(wanted)
        .flatMap(candidate -> timed(candidate, new HashSet<>()));
  }

  private Stream<Timed> timed(Candidate candidate, Set<String> impossible) {
    try {
      return Stream.of(new Timed(candidate, Family.of(candidate), projector.seconds(candidate)));
    } catch (UsageException e) {
      impossible.add(e.getMessage());
      return Stream.empty();
    }
  }

  private static Map<Family, Ranked> sorted(Map<Family, Ranked> leaders) {
    Map<Family, Ranked> sorted = new LinkedHashMap<>();
    leaders.entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
    return sorted;
  }

  /** The fastest of these that fit, one for each mesh. */
  private List<Ranked> fastest(List<Timed> timed, int count) {
    List<Ranked> best = new ArrayList<>();
    Set<Row> rows = new HashSet<>();
    PriorityQueue<Timed> queue = new PriorityQueue<>(Comparator.comparingDouble(Timed::seconds));
    queue.addAll(timed);
    while (best.size() < count && !queue.isEmpty()) {
      Timed next = queue.poll();
      Row row = new Row(next.candidate.mesh(), next.candidate.strategy());
      if (!rows.contains(row)) {
        Optional<Ranked> fitting = fitting(next.candidate);
        fitting.ifPresent(
            ranked -> {
              best.add(ranked);
              rows.add(row);
            });
        if (fitting.isEmpty()) {
          smaller(next.candidate)
              .map(less -> new Timed(less, next.family, projector.seconds(less)))
              .ifPresent(queue::add);
        }
      }
    }
    return best;
  }

  /** The fastest of these that fits, or else the one that needs least memory. */
  private Ranked leader(List<Timed> members) {
    List<Ranked> found = fastest(members, 1);
    if (!found.isEmpty()) {
      return found.getFirst();
    }
    Candidate least =
        members.stream()
            .map(member -> smallest(member.candidate))
            .min(Comparator.comparingDouble(projector::leastMemory))
            .orElseThrow();
    return ranked(least);
  }

  private Optional<Ranked> fitting(Candidate candidate) {
    return projector.leastMemory(candidate) > projector.memoryOfRank(candidate.ranks())
        ? Optional.empty()
        : Optional.of(ranked(candidate)).filter(Ranked::fits);
  }

  private Ranked ranked(Candidate candidate) {
    Projection projection = projector.project(candidate);
    double missing = projection.memory().total() - projector.memoryOfRank(candidate.ranks());
    return new Ranked(projection, Math.max(0, missing));
  }

  /** The same with less memory for activations, if there is a way. */
  private Optional<Candidate> smaller(Candidate candidate) {
    int samples = Math.ceilDiv(projector.workload().batch(), candidate.mesh().size(Mesh.DATA));
    if (candidate.mesh().size(Mesh.PIPELINE) == 1) {
      return candidate.accumulation() >= samples
          ? Optional.empty()
          : Optional.of(candidate.inPasses(Math.min(samples, 2 * candidate.accumulation())));
    }
    Stages stages = candidate.stages().orElseThrow();
    if (!stages.recompute() && !projector.workload().inference()) {
      return Optional.of(candidate.with(new Stages(stages.schedule(), stages.pieces(), true)));
    }
    return stages.pieces() >= samples
        ? Optional.empty()
        : Optional.of(
            candidate.with(
                new Stages(
                    stages.schedule(),
                    Math.min(samples, 2 * stages.pieces()),
                    stages.recompute())));
  }

  private Candidate smallest(Candidate candidate) {
    Candidate smallest = candidate;
    for (Optional<Candidate> next = smaller(candidate); next.isPresent(); ) {
      smallest = next.get();
      next = smaller(smallest);
    }
    return smallest;
  }

  /** Kinds of strategies that cannot have so many devices for themselves. */
  private List<String> unreachable(int devices) {
    List<String> reasons = new ArrayList<>();
    for (String axis : List.of(Mesh.DATA, Mesh.PIPELINE, "filter", "channel", "alternate")) {
      Limits.Limit limit = limits.of(axis);
      if (limit.most() < devices) {
        reasons.add("%s: at most %,d devices, %s".formatted(axis, limit.most(), limit.reason()));
      }
    }
    List<Limits.Limit> space =
        Space.NAMES.stream().map(limits::of).filter(limit -> limit.most() > 1).toList();
    long most = space.stream().mapToLong(Limits.Limit::most).reduce(1, (a, b) -> a * b);
    if (most < devices) {
      reasons.add(
          space.isEmpty()
              ? "spatial: 1 device, samples have no space"
              : "%s: at most %,d devices, %s"
                  .formatted(
                      Family.SPATIAL,
                      most,
                      space.stream().map(Limits.Limit::reason).collect(Collectors.joining("; "))));
    }
    return reasons;
  }
}
