package dev.tandem.parallel.cost;

import dev.tandem.comm.collective.Allgather;
import dev.tandem.comm.collective.Allreduce;
import dev.tandem.comm.collective.CollectiveSettings;
import dev.tandem.comm.collective.Cost;
import dev.tandem.comm.collective.Layout;
import dev.tandem.comm.collective.ReduceScatter;
import dev.tandem.comm.collective.TeamPosition;
import dev.tandem.core.DType;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.parallel.cost.PlanTraffic.Call;
import dev.tandem.parallel.cost.PlanTraffic.Operation;
import dev.tandem.parallel.exchange.NoTransfer;
import dev.tandem.parallel.mesh.Mesh;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;

/**
 * The groups of a rank in a mesh whose ranks need not be there: plans are made with its transfers,
 * which move nothing, and costs are counted from its positions.
 */
public final class PlannedGroups {

  private static final TeamPosition ALONE = new TeamPosition(0, 1, false);

  private static final Cost NOTHING = new Cost(0, 0);

  private final Mesh mesh;
  private final int rank;
  private final List<Integer> hosts;
  private final boolean sharedMemory;
  private final CollectiveSettings settings;
  private final Map<Set<String>, Transfer> transfers = new HashMap<>();
  // By the transfer itself: those of different groups may be equal.
  private final IdentityHashMap<Transfer, TeamPosition> positions = new IdentityHashMap<>();
  // Asked by several threads, unlike transfers, which belong to one plan.
  private final Map<Set<String>, TeamPosition> byAxes = new ConcurrentHashMap<>();
  private final IdentityHashMap<Transfer, Set<String>> axes = new IdentityHashMap<>();

  /**
   * The groups of a rank.
   *
   * @param hosts the number of every rank's host
   * @param sharedMemory whether ranks of one host share memory
   * @param settings of the job's collectives, at its level of determinism
   */
  public PlannedGroups(
      Mesh mesh, int rank, List<Integer> hosts, boolean sharedMemory, CollectiveSettings settings) {
    this.mesh = mesh;
    this.rank = rank;
    this.hosts = List.copyOf(hosts);
    this.sharedMemory = sharedMemory;
    this.settings = settings;
  }

  /** Ranks that share the memory of one host. */
  public static PlannedGroups onOneHost(Mesh mesh, int rank) {
    return new PlannedGroups(
        mesh, rank, Collections.nCopies(mesh.size(), 0), true, CollectiveSettings.DEFAULT);
  }

  /**
   * The groups of a rank of a larger mesh that is at the same place along the axes of this one. A
   * plan that was made with these groups is one with those.
   */
  public PlannedGroups within(Mesh larger, int other, List<Integer> hosts, boolean sharedMemory) {
    PlannedGroups groups = new PlannedGroups(larger, other, hosts, sharedMemory, settings);
    axes.forEach(
        (transfer, along) -> {
          groups.transfers.put(along, transfer);
          groups.positions.put(transfer, groups.position(along));
          groups.axes.put(transfer, along);
        });
    return groups;
  }

  public Mesh mesh() {
    return mesh;
  }

  public int rank() {
    return rank;
  }

  /** Stands for the group along these axes in a plan. */
  public Transfer transfer(Set<String> axes) {
    return transfers.computeIfAbsent(
        Set.copyOf(mesh.sorted(axes)),
        sorted -> {
          TeamPosition position = position(sorted);
          Transfer transfer = new NoTransfer(position.size(), position.rank());
          positions.put(transfer, position);
          this.axes.put(transfer, sorted);
          return transfer;
        });
  }

  /** The rank's position in the group along these axes. */
  public TeamPosition position(Set<String> axes) {
    return byAxes.computeIfAbsent(Set.copyOf(axes), this::found);
  }

  private TeamPosition found(Set<String> axes) {
    List<Integer> members = mesh.group(rank, axes);
    int[] own = members.stream().mapToInt(hosts::get).toArray();
    Layout layout = Layout.of(own);
    long neighbours = members.stream().filter(each -> sameHost(each)).count();
    boolean slots = sharedMemory && neighbours > 1;
    return new TeamPosition(members.indexOf(rank), layout, slots);
  }

  private boolean sameHost(int other) {
    return hosts.get(other).equals(hosts.get(rank));
  }

  /** The rank's position in a group that a plan names. */
  TeamPosition position(Transfer transfer) {
    TeamPosition position = transfer.size() == 1 ? ALONE : positions.get(transfer);
    if (position == null) {
      throw new IllegalArgumentException("the plan was made with other groups");
    }
    return position;
  }

  /** The axes of a group that a plan names. */
  Set<String> axes(Transfer transfer) {
    return axes.getOrDefault(transfer, Set.of());
  }

  /** An allreduce in a group of this rank, by the algorithm that the job chooses. */
  public Call allreduce(TeamPosition position, long bytes, DType type) {
    Cost cost =
        Allreduce.cost(
            position, bytes, type, settings.allreduce(position, bytes, settings.determinism()));
    return new Call(Operation.ALLREDUCE, position, bytes, cost);
  }

  Call allgather(TeamPosition position, long[] lengths) {
    Cost cost = position.size() == 1 ? NOTHING : Allgather.cost(position, lengths);
    return new Call(Operation.ALLGATHER, position, LongStream.of(lengths).sum(), cost);
  }

  Call reduceScatter(TeamPosition position, long[] lengths) {
    Cost cost = position.size() == 1 ? NOTHING : ReduceScatter.cost(position, lengths);
    return new Call(Operation.REDUCE_SCATTER, position, LongStream.of(lengths).sum(), cost);
  }
}
