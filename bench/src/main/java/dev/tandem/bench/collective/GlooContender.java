package dev.tandem.bench.collective;

import dev.tandem.bench.Children;
import dev.tandem.bench.DebianTorch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Gloo by Debian's PyTorch; a shell starts the ranks and ends with the first. */
record GlooContender(int ranks, Path script) implements CollectiveContender {

  @Override
  public String peer() {
    return "gloo";
  }

  @Override
  public Set<CollectiveOperation> operations() {
    return Set.of(CollectiveOperation.ALLREDUCE);
  }

  @Override
  public void run(Path pipes, Consumer<String> output) {
    Path store = script.resolveSibling("gloo-store");
    List<String> parts = new ArrayList<>();
    for (int rank = ranks - 1; rank >= 0; rank--) {
      parts.add(
          "%s '%s' %d %d '%s' '%s'"
              .formatted(DebianTorch.PYTHON, script, rank, ranks, store, pipes));
    }
    Children.follow(List.of("sh", "-c", String.join(" & ", parts)), Map.of(), output);
  }
}
