package dev.tandem.comm.launch;

import java.lang.management.ManagementFactory;
import java.lang.module.ModuleFinder;
import java.util.ArrayList;
import java.util.List;

/** The flags that child JVMs inherit. */
final class JvmFlags {

  private static final List<String> ARCHIVES = List.of("-XX:AOTCache=", "-XX:SharedArchiveFile=");

  /** In jvm.options, for commands; ranks share the memory of their machine. */
  static final String HEAP = "-Xmx2g";

  /**
   * What only one process may do, such as listening for a debugger; and archives, for one that was
   * made without {@link #VECTORS} is refused with an error.
   */
  private static final List<String> NOT_INHERITED =
      List.of(
          "-XX:AOTCache",
          "-XX:AOTMode=record",
          "-XX:AOTMode=create",
          "-XX:AOTConfiguration",
          "-XX:ArchiveClassesAtExit",
          "-XX:DumpLoadedClassList",
          "-XX:+RecordDynamicDumpInfo",
          "-XX:SharedArchiveFile",
          "-XX:StartFlightRecording",
          HEAP,
          "-agentlib:jdwp",
          "-Xrunjdwp",
          "-Xshare:dump");

  /** Makes sums several times faster where the JDK has it. */
  private static final String VECTORS = "jdk.incubator.vector";

  /**
   * Names an archive of classes for JVMs with {@link #VECTORS}, which load the compute engine in
   * half the time with it. Where it does not fit, they do without, and jvm.options has them do so
   * silently.
   */
  private static final String ARCHIVE = "tandem.rank.archive";

  private JvmFlags() {}

  /**
   * The flags of this JVM, less what only one process may do and the usual size of the heap, and
   * what makes ranks faster.
   */
  static List<String> inherited() {
    List<String> flags =
        new ArrayList<>(filter(ManagementFactory.getRuntimeMXBean().getInputArguments()));
    if (ModuleFinder.ofSystem().find(VECTORS).isPresent()) {
      flags.add("--add-modules=" + VECTORS);
      flags.addAll(archive(System.getProperty(ARCHIVE)));
    }
    return flags;
  }

  /** What has a JVM use this archive, if there is one. */
  static List<String> archive(String file) {
    return file == null ? List.of() : List.of("-XX:SharedArchiveFile=" + file);
  }

  /** The same flags without any archive. */
  static List<String> withoutArchives(List<String> flags) {
    return flags.stream().filter(flag -> ARCHIVES.stream().noneMatch(flag::startsWith)).toList();
  }

  /** Whether the JVM only says that it was started with {@link #VECTORS}, as it always does. */
  static boolean announcesVectors(String line) {
    return line.equals("WARNING: Using incubator modules: " + VECTORS);
  }

  static List<String> filter(List<String> flags) {
    return flags.stream()
        .filter(flag -> NOT_INHERITED.stream().noneMatch(flag::startsWith))
        .toList();
  }
}
