package dev.tandem.lmdb.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.testkit.CrashFiles;
import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Power cuts at any byte of the write log, with unsynced writes lost, reordered and torn: the
 * database opens at the last commit that had returned, or at the one under way.
 */
class CrashReplayTest {

  @TempDir Path folder;

  /** A commit that had returned when the log was this long. */
  private record Commit(long length, long id, Model model) {}

  @Test
  void someCuts() throws IOException {
    replay(10, 40, 20, Peer.isInstalled("mdb_dump"));
  }

  @Test
  @Tag("slow")
  void tenThousandCuts() throws IOException {
    replay(200, 50, 10, true);
  }

  private void replay(int workloads, int cuts, int peerEvery, boolean withPeer) throws IOException {
    Seed seed = TestSeed.of(CrashReplayTest.class);
    int checked = 0;
    int byPeer = 0;
    int between = 0;
    for (int i = 0; i < workloads; i++) {
      SplittableRandom random = seed.derive(i).random();
      Path path = Files.createDirectories(folder.resolve("environment" + i));
      CrashFiles files = new CrashFiles();
      List<Commit> commits = work(path, files, random);
      for (int n = 0; n < cuts; ) {
        long point = point(files, commits, random);
        CrashFiles.Disk disk = files.cut(point, random);
        byte[] bytes = disk.bytes(path.resolve("data.mdb"));
        Commit last = commits.getFirst();
        for (Commit commit : commits) {
          last = commit.length <= point ? commit : last;
        }
        if (bytes == null || bytes.length == 0) {
          assertTrue(point < commits.getFirst().length, "the file is gone");
          continue;
        }
        Image image = Image.of(bytes);
        Commit found = byId(commits).get(image.transaction());
        assertTrue(
            found != null && found.id >= last.id && found.id <= last.id + 1,
            () -> "found transaction " + image.transaction());
        found.model.assertHeldBy(image);
        n++;
        checked++;
        between += found.id > last.id ? 1 : 0;
        if (n % 10 == 0) {
          goOn(path, disk, found, random);
        }
        if (withPeer && checked % peerEvery == 0) {
          checkByPeer(disk, path, found.model, image);
          byPeer++;
        }
      }
    }
    System.out.printf(
        "%d cuts opened at a commit, %d of them at the one under way, %d checked by liblmdb%n",
        checked, between, byPeer);
  }

  /** Anywhere, or just before a commit returns, where the meta page is on its way. */
  private static long point(CrashFiles files, List<Commit> commits, SplittableRandom random) {
    long end =
        random.nextBoolean() ? files.length() : commits.get(random.nextInt(commits.size())).length;
    return end == files.length()
        ? random.nextLong(end + 1)
        : Math.max(0, end - random.nextInt(random.nextBoolean() ? 3 : 200));
  }

  private static Map<Long, Commit> byId(List<Commit> commits) {
    Map<Long, Commit> map = new TreeMap<>();
    commits.forEach(commit -> map.put(commit.id, commit));
    return map;
  }

  private static List<Commit> work(Path path, CrashFiles files, SplittableRandom random) {
    List<Commit> commits = new ArrayList<>();
    RandomWork work = new RandomWork(random, 6000);
    WriterOptions options =
        WriterOptions.DEFAULT.withPageSize(random.nextInt(4) == 0 ? 16_384 : 4096);
    try (EnvironmentWriter environment =
        EnvironmentWriter.open(path, options, files, random.nextBoolean() ? 1 << 16 : 1 << 24)) {
      commits.add(new Commit(files.length(), 0, work.model().copy()));
      for (int n = 0; n < 8; n++) {
        work.transaction(environment);
        try (WriteTransaction next = environment.begin()) {
          // An aborted or empty transaction leaves the number as it was.
          long id = next.id() - 1;
          if (id > commits.getLast().id) {
            commits.add(new Commit(files.length(), id, work.model().copy()));
          }
        }
      }
    }
    return commits;
  }

  /** Our writer opens what the cut left and commits on it. */
  private static void goOn(Path path, CrashFiles.Disk disk, Commit found, SplittableRandom random) {
    CrashFiles files = new CrashFiles(disk);
    byte[] key = {42};
    try (EnvironmentWriter environment =
        EnvironmentWriter.open(path, WriterOptions.DEFAULT, files, 1 << 20)) {
      try (WriteTransaction transaction = environment.begin()) {
        assertEquals(found.id + 1, transaction.id());
        transaction.database("after the crash").put(key, new byte[5000]);
        transaction.commit();
      } catch (dev.tandem.core.UsageException e) {
        return; // the main database has duplicates and takes no others
      }
    }
    Image image = Image.of(files.cut(files.length(), random).bytes(path.resolve("data.mdb")));
    assertEquals(1, image.databases().get("after the crash").entries().size());
  }

  private void checkByPeer(CrashFiles.Disk disk, Path path, Model model, Image image)
      throws IOException {
    Path copy = Files.createDirectories(folder.resolve("for-the-peer"));
    disk.copy(path.resolve("data.mdb"), copy.resolve("data.mdb"));
    boolean mainOnly = model.databases.keySet().stream().allMatch(String::isEmpty);
    if (!model.databases.isEmpty()) {
      String dump =
          mainOnly
              ? Peer.tool("mdb_dump", copy.toString())
              : Peer.tool("mdb_dump", "-a", copy.toString());
      assertEquals(model.dump(image.mapSize(), image.pageSize()), dump);
    }
    Peer.tool("mdb_stat", "-e", "-f", "-a", copy.toString());
    Files.delete(copy.resolve("data.mdb"));
    Files.deleteIfExists(copy.resolve("lock.mdb"));
  }
}
