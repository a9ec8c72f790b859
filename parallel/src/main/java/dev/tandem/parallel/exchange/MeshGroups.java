package dev.tandem.parallel.exchange;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.parallel.mesh.Mesh;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The groups of a mesh's ranks along some of its axes. First a rank says which it needs, by {@link
 * #transfer} and {@link #need}, in any order; then all ranks {@link #form} them at once; then they
 * may be used.
 *
 * <p>Note [groups by use]: threads of one rank use groups at the same time, each in an order of its
 * own: the one that computes exchanges activations, another sums gradients. Statistics must not
 * wait for gradients that are on their way either. So the same ranks have a group for each use.
 */
public final class MeshGroups implements AutoCloseable {

  /** What a group is for. */
  public enum Use {
    /** Exchanges between the layers of a split network. */
    EXCHANGE,
    /** Sums of gradients, and whatever is done between steps. */
    GRADIENTS,
    /** Sums within normalisations. */
    STATISTICS,
    /** Samples that one rank reads for others. */
    INPUT
  }

  private final Communicator all;
  private final Mesh mesh;
  private final Map<Use, SortedMap<Integer, Communicator>> groups = new EnumMap<>(Use.class);
  private final Map<Use, long[]> needed = new EnumMap<>(Use.class);
  private final Map<Integer, GroupTransfer> transfers = new LinkedHashMap<>();
  private boolean formed;

  /**
   * No group yet.
   *
   * @param all as many ranks as the mesh has; borrowed until this is closed
   */
  public MeshGroups(Communicator all, Mesh mesh) {
    if (all.size() != mesh.size()) {
      throw new IllegalArgumentException("%d ranks for mesh %s".formatted(all.size(), mesh));
    }
    this.all = all;
    this.mesh = mesh;
    for (Use use : Use.values()) {
      needed.put(use, new long[((1 << mesh.axes().size()) - 1) / Long.SIZE + 1]);
      groups.put(use, new TreeMap<>());
    }
  }

  /** All ranks of the mesh. */
  public Communicator all() {
    return all;
  }

  public Mesh mesh() {
    return mesh;
  }

  /** Moves memory along these axes, once the groups are formed. */
  public Transfer transfer(Set<String> axes) {
    need(Use.EXCHANGE, axes);
    return transfers.computeIfAbsent(
        number(axes),
        key -> {
          List<Integer> members = mesh.group(all.rank(), axes);
          return new GroupTransfer(members.size(), members.indexOf(all.rank()));
        });
  }

  /** This rank will use the group along these axes. */
  public void need(Use use, Set<String> axes) {
    int number = number(axes);
    needed.get(use)[number / Long.SIZE] |= 1L << number;
    if (formed && !groups.get(use).containsKey(number)) {
      throw notFormed(use, axes);
    }
  }

  /**
   * Forms all groups that any rank needs; all ranks of the mesh call it at the same place in the
   * order of their operations.
   */
  public void form() {
    for (Use use : Use.values()) {
      long[] wanted = needed.get(use);
      all.allreduce(MemorySegment.ofArray(wanted), DType.INT64, ReduceOp.BIT_OR);
      for (int number = 0; number < 1 << mesh.axes().size(); number++) {
        if ((wanted[number / Long.SIZE] >>> number & 1) == 1) {
          groups.get(use).put(number, group(number));
        }
      }
    }
    formed = true;
    transfers.forEach((number, transfer) -> transfer.over(groups.get(Use.EXCHANGE).get(number)));
  }

  /** The ranks that differ from this one along these axes only, in their order. */
  public Communicator along(Use use, Set<String> axes) {
    Communicator group = groups.get(use).get(number(axes));
    if (group == null) {
      throw notFormed(use, axes);
    }
    return group;
  }

  private IllegalStateException notFormed(Use use, Set<String> axes) {
    return new IllegalStateException(
        "no group along %s for %s was asked for before groups were formed"
            .formatted(mesh.sorted(axes), use));
  }

  /** Axes that the mesh does not have have one rank: they add nothing. */
  private int number(Set<String> along) {
    int number = 0;
    for (int axis = 0; axis < mesh.axes().size(); axis++) {
      number |= along.contains(mesh.axes().get(axis).name()) ? 1 << axis : 0;
    }
    return number;
  }

  private Communicator group(int number) {
    Set<String> along = new HashSet<>();
    for (int axis = 0; axis < mesh.axes().size(); axis++) {
      if ((number >> axis & 1) == 1) {
        along.add(mesh.axes().get(axis).name());
      }
    }
    return all.group(mesh.group(all.rank(), along).stream().mapToInt(Integer::intValue).toArray());
  }

  @Override
  public void close() {
    groups.values().forEach(each -> each.values().forEach(Communicator::close));
  }
}
