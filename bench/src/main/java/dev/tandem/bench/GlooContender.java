package dev.tandem.bench;

import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Gloo by Debian's PyTorch; a shell starts the ranks and ends with the first. */
record GlooContender(int ranks, Path script, Plan plan) implements CollectiveContender {

  /** Debian's own, which sees Debian's packages. */
  static final String PYTHON = "/usr/bin/python3";

  @Override
  public String peer() {
    return "gloo";
  }

  @Override
  public String run() {
    Path store = script.resolveSibling("gloo-store");
    try {
      Files.deleteIfExists(store);
    } catch (IOException e) {
      throw FileErrors.failure("delete", store, e);
    }
    List<String> parts = new ArrayList<>();
    for (int rank = ranks - 1; rank >= 0; rank--) {
      parts.add(command(rank, store));
    }
    return Children.run(List.of("sh", "-c", String.join(" & ", parts)), Map.of()).output();
  }

  private String command(int rank, Path store) {
    StringBuilder command = new StringBuilder();
    command.append("%s '%s' %d %d '%s'".formatted(PYTHON, script, rank, ranks, store));
    command.append(" %s %s".formatted(plan.warmUp(), plan.seconds()));
    for (long bytes : plan.sizes()) {
      command.append(' ').append(bytes);
    }
    return command.toString();
  }
}
