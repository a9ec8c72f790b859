package dev.tandem.spark;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/** A program of several ranks: they add one more than their numbers, and rank 0 says the sum. */
public final class GangProgram {

  private GangProgram() {}

  static String command() {
    return "'%s' --enable-native-access=ALL-UNNAMED --add-modules=jdk.incubator.vector -XX:TieredStopAtLevel=1 -cp '%s' %s"
        .formatted(
            Path.of(System.getProperty("java.home"), "bin", "java"),
            SparkCluster.classes(),
            GangProgram.class.getName());
  }

  /** A rank. */
  public static void main(String[] arguments) {
    try (Communicator communicator = Communicator.join();
        Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(ValueLayout.JAVA_DOUBLE);
      number.set(ValueLayout.JAVA_DOUBLE, 0, communicator.rank() + 1);
      communicator.allreduce(number, DType.FLOAT64, ReduceOp.SUM);
      if (communicator.rank() == 0) {
        System.out.println("{\"accuracy\":%s}".formatted(number.get(ValueLayout.JAVA_DOUBLE, 0)));
      }
    }
  }
}
