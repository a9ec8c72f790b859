package dev.tandem.lmdb.write;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.TandemException;
import dev.tandem.posix.DurableFiles;
import dev.tandem.testkit.TestSeed;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * kill -9 of a writing process, over and over on the same database: it is at the last commit that
 * was acknowledged, or at the next, for us and for liblmdb; and the next writer goes on from there,
 * although the dead one held the lock.
 */
class KillTest {

  @TempDir Path folder;

  private String classPath;

  @Test
  void aFewKills() throws Exception {
    kill(1, 4);
  }

  @Test
  @Tag("slow")
  void aThousandKills() throws Exception {
    kill(4, 250);
  }

  /** Lanes are environments of their own, so that machines with several cores are done sooner. */
  private void kill(int lanes, int killsEach) throws Exception {
    Peer.require();
    Seed seed = TestSeed.of(KillTest.class);
    classPath = jars();
    Path archive = folder.resolve("classes.jsa");
    // One writer ends by itself and leaves an archive of its classes, so that others start fast.
    Process first = start(archive, folder.resolve("first"), 3, "sync");
    assertEquals(3, acknowledged(first, Integer.MAX_VALUE, seed.random()));
    assertEquals(0, first.waitFor());
    List<Future<String>> results = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(lanes)) {
      for (int i = 0; i < lanes; i++) {
        Lane lane = new Lane(archive, folder.resolve("lane" + i), seed.derive(i).random());
        results.add(threads.submit(() -> lane.kill(killsEach)));
      }
      for (Future<String> result : results) {
        System.out.println(result.get());
      }
    }
  }

  /** One environment and what it must hold. */
  private final class Lane {
    private final Path archive;
    private final Path environment;
    private final SplittableRandom random;
    private final Model.Database model = new Model.Database("", 0);
    private long modelAt;

    Lane(Path archive, Path environment, SplittableRandom random) {
      this.archive = archive;
      this.environment = environment;
      this.random = random;
    }

    String kill(int kills) throws IOException, InterruptedException {
      long last = 0;
      int unacknowledged = 0;
      try (Peer peer = Peer.start()) {
        for (int i = 0; i < kills; i++) {
          String sync = random.nextInt(4) == 0 ? "sync" : "nosync";
          Process child = start(archive, environment, Integer.MAX_VALUE, sync);
          last = Math.max(last, acknowledged(child, random.nextInt(20), random));
          assertEquals(137, child.waitFor(), "killed by signal 9");
          if (!Files.exists(environment.resolve("data.mdb"))) {
            assertEquals(0, last);
            continue;
          }
          long found = check(last);
          unacknowledged += found > last ? 1 : 0;
          last = found;
          String count = peer.ask("digest " + environment + " -").split(" ", 2)[0];
          assertEquals(model.count(), Long.parseLong(count), "entries that liblmdb finds");
          String state = peer.ask("value " + environment + " " + hex(KilledWriter.STATE));
          assertEquals(found, state.equals("-") ? 0 : Long.parseLong(state, 16));
        }
      }
      return kills
          + " kills, "
          + last
          + " commits; "
          + unacknowledged
          + " times a commit was done but not acknowledged";
    }

    /** The database holds what transaction {@code last} or the next left; returns which. */
    private long check(long last) throws IOException {
      Image image = Image.of(Files.readAllBytes(environment.resolve("data.mdb")));
      long found = image.transaction();
      assertTrue(found == last || found == last + 1, "at " + found + ", acknowledged " + last);
      while (modelAt < found) {
        modelAt++;
        KilledWriter.changes(modelAt, model::put, model::delete);
      }
      Model whole = new Model();
      whole.databases.put("", model);
      whole.assertHeldBy(image);
      return found;
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /** The classes of a writer in jars, which the JVM can make an archive of. */
  private String jars() throws IOException, URISyntaxException {
    List<String> jars = new ArrayList<>();
    for (Class<?> type :
        List.of(
            KilledWriter.class,
            EnvironmentWriter.class,
            DurableFiles.class,
            TandemException.class)) {
      Path place = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path jar = Files.isDirectory(place) ? folder.resolve("j" + jars.size() + ".jar") : place;
      if (Files.isDirectory(place)) {
        pack(place, jar);
      }
      jars.add(jar.toString());
    }
    return String.join(File.pathSeparator, jars);
  }

  private static void pack(Path classes, Path jar) throws IOException {
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        var files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, out);
      }
    }
  }

  private Process start(Path archive, Path environment, int limit, String sync) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+AutoCreateSharedArchive",
                "-XX:SharedArchiveFile=" + archive,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Xlog:disable",
                "-Xmx128m",
                "-cp",
                classPath));
    command.addAll(
        List.of(
            KilledWriter.class.getName(), environment.toString(), Integer.toString(limit), sync));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** Kills the child some time after so many commits, and returns the last one acknowledged. */
  private static long acknowledged(Process child, int commits, SplittableRandom random)
      throws IOException {
    long last = 0;
    try (BufferedReader lines = child.inputReader(US_ASCII)) {
      int seen = 0;
      while (true) {
        if (seen == commits) {
          LockSupport.parkNanos(random.nextInt(3_000_000));
          // By its handle: the process object would close the pipe, and acknowledgements with it.
          child.toHandle().destroyForcibly();
        }
        String line = lines.readLine();
        if (line == null) {
          return last;
        }
        last = Long.parseLong(line);
        seen++;
      }
    }
  }
}
