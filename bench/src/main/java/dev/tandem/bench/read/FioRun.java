package dev.tandem.bench.read;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.bench.Children;
import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.ControlGroup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A run of fio that reads a file, into memory in huge pages where there are any. */
final class FioRun {

  /** fio's own options for huge pages need pages that were set aside; the C library's does not. */
  private static final String HUGE_PAGES = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1";

  private FioRun() {}

  /** Bytes a second, over all jobs. */
  static double bytesPerSecond(Path file, ControlGroup group, String... options) {
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of("env", HUGE_PAGES, "fio", "--name=read", "--filename=" + file, "--readonly"));
    command.addAll(List.of("--group_reporting", "--output-format=json"));
    command.addAll(Arrays.asList(options));
    String output = Children.run(group.wrap(command)).output();
    try {
      return new ObjectMapper().readTree(output).at("/jobs/0/read/bw_bytes").asDouble();
    } catch (JsonProcessingException e) {
      throw new WorkFailedException("fio printed no JSON: " + e.getOriginalMessage(), e);
    }
  }
}
