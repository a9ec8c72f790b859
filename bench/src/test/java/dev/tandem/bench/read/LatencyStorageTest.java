package dev.tandem.bench.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.bench.BenchFolder;
import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.importing.SyntheticRecords.Kind;
import dev.tandem.data.read.ReadLaunch;
import dev.tandem.data.read.ReaderReport;
import dev.tandem.data.read.mode.BatchPlan;
import dev.tandem.data.read.mode.CachePolicy;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.data.read.mode.ModeSettings;
import dev.tandem.data.read.mode.ReadMode;
import dev.tandem.data.read.mode.ReadRequest;
import dev.tandem.posix.PageCache;
import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LatencyStorageTest {

  private static final int REQUEST = 128 << 10;
  private static final int REQUESTS = 8;

  @TempDir Path folder;
  private final byte[] bytes = new byte[REQUESTS * REQUEST];
  private Path source;
  private Path beside;

  @BeforeEach
  void write() throws IOException {
    Optional<String> missing = LatencyStorage.missing();
    missing.ifPresent(reason -> System.out.println("LatencyStorageTest skipped: " + reason));
    assumeTrue(missing.isEmpty(), () -> missing.orElseThrow());
    TestSeed.of(LatencyStorageTest.class).random().nextBytes(bytes);
    source = Files.createDirectories(folder.resolve("source/inner"));
    beside = Files.createDirectories(folder.resolve("beside"));
    Files.write(source.resolve("file"), bytes);
  }

  private LatencyStorage mount(BenchFolder scratch, double milliseconds) {
    try {
      return LatencyStorage.mount(scratch, source.getParent(), beside, milliseconds);
    } catch (WorkFailedException e) {
      System.out.println("LatencyStorageTest skipped: " + e.getMessage());
      return assumeMounted(e.getMessage());
    }
  }

  /** A container may have the device and still not let us mount. */
  private static LatencyStorage assumeMounted(String reason) {
    assumeTrue(false, reason);
    return null;
  }

  private static boolean mounted(Path path) throws IOException {
    return Files.readString(Path.of("/proc/mounts")).contains(" " + path + " ");
  }

  @Test
  void theAutomaticModeAsksForMuchAtOnce() {
    ReadDatabase database = ReadDatabase.in(source, Kind.CIFAR, 2000, Progress.SILENT);
    database.index(true);
    ReaderReport expected = read(database.folder());
    try (BenchFolder scratch = BenchFolder.in(folder);
        LatencyStorage storage = mount(scratch, 50)) {
      ReaderReport report = read(storage.path().resolve("inner/cifar"));
      assertEquals("prov", report.mode());
      assertTrue(report.choice().contains("for many at once"), report.choice());
      assertEquals(expected.checksum(), report.checksum());
    }
  }

  private static ReaderReport read(Path database) {
    ReadRequest request =
        new ReadRequest(
            database,
            ReadMode.AUTO,
            ModeSettings.DEFAULT,
            500,
            ReadRequest.EPOCH,
            BatchPlan.Access.STRIDED,
            new Seed(1),
            false,
            CachePolicy.NONE,
            Locate.AUTO);
    return ReadLaunch.run(request, 1, line -> {}).getFirst();
  }

  @Test
  void everyRequestTakesItsTimeAndWhatCameIsKept() throws Exception {
    try (BenchFolder scratch = BenchFolder.in(folder);
        LatencyStorage storage = mount(scratch, 20)) {
      Path file = storage.path().resolve("inner/file");
      long began = System.nanoTime();
      assertArrayEquals(bytes, Files.readAllBytes(file));
      double cold = (System.nanoTime() - began) / 1e6;
      // Read-ahead is 128 KB, and the next window is asked for while one is waited for.
      assertTrue(cold > REQUESTS / 2.0 * 20, "took only " + cold + " ms");
      assertEquals(1, PageCache.sampledShare(file));
      PageCache.capability().orElseThrow().drop(file);
      assertEquals(0, PageCache.sampledShare(file));
      assertThrows(IOException.class, () -> Files.delete(file));
      assertThrows(IOException.class, () -> Files.writeString(file, "x"));
    }
    assertArrayEquals(bytes, Files.readAllBytes(source.resolve("file")));
    try (Stream<Path> left = Files.list(beside)) {
      assertEquals(0, left.count());
    }
  }

  @Test
  void aKilledFilesystemIsUnmounted() throws Exception {
    try (BenchFolder scratch = BenchFolder.in(folder);
        LatencyStorage storage = mount(scratch, 0)) {
      assertTrue(mounted(storage.path()));
      storage.process().destroyForcibly();
      storage.process().onExit().get(10, TimeUnit.SECONDS);
      // fusermount3 does it, a process of its own.
      for (int tries = 0; mounted(storage.path()) && tries < 1000; tries++) {
        Thread.sleep(10);
      }
      assertFalse(mounted(storage.path()));
    }
  }

  @Test
  void aFolderThatIsNotThereIsNamed() {
    try (BenchFolder scratch = BenchFolder.in(folder)) {
      WorkFailedException e =
          assertThrows(
              WorkFailedException.class,
              () -> LatencyStorage.mount(scratch, folder.resolve("nothing"), beside, 1));
      assertTrue(e.getMessage().contains("nothing"), e.getMessage());
    }
  }
}
