package dev.tandem.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.WorkFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinuxCallsTest {

  @TempDir Path folder;

  @Test
  void aFutexSleepsUntilItIsWoken() throws Exception {
    Futex futex = Futex.capability().orElseThrow();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment word = arena.allocate(4, 4);
      FutureTask<Integer> sleeper =
          new FutureTask<>(
              () -> {
                while ((int) ValueLayout.JAVA_INT.varHandle().getVolatile(word, 0L) == 0) {
                  futex.await(word, 0, TimeUnit.SECONDS.toNanos(60));
                }
                return word.get(ValueLayout.JAVA_INT, 0);
              });
      Thread.ofPlatform().daemon().start(sleeper);
      ValueLayout.JAVA_INT.varHandle().setVolatile(word, 0L, 7);
      futex.wakeAll(word);
      assertEquals(7, sleeper.get(30, TimeUnit.SECONDS));
    }
  }

  @Test
  void aFutexReturnsWhenTheValueDiffersOrTimeIsOver() {
    Futex futex = Futex.capability().orElseThrow();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment word = arena.allocate(4, 4);
      futex.await(word, 1, TimeUnit.SECONDS.toNanos(60));
      long start = System.nanoTime();
      futex.await(word, 0, TimeUnit.MILLISECONDS.toNanos(20));
      long slept = System.nanoTime() - start;
      assertTrue(slept < TimeUnit.SECONDS.toNanos(20), "slept " + slept + " ns");
    }
  }

  @Test
  void aThreadRunsWhereItIsPinned() throws Exception {
    Affinity affinity = Affinity.capability().orElseThrow();
    FutureTask<BitSet> pinned =
        new FutureTask<>(
            () -> {
              BitSet one = new BitSet();
              one.set(affinity.current().nextSetBit(0));
              affinity.pin(one);
              return affinity.current();
            });
    // A thread of its own, so that nothing else in this JVM is pinned.
    Thread.ofPlatform().start(pinned);
    assertEquals(1, pinned.get().cardinality());
    assertThrows(IllegalArgumentException.class, () -> affinity.pin(new BitSet()));
  }

  @Test
  void movingAwayKeepsTheProcessors() throws Exception {
    Affinity affinity = Affinity.capability().orElseThrow();
    FutureTask<Void> moving =
        new FutureTask<>(
            () -> {
              BitSet allowed = affinity.current();
              assertTrue(allowed.get(affinity.processor()));
              assertEquals(allowed.cardinality() > 1, affinity.moveAway());
              assertEquals(allowed, affinity.current());
              assertTrue(affinity.moveTo(allowed.nextSetBit(0)));
              assertEquals(allowed, affinity.current());
              BitSet one = new BitSet();
              one.set(allowed.nextSetBit(0));
              affinity.pin(one);
              assertEquals(allowed.nextSetBit(0), affinity.processor());
              assertFalse(affinity.moveAway());
              assertFalse(affinity.moveTo(allowed.length()));
              assertEquals(one, affinity.current());
              return null;
            });
    Thread.ofPlatform().start(moving);
    moving.get();
  }

  @Test
  void usageGrowsWithWork() {
    ResourceUsage.Reader reader = ResourceUsage.reader().orElseThrow();
    ResourceUsage before = reader.thread();
    double sum = 0;
    while (reader.thread().processorTime().minus(before.processorTime()).toMillis() < 20) {
      sum += Math.sqrt(sum + 1);
    }
    assertTrue(sum > 0);
    assertTrue(reader.process().maximumResidentBytes() > 1 << 20);
    assertTrue(reader.process().processorTime().compareTo(Duration.ofMillis(20)) >= 0);
  }

  @Test
  void sharedMemoryOutlivesItsName() {
    Path file = SharedMemoryFile.create(3 << 20, List.of(folder));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment one = SharedMemoryFile.map(file, arena);
      MemorySegment other = SharedMemoryFile.map(file, arena);
      SharedMemoryFile.unlink(file);
      assertFalse(Files.exists(file));
      one.set(ValueLayout.JAVA_LONG, 2 << 20, 42);
      assertEquals(42, other.get(ValueLayout.JAVA_LONG, 2 << 20));
      assertEquals(3 << 20, other.byteSize());
    }
  }

  /** Also for other processes of this user, which have only its name. */
  @Test
  void memoryWithoutAFolderIsSharedTheSameWay() throws Exception {
    for (long huge : new long[] {0, 2 << 20}) {
      Path file = SharedMemoryFile.create(3 << 20, huge, List.of(MemoryFiles.FOLDER));
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment mapped = SharedMemoryFile.map(file, arena);
        mapped.set(ValueLayout.JAVA_BYTE, 0, (byte) 'x');
        Process other = new ProcessBuilder("head", "-c", "2", file.getParent().toString()).start();
        assertArrayEquals(new byte[] {'x', 0}, other.getInputStream().readAllBytes());
        SharedMemoryFile.unlink(file);
        SharedMemoryFile.unlink(file);
        assertEquals('x', mapped.get(ValueLayout.JAVA_BYTE, 0));
        assertEquals(3 << 20, mapped.byteSize());
        assertThrows(WorkFailedException.class, () -> SharedMemoryFile.map(file, arena));
      }
    }
  }

  /** In another container a process of that number may be any, and so its file. */
  @Test
  void anotherFileOfThatProcessIsNotMapped() {
    Path file = SharedMemoryFile.create(4096, List.of(MemoryFiles.FOLDER));
    try (Arena arena = Arena.ofConfined()) {
      Path other = file.resolveSibling("tandem-1-1.shared");
      WorkFailedException e =
          assertThrows(WorkFailedException.class, () -> SharedMemoryFile.map(other, arena));
      assertTrue(
          e.getMessage().contains("it is another file here, /memfd:tandem-"), e.getMessage());
    } finally {
      SharedMemoryFile.unlink(file);
    }
  }

  @Test
  void moreThanTheMemoryThatIsFreeIsRefused() {
    WorkFailedException e =
        assertThrows(
            WorkFailedException.class,
            () -> SharedMemoryFile.create(1L << 50, List.of(MemoryFiles.FOLDER)));
    assertTrue(e.getMessage().contains("bytes of memory are free"), e.getMessage());
  }

  @Test
  void aFullFolderIsPassedOver() {
    Path missing = folder.resolve("missing");
    Path file = SharedMemoryFile.create(4096, List.of(missing, folder));
    assertEquals(folder, file.getParent());
    WorkFailedException e =
        assertThrows(
            WorkFailedException.class,
            () -> SharedMemoryFile.create(Long.MAX_VALUE / 2, List.of(missing, folder)));
    assertTrue(e.getMessage().contains("bytes free"), e.getMessage());
  }

  @Test
  void whatDeadProcessesHaveLeftIsSweptAway() throws Exception {
    Process dead = new ProcessBuilder("true").start();
    assertEquals(0, dead.waitFor());
    Path old = shared("tandem-" + dead.pid() + "-1.shared", Duration.ofHours(1));
    Path young = shared("tandem-" + dead.pid() + "-2.shared", Duration.ZERO);
    long pid = ProcessHandle.current().pid();
    Path alive = shared("tandem-" + pid + "-1.shared", Duration.ofHours(1));
    Path strange = shared("tandem-what.shared", Duration.ofHours(1));
    SharedMemoryFile.unlink(SharedMemoryFile.create(4096, List.of(folder)));
    assertFalse(Files.exists(old));
    for (Path kept : List.of(young, alive, strange)) {
      assertTrue(Files.exists(kept), kept.toString());
    }
  }

  private Path shared(String name, Duration age) throws Exception {
    Path file = Files.createFile(folder.resolve(name));
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
    return file;
  }

  @Test
  void whatIsMissingSaysWhy() {
    Capability<Futex> missing = new Capability.Missing<>("futex needs Linux, this is Plan 9");
    assertTrue(missing.value().isEmpty());
    assertEquals(
        "futex needs Linux, this is Plan 9",
        assertThrows(UnsupportedOperationException.class, missing::orElseThrow).getMessage());
  }
}
