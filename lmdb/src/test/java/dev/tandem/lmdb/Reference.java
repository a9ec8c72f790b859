package dev.tandem.lmdb;

import dev.tandem.core.Seed;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** liblmdb, through the system's Python and py-lmdb: what our reader is compared with. */
@SuppressWarnings("ArrayRecordComponent") // compared by content, never by equals
public final class Reference {

  private static final String PYTHON = "/usr/bin/python3";

  private Reference() {}

  public record Pair(byte[] key, byte[] value) {}

  /** A seek and where it led: {@code value} is null unless duplicates were sought. */
  public record Sought(byte[] key, byte[] value, boolean found, int ordinal) {}

  public record Expected(
      String name,
      int flags,
      DatabaseStatistics statistics,
      List<Pair> records,
      List<Sought> seeks,
      List<Sought> duplicateSeeks) {}

  /** Skips the test, with a reason, where liblmdb's tools are missing. */
  public static void assume() {
    boolean python;
    try {
      Process process = new ProcessBuilder(PYTHON, "-c", "import lmdb").inheritIO().start();
      python = process.waitFor() == 0 && Files.isExecutable(Path.of("/usr/bin/mdb_load"));
    } catch (IOException e) {
      python = false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    if (!python) {
      System.out.println("skipped: needs " + PYTHON + " with py-lmdb, and lmdb-utils");
    }
    Assumptions.assumeTrue(python, "needs " + PYTHON + " with py-lmdb, and lmdb-utils");
  }

  /** Writes cases first..first+count-1, each in the folder of its number. */
  public static void makeDatabases(Path folder, Seed seed, int first, int count) throws Exception {
    run(
        script(folder, "make_databases.py"),
        folder.toString(),
        Long.toString(seed.value() & 0xFFFF_FFFFL),
        Integer.toString(first),
        Integer.toString(count));
  }

  public static Path script(Path folder, String name) throws IOException {
    Path script = folder.resolve(name);
    try (InputStream in = Reference.class.getResourceAsStream(name)) {
      Files.write(script, in.readAllBytes());
    }
    return script;
  }

  public static void run(Path script, String... arguments) throws Exception {
    Process process = start(script, arguments);
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new AssertionError(script.getFileName() + " failed: " + output);
    }
  }

  static Process start(Path script, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(PYTHON, script.toString()));
    Collections.addAll(command, arguments);
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /** What liblmdb read from the database in this folder. */
  public static List<Expected> expected(Path folder) throws IOException {
    ByteBuffer in =
        ByteBuffer.wrap(Files.readAllBytes(folder.resolve("expected.bin")))
            .order(ByteOrder.LITTLE_ENDIAN);
    List<Expected> databases = new ArrayList<>();
    for (int count = in.getInt(); count > 0; count--) {
      String name = new String(string(in), StandardCharsets.UTF_8);
      int flags = in.getInt();
      int pageSize = in.getInt();
      long depth = in.getLong();
      long branches = in.getLong();
      long leaves = in.getLong();
      long overflow = in.getLong();
      long entries = in.getLong();
      List<Pair> records = new ArrayList<>();
      for (int i = in.getInt(); i > 0; i--) {
        records.add(new Pair(string(in), string(in)));
      }
      List<Sought> seeks = new ArrayList<>();
      for (int i = in.getInt(); i > 0; i--) {
        seeks.add(new Sought(string(in), null, in.get() != 0, in.getInt()));
      }
      List<Sought> duplicateSeeks = new ArrayList<>();
      for (int i = in.getInt(); i > 0; i--) {
        duplicateSeeks.add(new Sought(string(in), string(in), in.get() != 0, in.getInt()));
      }
      databases.add(
          new Expected(
              name,
              flags,
              new DatabaseStatistics(
                  entries, (int) depth, branches, leaves, overflow, flags, pageSize),
              records,
              seeks,
              duplicateSeeks));
    }
    return databases;
  }

  private static byte[] string(ByteBuffer in) {
    byte[] bytes = new byte[in.getInt()];
    in.get(bytes);
    return bytes;
  }
}
