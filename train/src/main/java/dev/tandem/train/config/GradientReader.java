package dev.tandem.train.config;

import dev.tandem.core.UsageException;
import dev.tandem.nn.spec.Fields;
import dev.tandem.sync.compress.Compression;
import dev.tandem.sync.compress.CompressionRule;
import dev.tandem.sync.request.GradientRule;
import dev.tandem.sync.request.Operation;
import java.util.List;

/** The section {@code gradients}. */
final class GradientReader {

  private GradientReader() {}

  static GradientRule read(Fields keys) {
    String reduction = keys.text("reduction", "sum");
    GradientRule rule =
        new GradientRule(
            switch (reduction) {
              case "sum" -> Operation.SUM;
              case "adasum" -> Operation.ADASUM;
              default ->
                  throw new UsageException(
                      "gradients: reduction is '%s', not sum or adasum".formatted(reduction));
            },
            new CompressionRule(
                keys.texts("rules", List.of()).stream().map(CompressionRule.Clause::of).toList(),
                Compression.of(keys.text("compression", "none")),
                keys.longInteger("smallest", CompressionRule.USUAL_SMALLEST)));
    keys.requireAllRead();
    return rule;
  }
}
