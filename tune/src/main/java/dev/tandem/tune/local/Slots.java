package dev.tandem.tune.local;

import dev.tandem.posix.Affinity;
import dev.tandem.posix.MachineMemory;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Node;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * The processors, graphics processors and memory of this machine, and who has them. Thread-safe.
 */
public final class Slots {

  private static final Path DEVICES = Path.of("/dev");

  private final String name;
  private final BitSet freeCores;
  private final BitSet freeGpus;
  private final int cores;
  private final int gpus;
  private final long memory;
  private long freeMemory;

  /** What a task was given. */
  public record Placement(List<Integer> cores, List<Integer> gpus, long memoryBytes) {}

  private Slots(String name, BitSet cores, int gpus, long memory) {
    this.name = name;
    this.freeCores = cores;
    this.cores = cores.cardinality();
    this.gpus = gpus;
    this.freeGpus = new BitSet();
    freeGpus.set(0, gpus);
    this.memory = memory;
    this.freeMemory = memory;
  }

  /** Those that this process may use. */
  public static Slots ofThisMachine() {
    BitSet cores =
        Affinity.capability().value().map(Affinity::current).orElseGet(Slots::allProcessors);
    return new Slots(hostName(), cores, countGpus(), MachineMemory.bytes());
  }

  /** Some of the processors of this machine, under another name, such as an executor's share. */
  public static Slots of(String name, BitSet cores, int gpus, long memoryBytes) {
    return new Slots(name, (BitSet) cores.clone(), gpus, memoryBytes);
  }

  private static BitSet allProcessors() {
    BitSet all = new BitSet();
    all.set(0, Runtime.getRuntime().availableProcessors());
    return all;
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }

  private static int countGpus() {
    int count = 0;
    try (DirectoryStream<Path> devices = Files.newDirectoryStream(DEVICES, "nvidia[0-9]*")) {
      for (Path device : devices) {
        if (device.getFileName().toString().matches("nvidia[0-9]+")) {
          count++;
        }
      }
    } catch (IOException e) {
      return 0;
    }
    return count;
  }

  /** All of it, whoever has it. */
  public Node node() {
    return new Node(name, cores, gpus, memory);
  }

  /** Takes what a task needs, all ranks of a gang together; none if there is no room now. */
  public synchronized Optional<Placement> take(Needs needs) {
    int wantedCores = needs.cores() * needs.ranks();
    int wantedGpus = needs.gpus() * needs.ranks();
    long wantedMemory = needs.memoryBytes() * needs.ranks();
    if (missing(needs).isPresent()) {
      return Optional.empty();
    }
    freeMemory -= wantedMemory;
    return Optional.of(
        new Placement(first(freeCores, wantedCores), first(freeGpus, wantedGpus), wantedMemory));
  }

  /** What is missing for a task, in words; empty if there is room. */
  synchronized Optional<String> missing(Needs needs) {
    return needs.missing(freeCores.cardinality(), freeGpus.cardinality(), freeMemory);
  }

  private static List<Integer> first(BitSet free, int count) {
    List<Integer> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int index = free.nextSetBit(0);
      free.clear(index);
      taken.add(index);
    }
    return taken;
  }

  /** Gives back what {@link #take} gave, once. */
  public synchronized void release(Placement placement) {
    placement.cores().forEach(freeCores::set);
    placement.gpus().forEach(freeGpus::set);
    freeMemory += placement.memoryBytes();
  }
}
