package dev.tandem.train.config;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.nn.spec.Fields;
import dev.tandem.sync.request.GradientRule;
import java.util.List;

/**
 * A configuration in the words that {@link ConfigReader} reads, every key written out except the
 * network.
 */
final class ConfigTree {

  private ConfigTree() {}

  static ObjectNode of(TrainingConfig config) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    data(config.data(), root.putObject("data"));
    batch(config.batch(), root.putObject("batch"));
    optimizer(config.optimizer(), root.putObject("optimizer"));
    schedule(config.schedule(), root.putObject("schedule"));
    root.put("epochs", config.epochs());
    root.put("steps", config.mostSteps());
    root.put("precision", Fields.word(config.compute().precision()));
    root.put("device", config.compute().device().name());
    root.put("threads", config.compute().threads());
    root.putObject("engine").put("libtorch", config.compute().libtorch());
    root.put("determinism", Fields.word(config.determinism().level()));
    root.put("shards", config.determinism().shards());
    root.put("synchronised-batch-norm", config.determinism().synchronisedBatchNorm());
    config.servers().ifPresent(servers -> servers.write(root.putObject("servers")));
    root.putObject("guard")
        .put("clip", config.guard().clip())
        .put("loss-spike", config.guard().lossSpike())
        .put("spike-after", config.guard().spikeAfter());
    root.putObject("validation")
        .put("every-epochs", config.validation().everyEpochs())
        .put("patience", config.validation().patience())
        .put("least-gain", config.validation().leastGain())
        .put("batch", config.validation().batch());
    CheckpointReader.write(config.checkpoint(), root.putObject("checkpoint"));
    ObjectNode fineTune = root.putObject("fine-tune");
    fineTune.put("init-from", config.fineTune().initFrom());
    ArrayNode freeze = fineTune.putArray("freeze");
    config.fineTune().freeze().forEach(freeze::add);
    config.synchronisation().write(root.putObject("synchronisation"));
    gradients(config.gradients(), root.putObject("gradients"));
    root.put("seed", config.seed());
    return root;
  }

  private static void gradients(GradientRule gradients, ObjectNode to) {
    to.put("reduction", Fields.word(gradients.reduction()));
    to.put("compression", gradients.compression().usual().code());
    to.put("smallest", gradients.compression().smallest());
    ArrayNode rules = to.putArray("rules");
    gradients.compression().clauses().forEach(clause -> rules.add(clause.toString()));
  }

  private static void batch(BatchConfig batch, ObjectNode to) {
    to.put("global", batch.global()).put("accumulation", batch.accumulation());
    if (batch.growth().isPresent()) {
      to.putObject("grow")
          .put("limit", batch.growth().get().limit())
          .put("factor", batch.growth().get().factor())
          .put("threshold", batch.growth().get().threshold())
          .put("window-samples", batch.growth().get().windowSamples());
    }
  }

  private static void data(DataConfig data, ObjectNode to) {
    to.put("train", data.train()).put("test", data.test());
    to.put("augment", data.augment()).put("test-augment", data.testAugment());
    ObjectNode normalise = to.putObject("normalise");
    numbers(normalise.putArray("mean"), data.normalisation().means());
    numbers(normalise.putArray("deviation"), data.normalisation().deviations());
    to.put("shuffle", data.shuffle().toString());
    to.put("epoch-end", Fields.word(data.epochEnd()));
    to.put("threads", data.threads()).put("fetch-threads", data.fetchThreads());
    to.put("prefetch-megabytes", data.prefetchMegabytes());
    to.put("skip-bad-records", data.mostBad());
    ArrayNode names = to.putArray("class-names");
    data.classNames().forEach(names::add);
  }

  private static void optimizer(OptimizerConfig optimizer, ObjectNode to) {
    switch (optimizer) {
      case OptimizerConfig.Sgd sgd ->
          to.put("kind", "sgd")
              .put("momentum", sgd.momentum())
              .put("weight-decay", sgd.weightDecay())
              .put("nesterov", sgd.nesterov());
      case OptimizerConfig.OfAdam(var settings) ->
          to.put("kind", settings.decoupled() ? "adamw" : "adam")
              .put("mean-decay", settings.meanDecay())
              .put("square-decay", settings.squareDecay())
              .put("epsilon", settings.epsilon())
              .put("weight-decay", settings.weightDecay());
      case OptimizerConfig.OfRmsProp(var settings) ->
          to.put("kind", "rmsprop")
              .put("square-decay", settings.squareDecay())
              .put("epsilon", settings.epsilon())
              .put("momentum", settings.momentum())
              .put("weight-decay", settings.weightDecay());
      case OptimizerConfig.OfAdagrad(var settings) ->
          to.put("kind", "adagrad")
              .put("epsilon", settings.epsilon())
              .put("weight-decay", settings.weightDecay());
      case OptimizerConfig.OfLars(var settings) ->
          to.put("kind", "lars")
              .put("momentum", settings.momentum())
              .put("weight-decay", settings.weightDecay())
              .put("trust", settings.trust());
      case OptimizerConfig.OfLamb(var settings) ->
          to.put("kind", "lamb")
              .put("mean-decay", settings.meanDecay())
              .put("square-decay", settings.squareDecay())
              .put("epsilon", settings.epsilon())
              .put("weight-decay", settings.weightDecay());
    }
  }

  private static void schedule(ScheduleConfig schedule, ObjectNode to) {
    switch (schedule.shape()) {
      case ScheduleConfig.Shape.Constant() -> to.put("kind", "constant");
      case ScheduleConfig.Shape.Cosine(Span warmup) -> {
        to.put("kind", "cosine");
        spans("warmup", List.of(warmup), false, to);
      }
      case ScheduleConfig.Shape.Falling falling -> {
        to.put("kind", "steps");
        spans("warmup", List.of(falling.warmup()), false, to);
        to.put("warmup-start", falling.start());
        spans("fall", falling.falls(), true, to);
        to.put("factor", falling.factor());
      }
    }
    to.put("rate", schedule.rate());
    to.put("for-batch", schedule.forBatch());
  }

  /** All spans of one key have the same unit. */
  private static void spans(String key, List<Span> spans, boolean list, ObjectNode to) {
    boolean epochs = !spans.isEmpty() && spans.getFirst().unit() == Span.Unit.EPOCHS;
    String name = key + (epochs ? "-epochs" : "-steps");
    if (!list) {
      double amount = spans.getFirst().amount();
      if (epochs) {
        to.put(name, amount);
      } else {
        to.put(name, Math.round(amount));
      }
      return;
    }
    ArrayNode array = to.putArray(name);
    for (Span span : spans) {
      if (epochs) {
        array.add(span.amount());
      } else {
        array.add(Math.round(span.amount()));
      }
    }
  }

  private static void numbers(ArrayNode to, List<Double> numbers) {
    numbers.forEach(to::add);
  }
}
