package dev.tandem.comm.launch;

import java.lang.management.ManagementFactory;
import java.util.List;

/** The flags that child JVMs inherit. */
final class JvmFlags {

  /** What only one process may do: write an archive, listen for a debugger. */
  private static final List<String> NOT_INHERITED =
      List.of(
          "-XX:AOTCacheOutput",
          "-XX:AOTMode=record",
          "-XX:AOTMode=create",
          "-XX:AOTConfiguration",
          "-XX:ArchiveClassesAtExit",
          "-XX:DumpLoadedClassList",
          "-XX:+RecordDynamicDumpInfo",
          "-XX:StartFlightRecording",
          "-agentlib:jdwp",
          "-Xrunjdwp",
          "-Xshare:dump");

  private JvmFlags() {}

  /** The flags of this JVM, less what only one process may do. */
  static List<String> inherited() {
    return filter(ManagementFactory.getRuntimeMXBean().getInputArguments());
  }

  static List<String> filter(List<String> flags) {
    return flags.stream()
        .filter(flag -> NOT_INHERITED.stream().noneMatch(flag::startsWith))
        .toList();
  }
}
