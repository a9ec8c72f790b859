package dev.tandem.lmdb.write;

import dev.tandem.core.Seed;
import dev.tandem.core.TandemException;
import dev.tandem.testkit.CrashFiles;
import dev.tandem.testkit.TestSeed;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writing to damaged files either works or fails with one line; it never hangs or crashes. */
class WriterDamageTest {

  @TempDir Path folder;

  @Test
  void someDamagedFiles() throws Exception {
    damage(10, 60);
  }

  @Test
  @Tag("slow")
  void manyDamagedFiles() throws Exception {
    damage(100, 100);
  }

  private void damage(int environments, int mutations) throws Exception {
    Seed seed = TestSeed.of(WriterDamageTest.class);
    int[] refused = new int[1];
    for (int i = 0; i < environments; i++) {
      SplittableRandom random = seed.derive(i).random();
      CrashFiles files = new CrashFiles();
      Path path = folder.resolve("environment" + i);
      try (EnvironmentWriter environment =
          EnvironmentWriter.open(path, WriterOptions.DEFAULT, files, 1 << 20)) {
        RandomWork work = new RandomWork(random, 6000);
        for (int n = 0; n < 5; n++) {
          work.transaction(environment);
        }
      }
      CrashFiles.Disk disk = files.cut(files.length(), random);
      for (int n = 0; n < mutations; n++) {
        CrashFiles.Disk damaged = damaged(disk, random);
        Watchdog.within(
            Duration.ofSeconds(60),
            () -> {
              refused[0] += refuses(path, damaged, random) ? 1 : 0;
              return null;
            });
      }
    }
    System.out.printf("%d damaged files, %d refused%n", environments * mutations, refused[0]);
  }

  /** Changes bytes where structure is, or cuts the end off. */
  private static CrashFiles.Disk damaged(CrashFiles.Disk disk, SplittableRandom random) {
    Map<Path, byte[]> files = new LinkedHashMap<>();
    disk.files()
        .forEach(
            (name, bytes) -> {
              byte[] copy = bytes.clone();
              int changes = 1 + random.nextInt(4);
              for (int i = 0; i < changes; i++) {
                int page = random.nextInt(copy.length / 4096) * 4096;
                int within = random.nextBoolean() ? random.nextInt(200) : random.nextInt(4096);
                copy[page + within] = (byte) random.nextInt();
              }
              if (random.nextInt(10) == 0) {
                copy = Arrays.copyOf(copy, random.nextInt(copy.length));
              }
              files.put(name, copy);
            });
    return new CrashFiles.Disk(files);
  }

  private static boolean refuses(Path path, CrashFiles.Disk disk, SplittableRandom random)
      throws IOException {
    CrashFiles files = new CrashFiles(disk);
    try (EnvironmentWriter environment =
        EnvironmentWriter.open(path, WriterOptions.DEFAULT, files, 1 << 20)) {
      for (int n = 0; n < 3; n++) {
        try (WriteTransaction transaction = environment.begin()) {
          WriteDatabase database =
              random.nextBoolean()
                  ? transaction.main()
                  : transaction.database("database" + random.nextInt(3));
          for (int i = 0; i < 100; i++) {
            byte[] key = new byte[random.nextBoolean() ? 4 : 8];
            random.nextBytes(key);
            switch (random.nextInt(3)) {
              case 0 -> database.put(key, new byte[random.nextBoolean() ? 4 : 8]);
              case 1 -> database.get(key);
              default -> database.delete(key);
            }
          }
          if (random.nextInt(4) == 0) {
            database.clear();
          }
          transaction.commit();
        }
      }
      return false;
    } catch (TandemException e) {
      if (e.getMessage().contains("\n")) {
        throw new AssertionError("more than a line: " + e.getMessage(), e);
      }
      return true;
    }
  }
}
