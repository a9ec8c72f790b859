package dev.tandem.parallel.state;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.nn.NormReducer;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.mesh.Mesh;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Norms of the tensors of a split network: one allreduce of the squares of all tensors over all
 * ranks, in float64. Of ranks with copies of the same part the first one counts it.
 */
public final class SplitNorms implements NormReducer {

  private final Communicator all;
  private final int wholes;
  private final int[] places;
  private final boolean[] counted;

  /**
   * The norms of a rank's parameters.
   *
   * @param all all ranks of the mesh; borrowed
   * @param local the rank's network
   * @param copies for each parameter the axes along which ranks hold the same bits of it
   */
  public SplitNorms(
      Communicator all,
      Mesh mesh,
      NetworkSpec whole,
      NetworkSpec local,
      Map<String, Set<String>> copies) {
    this.all = all;
    Map<String, Integer> byName = new HashMap<>();
    whole.parameters().forEach(parameter -> byName.put(parameter.name(), byName.size()));
    wholes = byName.size();
    List<ParameterSpec> parameters = local.parameters();
    places = new int[parameters.size()];
    counted = new boolean[parameters.size()];
    for (int i = 0; i < places.length; i++) {
      String name = parameters.get(i).name();
      places[i] = byName.get(name);
      counted[i] =
          copies.getOrDefault(name, Set.of()).stream()
              .allMatch(axis -> mesh.coordinate(all.rank(), axis) == 0);
    }
  }

  /** The norms of a rank's network, of which all ranks along {@code data} have copies. */
  public static SplitNorms of(Communicator all, Mesh mesh, LocalNetwork network) {
    Map<String, Set<String>> copies = new HashMap<>();
    for (ParameterSpec parameter : network.spec().parameters()) {
      Set<String> axes = new HashSet<>(network.copies().getOrDefault(parameter.name(), Set.of()));
      axes.add(Mesh.DATA);
      copies.put(parameter.name(), axes);
    }
    return new SplitNorms(all, mesh, network.whole(), network.spec(), copies);
  }

  /** Bytes that are summed at a time. */
  public static long bytes(NetworkSpec whole, int rows) {
    return (long) rows * whole.parameters().size() * Double.BYTES;
  }

  @Override
  public double[] sum(double[][] squares) {
    double[] sums = new double[squares.length * wholes];
    for (int row = 0; row < squares.length; row++) {
      for (int i = 0; i < places.length; i++) {
        sums[row * wholes + places[i]] = counted[i] ? squares[row][i] : 0;
      }
    }
    all.allreduce(MemorySegment.ofArray(sums), DType.FLOAT64, ReduceOp.SUM);
    double[] totals = new double[squares.length];
    for (int row = 0; row < squares.length; row++) {
      for (int i = 0; i < wholes; i++) {
        totals[row] += sums[row * wholes + i];
      }
      for (int i = 0; i < places.length; i++) {
        squares[row][i] = sums[row * wholes + places[i]];
      }
    }
    return totals;
  }
}
