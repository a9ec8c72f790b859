package dev.tandem.train.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.comm.rendezvous.JobEnvironment;
import dev.tandem.posix.MachineMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What is known of the machines of a run. */
public final class Hosts {

  /**
   * A machine.
   *
   * @param ranks how many run there
   * @param processors null where it is not this machine; likewise memory, in bytes, and processor
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Host(String name, int ranks, Integer processors, Long memory, String cpu) {}

  private Hosts() {}

  /** The machines of ranks. */
  static List<Host> of(List<String> hostOfRank) {
    Map<String, Integer> ranks = new LinkedHashMap<>();
    hostOfRank.forEach(host -> ranks.merge(host, 1, Integer::sum));
    return ranks.entrySet().stream().map(host -> of(host.getKey(), host.getValue())).toList();
  }

  private static Host of(String name, int ranks) {
    return name.equals(JobEnvironment.ONE_HOST) || name.equals(thisHost())
        ? new Host(
            thisHost(),
            ranks,
            Runtime.getRuntime().availableProcessors(),
            MachineMemory.bytes(),
            processor())
        : new Host(name, ranks, null, null, null);
  }

  /** The name of this machine. */
  static String thisHost() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    } catch (IOException e) {
      return "localhost";
    }
  }

  /** The name of the processor; its architecture where the system does not name it. */
  public static String processor() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException e) {
      return System.getProperty("os.arch");
    }
  }
}
