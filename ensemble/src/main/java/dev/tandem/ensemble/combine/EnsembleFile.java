package dev.tandem.ensemble.combine;

import dev.tandem.core.UsageException;
import dev.tandem.data.augment.Normalisation;
import dev.tandem.nn.onnx.OnnxFile;
import dev.tandem.nn.weights.PixelNormalisation;
import dev.tandem.nn.weights.Weights;
import dev.tandem.train.ExportMetadata;
import dev.tandem.train.SavedRun;
import dev.tandem.train.config.TrainingConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An ensemble in one ONNX file, whose graph has all members and answers the weighted mean of their
 * probabilities or values.
 */
public final class EnsembleFile {

  private EnsembleFile() {}

  /**
   * Replaces the file.
   *
   * @param preprocessing whether the graph takes pixels and each member normalises them itself
   * @return how many parameters the members have
   */
  public static long write(Path file, OpenMembers open, Averaging mean, boolean preprocessing) {
    List<OnnxFile.Member> members = new ArrayList<>();
    long parameters = 0;
    for (int i = 0; i < open.runs().size(); i++) {
      SavedRun run = open.runs().get(i);
      check(open, i, preprocessing);
      Optional<PixelNormalisation> pixels =
          preprocessing ? Optional.of(ExportMetadata.pixels(run.config())) : Optional.empty();
      members.add(
          new OnnxFile.Member(
              run.network().spec(), Weights.of(run.network()), pixels, mean.weights().get(i)));
      parameters += run.network().spec().parameterCount();
    }
    Map<String, String> metadata =
        new LinkedHashMap<>(ExportMetadata.of(open.config(), preprocessing));
    metadata.putIfAbsent("output", "probabilities");
    OnnxFile.writeEnsemble(file, members, metadata);
    return parameters;
  }

  /** The file says once for all what goes in and what comes out. */
  private static void check(OpenMembers open, int member, boolean preprocessing) {
    TrainingConfig first = open.config();
    TrainingConfig other = open.runs().get(member).config();
    Normalisation inputs = first.data().normalisation();
    if (!preprocessing && !other.data().normalisation().equals(inputs)) {
      throw different(open, member, "inputs", ": use --with-preprocessing");
    }
    if (!other.data().targetNormalisation().equals(first.data().targetNormalisation())) {
      throw different(open, member, "targets", ": export each member by itself");
    }
    if (!other.data().testAugment().equals(first.data().testAugment())) {
      throw new UsageException(
          "%s has data.test-augment '%s', but %s '%s': export each member by itself"
              .formatted(
                  open.members().names().get(member),
                  other.data().testAugment(),
                  open.members().names().getFirst(),
                  first.data().testAugment()));
    }
  }

  private static UsageException different(
      OpenMembers open, int member, String what, String instead) {
    return new UsageException(
        "%s normalises %s otherwise than %s%s"
            .formatted(
                open.members().names().get(member),
                what,
                open.members().names().getFirst(),
                instead));
  }
}
