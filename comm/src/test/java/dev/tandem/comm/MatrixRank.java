package dev.tandem.comm;

import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.util.List;
import java.util.stream.IntStream;

/** A rank that runs the checks of {@link CollectivesMatrixTest} as a process. */
public final class MatrixRank {

  private MatrixRank() {}

  public static void main(String[] arguments) {
    try (Communicator communicator = Communicator.join()) {
      List<Integer> hosts =
          IntStream.range(0, communicator.size()).mapToObj(communicator.topology()::host).toList();
      for (int count : new int[] {0, 1, 3, 1000, (1 << 20) + 7}) {
        for (DType type : DType.values()) {
          for (ReduceOp op : ReduceOp.values()) {
            // Large data takes time: of every type one operation.
            if (count <= 1000 || op == operationFor(type)) {
              new CollectiveCheck(communicator, hosts, type, count).reductions(op);
            }
          }
          if (count <= 1000 || type == DType.UINT8) {
            new CollectiveCheck(communicator, hosts, type, count).movements();
          }
        }
        Reference.forget();
      }
      System.out.println("matrix done");
    }
  }

  private static ReduceOp operationFor(DType type) {
    List<ReduceOp> operations = List.of(ReduceOp.values());
    return operations.get(List.of(DType.values()).indexOf(type) % operations.size());
  }
}
