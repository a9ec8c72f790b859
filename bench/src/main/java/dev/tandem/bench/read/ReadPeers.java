package dev.tandem.bench.read;

import dev.tandem.bench.BenchFolder;
import dev.tandem.bench.Children;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.ControlGroup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The programs of the peers, compiled into a folder, and the files that they read. */
final class ReadPeers {

  private static final String PYTHON = "/usr/bin/python3";

  /** lmdbjava reaches into the JVM's own buffers. */
  private static final List<String> LMDBJAVA_FLAGS =
      List.of(
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "-Dlmdbjava.disable.checks=true");

  private final Path folder;
  private final Path liblmdb;
  private final Path pylmdb;
  private final Path dataLoader;
  private final Path checksum;
  private final Map<String, ShuffledFiles> shuffled = new HashMap<>();

  /** Compiles what must be; fails with the package to install. */
  ReadPeers(BenchFolder folder) {
    Children.require("gcc", "gcc");
    Children.require("fio", "fio");
    this.folder = folder.path();
    this.liblmdb = this.folder.resolve("read_liblmdb");
    this.checksum = this.folder.resolve("record_checksum.so");
    this.pylmdb = folder.extract(ReadPeers.class, "read_pylmdb.py");
    this.dataLoader = folder.extract(ReadPeers.class, "read_dataloader.py");
    for (String header : List.of("record_checksum.h", "crc32_x86.h", "crc32_arm.h")) {
      folder.extract(ReadPeers.class, header);
    }
    Path program = folder.extract(ReadPeers.class, "read_liblmdb.c");
    Path library = folder.extract(ReadPeers.class, "record_checksum.c");
    compile(List.of("-o", liblmdb.toString(), program.toString(), "-llmdb", "-lpthread"));
    compile(List.of("-shared", "-fPIC", "-o", checksum.toString(), library.toString()));
  }

  private static void compile(List<String> arguments) {
    List<String> command = new ArrayList<>(List.of("gcc", "-O2"));
    boolean arm = System.getProperty("os.arch").equals("aarch64");
    command.addAll(arm ? List.of("-march=armv8-a+crc") : List.of("-msse4.2", "-mpclmul"));
    command.addAll(arguments);
    try {
      Children.run(command);
    } catch (WorkFailedException e) {
      throw new WorkFailedException(
          "a peer does not compile: it needs a processor of x86-64 or aarch64 and liblmdb (Debian:"
              + " apt-get install liblmdb-dev); "
              + e.getMessage(),
          e);
    }
  }

  /** Why py-lmdb cannot take part, or nothing. */
  static String pyLmdbMissing() {
    try {
      Children.run(List.of(PYTHON, "-c", "import lmdb, torch"));
      return "";
    } catch (WorkFailedException | java.io.UncheckedIOException e) {
      return "py-lmdb or PyTorch is missing (Debian: apt-get install python3-lmdb python3-torch)";
    }
  }

  ReadContender liblmdb() {
    return new Peer("liblmdb", List.of(liblmdb.toString()), 0, List.of());
  }

  ReadContender liblmdbWithoutReadAhead() {
    return new Peer("liblmdb-nordahead", List.of(liblmdb.toString()), 1, List.of());
  }

  ReadContender pyLmdb() {
    return new Peer("pylmdb", List.of(PYTHON, pylmdb.toString()), 0, List.of(checksum.toString()));
  }

  /** py-lmdb under a PyTorch DataLoader; reads by keys in either order. */
  ReadContender dataLoader() {
    return new Peer("dataloader", List.of(PYTHON, dataLoader.toString()), 0, List.of(), true);
  }

  ReadContender lmdbJava() {
    return new Peer(
        "lmdbjava",
        Children.javaCommand(LMDBJAVA_FLAGS, LmdbJavaReadMain.class.getName(), List.of()),
        0,
        List.of());
  }

  /** The keys and the order of a database, written when first asked for. */
  private ShuffledFiles shuffled(ReadDatabase database) {
    return shuffled.computeIfAbsent(database.name(), name -> ShuffledFiles.write(database, folder));
  }

  /** A program with the arguments of {@code read_liblmdb.c}. */
  private final class Peer implements ReadContender {

    private final String name;
    private final List<String> program;
    private final int flags;
    private final List<String> last;
    private final boolean loads;

    private Peer(String name, List<String> program, int flags, List<String> last) {
      this(name, program, flags, last, false);
    }

    private Peer(String name, List<String> program, int flags, List<String> last, boolean loads) {
      this.name = name;
      this.loads = loads;
      this.program = program;
      this.flags = flags;
      this.last = last;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public boolean hashes() {
      return !loads;
    }

    @Override
    public ReadOutcome run(ReadCase what, ControlGroup group) {
      List<String> command = new ArrayList<>(program);
      command.add(what.database().folder().toString());
      command.add(what.access().order());
      command.add(Integer.toString(what.processes()));
      command.add(Integer.toString(what.batch()));
      command.add(Integer.toString(what.iterations()));
      command.add(Integer.toString(flags));
      if (loads || !what.access().inKeyOrder()) {
        ShuffledFiles files = shuffled(what.database());
        command.add(files.keys().toString());
        command.add(files.order().toString());
      }
      command.addAll(last);
      return ReadOutcome.parse(name, Children.run(group.wrap(command)).output());
    }
  }
}
