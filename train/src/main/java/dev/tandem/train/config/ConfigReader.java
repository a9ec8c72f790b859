package dev.tandem.train.config;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.UsageException;
import dev.tandem.data.order.EpochEnd;
import dev.tandem.data.order.Shuffle;
import dev.tandem.nn.Adagrad;
import dev.tandem.nn.Adam;
import dev.tandem.nn.Device;
import dev.tandem.nn.Lamb;
import dev.tandem.nn.Lars;
import dev.tandem.nn.RmsProp;
import dev.tandem.nn.exchange.NetworkFiles;
import dev.tandem.nn.models.Models;
import dev.tandem.nn.spec.Fields;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.NetworkYaml;
import dev.tandem.train.batch.GrowingBatch;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Makes a configuration of its tree; keys that are left out have their defaults here. */
final class ConfigReader {

  private final Fields root;

  ConfigReader(JsonNode tree) {
    root = new Fields("configuration", tree);
  }

  TrainingConfig read() {
    NetworkSpec network = network();
    TrainingConfig config =
        new TrainingConfig(
            network,
            data(network),
            batch(),
            optimizer(),
            schedule(),
            root.longInteger("epochs", 10),
            root.longInteger("steps", 0),
            new ComputeConfig(
                root.choice("precision", ComputeConfig.Precision.FLOAT32),
                new Device(root.text("device", Device.CPU.name())),
                root.integer("threads", 0),
                libtorch()),
            new DeterminismConfig(
                root.choice("determinism", DeterminismConfig.Level.RUN),
                root.integer("shards", 8),
                root.flag("synchronised-batch-norm", false)),
            ServersConfig.read(root),
            guard(),
            validation(),
            checkpoint(),
            fineTune(),
            SynchronisationConfig.read(root),
            GradientReader.read(root.section("gradients")),
            root.longInteger("seed", 1));
    root.requireAllRead();
    return config;
  }

  private String libtorch() {
    Fields keys = root.section("engine");
    String folder = keys.text("libtorch", "");
    keys.requireAllRead();
    return folder.isEmpty() ? "" : absolute(folder);
  }

  private NetworkSpec network() {
    Fields keys = root.section("network");
    boolean named = keys.has("model");
    boolean inFile = keys.has("file");
    boolean inline = keys.has("layers");
    if ((named ? 1 : 0) + (inFile ? 1 : 0) + (inline ? 1 : 0) != 1) {
      throw new UsageException(
          "network: one of model (a known network), file (a network in YAML or ONNX) and layers is needed");
    }
    if (inline) {
      return NetworkYaml.network(root.tree("network"));
    }
    NetworkSpec network =
        named
            ? Models.named(keys.text("model"), keys)
            : NetworkFiles.read(Path.of(keys.text("file"))).spec();
    if (inFile && keys.has("classes")) {
      network = network.withClasses(keys.integer("classes"));
    }
    keys.requireAllRead();
    return network;
  }

  private DataConfig data(NetworkSpec network) {
    Fields keys = root.section("data");
    String both = keys.text("path", "");
    String train = absolute(both.isEmpty() ? keys.text("train") : keys.text("train", both));
    String test = absolute(both.isEmpty() ? keys.text("test") : keys.text("test", both));
    DataConfig data =
        new DataConfig(
            train,
            test,
            keys.text("augment", ""),
            keys.text("test-augment", ""),
            Normalisations.read(keys, train, network),
            Shuffle.parse(keys.text("shuffle", Shuffle.BY_INDEX.toString())),
            keys.choice("epoch-end", EpochEnd.EXACT),
            keys.integer("threads", 1),
            keys.integer("fetch-threads", 1),
            keys.longInteger("prefetch-megabytes", 256),
            keys.longInteger("skip-bad-records", 0),
            keys.texts("class-names", List.of()));
    keys.requireAllRead();
    return data;
  }

  static String absolute(String path) {
    return Path.of(path).toAbsolutePath().normalize().toString();
  }

  private BatchConfig batch() {
    Fields keys = root.section("batch");
    BatchConfig batch =
        new BatchConfig(keys.integer("global", 64), keys.integer("accumulation", 1), growth(keys));
    keys.requireAllRead();
    return batch;
  }

  private static Optional<GrowingBatch.Settings> growth(Fields batch) {
    if (!batch.has("grow")) {
      return Optional.empty();
    }
    Fields keys = batch.section("grow");
    GrowingBatch.Settings growth =
        new GrowingBatch.Settings(
            keys.integer("limit"),
            keys.integer("factor", 2),
            keys.number("threshold", 0.05),
            keys.longInteger("window-samples", 15_000));
    keys.requireAllRead();
    return Optional.of(growth);
  }

