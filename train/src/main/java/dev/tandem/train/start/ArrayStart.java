package dev.tandem.train.start;

import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.RecordSource;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.source.ClassNames;
import dev.tandem.data.source.Sources;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Rows of tables, volumes and other arrays, with classes or values to be learned. */
public final class ArrayStart implements StartKind {

  /** Labels are looked for in this many records at most. */
  private static final long LOOKED_AT = 200_000;

  /** So many steps a run has at least, unless that were too many epochs. */
  private static final long STEPS = 1000;

  private static final long MOST_EPOCHS = 100;
  private static final int MOST_CHANNELS = 4;
  private static final double SPLIT = 0.1;

  @Override
  public boolean takes(Path data) {
    SourceFormat format = SourceFormat.of(data);
    if (format == SourceFormat.NPY) {
      return true;
    }
    if (format != SourceFormat.LMDB) {
      return false;
    }
    try (RecordSource source = Sources.open(data, Split.TRAIN)) {
      return source.size() > 0 && ArrayRecord.is(source.record(0).value());
    } catch (TandemException e) {
      return false; // whatever is wrong is reported by the kind that takes everything
    }
  }

  @Override
  public StartConfig choose(Path data, String model) {
    try (RecordSource source = Sources.open(data, Split.TRAIN)) {
      if (source.size() == 0) {
        throw new WorkFailedException(data + " holds no records");
      }
      ArrayRecord first = ArrayRecord.decode(source.record(0).value());
      boolean values = !first.values().isEmpty();
      List<String> names = values ? List.of() : ClassNames.of(data);
      int outputs =
          values ? first.values().size() : names.isEmpty() ? classes(source) : names.size();
      if (outputs < 2 && !values) {
        throw new UsageException(
            data + " has one class only: a network needs at least two to tell apart");
      }
      int batch = source.size() < 1000 ? 16 : 64;
      long perEpoch = Math.ceilDiv(source.size(), batch);
      long epochs = Math.clamp(Math.ceilDiv(STEPS, perEpoch), 5, MOST_EPOCHS);
      List<Integer> input = input(first.shape());
      String kind = kind(input, model);
      List<String> found = new ArrayList<>();
      found.add(
          "found %,d %s of %s in %s, with %s to be predicted"
              .formatted(
                  source.size(),
                  input.size() == 1 ? "rows" : "arrays",
                  input.size() == 1 ? input.getFirst() + " numbers" : first.shape().toString(),
                  data,
                  values ? plural(outputs, "value") : plural(outputs, "class")));
      List<String> lines = new ArrayList<>();
      if (!SourceFormat.hasHalves(data, SourceFormat.of(data))) {
        lines.add("split: 0.1                 # the part that is for tests; or test: OTHER-DATA");
        found.add(
            "it has no test half: data.split %s leaves about %,d of them for tests; or set data.test"
                .formatted(SPLIT, SourceFormat.testCount(source.size(), SPLIT)));
      }
      lines.add("normalise: compute         # mean and deviation of each column or channel; none");
      if (values) {
        lines.add("normalise-targets: compute # likewise of what is predicted; none");
      }
      found.add("network: %s for %s".formatted(kind, input));
      return new StartConfig(
          kind,
          network(kind, input, outputs),
          data.toString(),
          data.toString(),
          lines,
          names,
          0.03,
          batch,
          epochs,
          found);
    }
  }

  private static String plural(int count, String word) {
    return count == 1 ? "1 " + word : count + " " + word + (word.endsWith("s") ? "es" : "s");
  }

  /** Arrays without a channel get one. */
  private static List<Integer> input(List<Integer> shape) {
    boolean channels =
        shape.size() == 1
            || shape.size() >= 4
            || (shape.size() == 3 && shape.getFirst() <= MOST_CHANNELS);
    if (channels) {
      return shape;
    }
    List<Integer> input = new ArrayList<>(List.of(1));
    input.addAll(shape);
    return input;
  }

  private static String kind(List<Integer> input, String model) {
    String suiting =
        switch (input.size()) {
          case 1 -> "mlp";
          case 3, 4 -> "small-cnn";
          default ->
              throw new UsageException(
                  "there is no usual network for arrays of %s: write network.layers yourself"
                      .formatted(input));
        };
    if (model != null && !model.equals(suiting)) {
      throw new UsageException(
          "--model %s: for arrays of %s init knows %s; write network in the file yourself"
              .formatted(model, input, suiting));
    }
    return suiting;
  }

  private static List<String> network(String kind, List<Integer> input, int outputs) {
    return kind.equals("mlp")
        ? List.of(
            "model: mlp",
            "inputs: " + input.getFirst(),
            "hidden: [64, 32]           # outputs of the layers before the last",
            "outputs: " + outputs)
        : List.of("model: small-cnn", "image: " + input, "classes: " + outputs);
  }

  private static int classes(RecordSource source) {
    long most = 0;
    for (long ordinal = 0; ordinal < Math.min(LOOKED_AT, source.size()); ordinal++) {
      most = Math.max(most, ArrayRecord.decode(source.record(ordinal).value()).label());
    }
    return Math.toIntExact(most + 1);
  }
}