  private OptimizerConfig optimizer() {
    Fields keys = root.section("optimizer");
    String kind = keys.text("kind", "sgd");
    OptimizerConfig optimizer =
        switch (kind) {
          case "sgd" ->
              new OptimizerConfig.Sgd(
                  keys.number("momentum", 0.9),
                  keys.number("weight-decay", 0),
                  keys.flag("nesterov", false));
          case "adam" -> adam(keys, Adam.Settings.ADAM);
          case "adamw" -> adam(keys, Adam.Settings.ADAM_W);
          case "rmsprop" -> rmsProp(keys, RmsProp.Settings.DEFAULT);
          case "adagrad" ->
              new OptimizerConfig.OfAdagrad(
                  new Adagrad.Settings(
                      keys.number("epsilon", Adagrad.Settings.DEFAULT.epsilon()),
                      keys.number("weight-decay", Adagrad.Settings.DEFAULT.weightDecay())));
          case "lars" -> lars(keys, Lars.Settings.DEFAULT);
          case "lamb" -> lamb(keys, Lamb.Settings.DEFAULT);
          default ->
              throw new UsageException(
                  "optimizer: unknown kind '%s'; known: sgd, adam, adamw, rmsprop, adagrad, lars, lamb"
                      .formatted(kind));
        };
    keys.requireAllRead();
    return optimizer;
  }

  private static OptimizerConfig adam(Fields keys, Adam.Settings usual) {
    return new OptimizerConfig.OfAdam(
        new Adam.Settings(
            keys.number("mean-decay", usual.meanDecay()),
            keys.number("square-decay", usual.squareDecay()),
            keys.number("epsilon", usual.epsilon()),
            keys.number("weight-decay", usual.weightDecay()),
            usual.decoupled()));
  }

  private static OptimizerConfig rmsProp(Fields keys, RmsProp.Settings usual) {
    return new OptimizerConfig.OfRmsProp(
        new RmsProp.Settings(
            keys.number("square-decay", usual.squareDecay()),
            keys.number("epsilon", usual.epsilon()),
            keys.number("momentum", usual.momentum()),
            keys.number("weight-decay", usual.weightDecay())));
  }

  private static OptimizerConfig lars(Fields keys, Lars.Settings usual) {
    return new OptimizerConfig.OfLars(
        new Lars.Settings(
            keys.number("momentum", usual.momentum()),
            keys.number("weight-decay", usual.weightDecay()),
            keys.number("trust", usual.trust())));
  }

  private static OptimizerConfig lamb(Fields keys, Lamb.Settings usual) {
    return new OptimizerConfig.OfLamb(
        new Lamb.Settings(
            keys.number("mean-decay", usual.meanDecay()),
            keys.number("square-decay", usual.squareDecay()),
            keys.number("epsilon", usual.epsilon()),
            keys.number("weight-decay", usual.weightDecay())));
  }

  private ScheduleConfig schedule() {
    Fields keys = root.section("schedule");
    String kind = keys.text("kind", "cosine");
    ScheduleConfig.Shape shape =
        switch (kind) {
          case "constant" -> new ScheduleConfig.Shape.Constant();
          case "cosine" -> new ScheduleConfig.Shape.Cosine(warmup(keys));
          case "steps" ->
              new ScheduleConfig.Shape.Falling(
                  warmup(keys),
                  keys.number("warmup-start", 0),
                  falls(keys),
                  keys.number("factor", 0.1));
          default ->
              throw new UsageException(
                  "schedule: unknown kind '%s'; known: constant, cosine, steps".formatted(kind));
        };
    ScheduleConfig schedule =
        new ScheduleConfig(shape, keys.number("rate"), keys.integer("for-batch", 0));
    keys.requireAllRead();
    return schedule;
  }

  private static Span warmup(Fields keys) {
    if (keys.has("warmup-epochs") && keys.has("warmup-steps")) {
      throw new UsageException("schedule: warmup-epochs or warmup-steps, not both");
    }
    return keys.has("warmup-epochs")
        ? Span.epochs(keys.number("warmup-epochs"))
        : Span.steps(keys.longInteger("warmup-steps", 0));
  }

  private static List<Span> falls(Fields keys) {
    if (keys.has("fall-epochs") == keys.has("fall-steps")) {
      throw new UsageException("schedule: either fall-epochs or fall-steps is needed");
    }
    return keys.has("fall-epochs")
        ? keys.numbers("fall-epochs").stream().map(Span::epochs).toList()
        : keys.numbers("fall-steps").stream().map(fall -> Span.steps(Math.round(fall))).toList();
  }

  private GuardConfig guard() {
    Fields keys = root.section("guard");
    GuardConfig guard =
        new GuardConfig(
            keys.number("clip", 0),
            keys.number("loss-spike", 0),
            keys.longInteger("spike-after", 50));
    keys.requireAllRead();
    return guard;
  }

  private ValidationConfig validation() {
    Fields keys = root.section("validation");
    ValidationConfig validation =
        new ValidationConfig(
            keys.integer("every-epochs", 1),
            keys.integer("patience", 0),
            keys.number("least-gain", 0),
            keys.integer("batch", 500));
    keys.requireAllRead();
    return validation;
  }

  private CheckpointConfig checkpoint() {
    return CheckpointReader.read(root.section("checkpoint"));
  }

  /** A network from a file with weights begins with them, unless something else is said. */
  private String weightsOfNetwork() {
    String file = root.section("network").text("file", "");
    return !file.isEmpty() && NetworkFiles.hasWeights(Path.of(file)) ? file : "";
  }

  private FineTuneConfig fineTune() {
    Fields keys = root.section("fine-tune");
    String file = keys.text("init-from", weightsOfNetwork());
    FineTuneConfig fineTune =
        new FineTuneConfig(file.isEmpty() ? "" : absolute(file), keys.texts("freeze", List.of()));
    keys.requireAllRead();
    return fineTune;
  }
}
