package dev.tandem.train.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.models.LeNet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingConfigTest {

  private static final String SMALLEST =
      """
      network: {model: lenet}
      data: {path: somewhere, normalise: none}
      schedule: {rate: 0.1}
      """;

  @TempDir Path run;

  private static TrainingConfig config(String... settings) {
    return ConfigFile.parse("c.yaml", SMALLEST).with(List.of(settings)).config();
  }

  private static String mistake(String... settings) {
    TandemException e = assertThrows(UsageException.class, () -> config(settings));
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
    for (String setting : settings) {
      for (String option : List.of(setting, setting.replaceFirst("=.*", "=..."))) {
        if (e.getMessage().startsWith("--set " + option + ": ")) {
          return e.getMessage().replace("--set " + option + ": ", "SET: ");
        }
      }
    }
    return e.getMessage();
  }

  @Test
  void defaultsAreFilledIn() {
    TrainingConfig config = config();
    assertEquals(LeNet.spec(10), config.network());
    assertEquals(Path.of("somewhere").toAbsolutePath().toString(), config.data().test());
    assertEquals(new BatchConfig(64, 1, Optional.empty(), false), config.batch());
    assertEquals(DeterminismConfig.Level.RUN, config.determinism().level());
  }

  @Test
  void levelsOfCheckpoints() {
    Path place = Path.of("runs/r").toAbsolutePath();
    CheckpointConfig one = config("checkpoint.every-steps=3").checkpoint();
    assertEquals(place.resolve("checkpoints"), one.folder(place));
    assertEquals(1, one.levels(place, false).size());
    assertEquals(List.of(), one.foreignFolders(place));
    CheckpointConfig two =
        config("checkpoint={every-steps: 3, every: 10, local: {folder: /near}}").checkpoint();
    assertEquals(Path.of("/near/r"), two.levels(place, false).getFirst().folder());
    assertEquals(10, two.levels(place, false).getLast().every());
    assertEquals(List.of(Path.of("/near/r")), two.foreignFolders(place));
    assertEquals(
        "SET: checkpoint.incremental compares a save with the one before it: every is 10,"
            + " expected 1",
        mistake("checkpoint={incremental: true, every: 10, local: {folder: /near}}"));
    assertEquals(
        "SET: checkpoint.every is 2, but no other level gets every save: set it or local.every"
            + " to 1, and save less often with every-steps",
        mistake("checkpoint.every=2"));
    assertEquals(
        "SET: checkpoint.failure-hours is for every-steps: auto",
        mistake("checkpoint={every-steps: 7, failure-hours: 2}"));
    assertEquals(
        "SET: checkpoint.budget-percent is 100.0, expected less than 100",
        mistake("checkpoint={every-steps: auto, budget-percent: 100}"));
    assertEquals(
        "SET: checkpoint.local.folder is missing", mistake("checkpoint={local: {every: 2}}"));
  }

  @Test
  void whatIsSavedIsLoaded() {
    List<TrainingConfig> configs =
        List.of(
            config("seed=-9223372036854775808", "network.classes=7"),
            config("network.model=caffe-cifar", "optimizer={kind: adamw, weight-decay: 1e-3}"),
            config("optimizer.kind=rmsprop", "schedule={kind: constant, rate: 1e-5}"),
            config("optimizer.kind=adagrad", "precision=bfloat16", "threads=3"),
            config(
                "gradients={compression: 'top-k:0.02', smallest: 64, rules: [conv1=none,"
                    + " '*.bias=float16']}"),
            config("gradients.reduction=adasum"),
            config("batch.grow={limit: 512, threshold: 0.02}"),
            config("synchronisation={policy: auto, tuned: here, timeline: t.json}"),
            config("synchronisation=topo+pool"),
            config(
                "checkpoint={every-steps: auto, failure-hours: 0.5, budget-percent: 2, keep: 2,"
                    + " keep-every: 100, compression: zstd, partner: true, folder: far, every: 10,"
                    + " local: {folder: /near, every: 1, keep: 2}}"),
            config("checkpoint={every-steps: 5, incremental: true}"),
            config("optimizer={kind: lars, trust: 0.02}", "schedule.warmup-epochs=1.5"),
            config(
                "optimizer.kind=lamb",
                "schedule={kind: steps, rate: 0.4, for-batch: 256, warmup-steps: 7,"
                    + " warmup-start: 0.1, fall-epochs: [30, 60.5], factor: 0.2}"),
            config(
                "network={model: resnet18-small, classes: 3}",
                "data={train: a, test: b, augment: 'random-crop=32x32+4,flip', shuffle: none,"
                    + " normalise: {mean: [0.1, 0.2, 0.3], deviation: [1, 0.5, 2]}, epoch-end:"
                    + " circular, class-names: [cat, 'no', 'a: b']}",
                "engine={libtorch: /opt/torch/lib}",
                "determinism=elastic",
                "shards=4",
                "synchronised-batch-norm=true",
                "guard={clip: 2, loss-spike: 5, spike-after: 3}",
                "validation={patience: 2, least-gain: 0.001, batch: 100, every-epochs: 3}",
                "checkpoint={every-steps: 50, best: true, keep: 7}",
                "synchronisation=topo",
                "steps=99"));
    for (TrainingConfig config : configs) {
      config.save(run);
      assertEquals(config, TrainingConfig.load(run));
    }
  }

  @Test
  void mistakesAreNamed() {
    assertEquals(
        "SET: unknown key 'lerning_rate'; did you mean 'schedule.rate'?",
        mistake("lerning_rate=3"));
    assertEquals("SET: unknown key 'epochen'; did you mean 'epochs'?", mistake("epochen=3"));
    assertEquals(
        "SET: unknown key 'batch.globl'; did you mean 'batch.global'?", mistake("batch.globl=3"));
    assertEquals(
        "SET: unknown key 'batch.sizes'; did you mean 'batch.global'?", mistake("batch.sizes=3"));
    assertEquals(
        "SET: unknown key 'batch.number'; known here: accumulation, global, grow, saw-tooth",
        mistake("batch.number=3"));
    assertEquals("SET: epochs is 0, expected 1 or more", mistake("epochs=0"));
    assertEquals("SET: batch.global is 0, expected 1 or more", mistake("batch.global=0"));
    assertEquals(
        "SET: batch.global is \"many\", expected an integer", mistake("batch.global=many"));
    assertEquals("SET: batch is 3, expected keys and values", mistake("batch=3"));
    assertEquals("SET: batch.global is 1.5, expected an integer", mistake("batch.global=1.5"));
    assertEquals("SET: schedule.rate is missing", mistake("schedule={}"));
    assertEquals("SET: threads is \"x\", expected an integer", mistake("threads=x"));
    assertEquals("SET: shards is 0, expected 1 or more", mistake("shards=0"));
    assertEquals("SET: checkpoint.best is 1, expected true or false", mistake("checkpoint.best=1"));
    assertEquals(
        "SET: checkpoint.every-steps: 'x', expected a number of steps or auto",
        mistake("checkpoint.every-steps=x"));
    assertEquals(
        "SET: optimizer.trust is 0.0, expected more than 0",
        mistake("optimizer={kind: lars, trust: 0}"));
    assertEquals(
        "SET: batch.grow.factor is 1, expected 2 or more",
        mistake("batch.grow={limit: 9, factor: 1}"));
    assertEquals(
        "SET: precision is \"float16\", expected one of float32, tf32, bfloat16; did you mean"
            + " 'bfloat16'?",
        mistake("precision=float16"));
    assertTrue(mistake("device=gpu:0").startsWith("SET: device: unknown device 'gpu:0', expected"));
    assertTrue(
        mistake("network.model=lenett")
            .startsWith("SET: network: unknown model 'lenett'; known: alexnet,"));
    assertEquals(
        "SET: network: model lenet: unknown key 'clases'; did you mean 'classes'?",
        mistake("network.clases=3"));
    assertTrue(
        mistake("optimizer.kind=sgdd")
            .contains("optimizer.kind is 'sgdd', expected one of sgd, adam"));
    assertTrue(mistake("optimizer.momentum=2").contains("momentum"));
    assertTrue(mistake("schedule.rate=-1").contains("schedule.rate is -1.0, expected more than 0"));
    assertTrue(mistake("data.class-names=[a]").contains("tells 10 classes apart"));
    assertTrue(mistake("data.augment=blur").contains("augmentation 'blur'"));
    assertTrue(
        mistake("data.normalise=maybe").contains("data.normalise: 'maybe', expected compute"));
    assertTrue(mistake("data={normalise: none}").contains("data.train is missing"));
    assertTrue(mistake("determinism=elastic", "batch.accumulation=2").contains("raise shards"));
    assertTrue(mistake("synchronisation=fast").contains("the synchronisation policy must be one"));
    assertEquals(
        "SET: gradients.reduction is \"mean\", expected one of sum, adasum",
        mistake("gradients.reduction=mean"));
    assertTrue(mistake("gradients.compression=zip").contains("compression must be none, bfloat16"));
    assertTrue(
        mistake("gradients={compression: top-k, reduction: adasum}")
            .contains("adasum compares whole gradients"));
    assertEquals(
        "SET: gradients.compression is not none, but with determinism: elastic the gradients of"
            + " shards are summed as they are, along one tree: use determinism: run",
        mistake("determinism=elastic", "gradients.compression=one-bit"));
    assertTrue(
        mistake("determinism=elastic", "gradients.reduction=adasum")
            .contains("gradients.reduction is adasum, but with determinism: elastic"));
    assertTrue(mistake("determinism=elastic", "shards=65").contains("cut into 65 shards"));
    assertEquals("SET: expected KEY=VALUE", mistake("batch"));
    assertEquals(64, config("batch.global=").batch().global());
  }

  @Test
  void partsOfRecordsAreReadWhereTheyCanBe() {
    String images = mistake("strategy={mesh: {spatial: 2}, input: partial}");
    assertTrue(images.contains("parts of arrays, but samples are images"), images);
  }

  private static String refused(String text) {
    TandemException e =
        assertThrows(UsageException.class, () -> ConfigFile.parse("c.yaml", text).config());
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
    return e.getMessage();
  }

  @Test
  void syntaxAndDuplicatesAreNamedWithTheirLines() {
    assertEquals(
        "c.yaml:5: duplicate key 'epochs', which is also in line 4: remove one of them",
        refused(SMALLEST + "epochs: 3\nepochs: 4\n"));
    assertEquals(
        "c.yaml:6: duplicate key 'batch.global', which is also in line 5: remove one of them",
        refused(SMALLEST + "batch:\n  global: 3\n  global: 4\n"));
    assertEquals(
        "c.yaml:5: found character '\\t(TAB)' that cannot start any token. (Do not use \\t(TAB) for"
            + " indentation) in column 1 while scanning for the next token",
        refused(SMALLEST + "batch:\n\tglobal: 3\n"));
    assertEquals(
        "c.yaml:2: expected ',' or '}', but got : in column 5 while parsing a flow mapping that"
            + " begins in line 1",
        refused("network: {model: lenet\nseed: 1\n"));
    assertEquals(
        "c.yaml is empty: expected keys and values; ./tandem init writes a configuration",
        refused(""));
    assertEquals(
        "c.yaml: expected keys and values; ./tandem init writes a configuration", refused("- a\n"));
  }

  @Test
  void everyMistakeHasItsLine() {
    String network =
        """
        network:
          input: [1, 4, 4]
          layers:
            - {name: a, type: max-pool, kernel: 2}
        """;
    String rest = "\ndata: {path: d, normalise: none}\nschedule: {rate: 1}\n";
    for (String[] expected :
        new String[][] {
          {"4: epochs is 0, expected 1 or more", SMALLEST + "epochs: 0"},
          {"5: batch.global is \"x\", expected an integer", SMALLEST + "batch:\n  global: x"},
          {"4: batch is 3, expected keys and values", SMALLEST + "batch: 3"},
          {"3: schedule.rate is missing", SMALLEST.replace("rate: 0.1", "")},
          {"2: data.train is missing", SMALLEST.replace("path: somewhere,", "")},
          {"5: shards is 0, expected 1 or more", SMALLEST + "seed: 1\nshards: 0"},
          {"5: synchronisation.policy is 'bukets': the sy", SMALLEST + "\nsynchronisation: bukets"},
          {
            "6: checkpoint.incremental compares a save",
            SMALLEST + "checkpoint:\n  every: 10\n  incremental: true\n  local: {folder: a}"
          },
          {
            "5: gradients.compression is not none, but with determinism",
            SMALLEST + "determinism: elastic\ngradients: {compression: one-bit}"
          },
          // The batch is at its default, so what is wrong is the number of shards.
          {
            "5: batch.global is 64, which cannot be cut into 65 shards",
            SMALLEST + "determinism: elastic\nshards: 65"
          },
          {"2: data.class-names are 1, but", SMALLEST.replace("e,", "e, class-names: [a],")},
          {"7: schedule.fall-epochs[1] is \"x\", expected a number", rest("[1,\n\"x\"]")},
          {"1: network: unknown model 'lenett'; known", SMALLEST.replace("lenet", "lenett")},
          {
            "1: network: model lenet: unknown key 'clases'", SMALLEST.replace("t}", "t, clases: 3}")
          },
          {
            "5: network: layer b: unknown type 'flaten'; kn",
            network + "    - {name: b, type: flaten}" + rest
          },
          {
            "5: network: layer b: kernel is missing",
            network + "    - {name: b, type: max-pool}" + rest
          },
          {
            "5: network: layer b: its window [9, 9] is larger than its input",
            network + "    - {name: b, type: max-pool, kernel: 9}" + rest
          },
        }) {
      String message = refused(expected[1].replace("somewhere", "d"));
      assertTrue(message.startsWith("c.yaml:" + expected[0]), message);
    }
  }

  private static String rest(String falls) {
    return SMALLEST.replace(
        "schedule: {rate: 0.1}", "schedule:\n  rate: 1\n  kind: steps\n  fall-epochs: " + falls);
  }

  @Test
  void whatWasMeantIsAsked() {
    String[][] meant = {
      {"lr", "schedule.rate"},
      {"learning_rate", "schedule.rate"},
      {"learningRate", "schedule.rate"},
      {"optimizer.lr", "schedule.rate"},
      {"batch_size", "batch.global"},
      {"batchSize", "batch.global"},
      {"batch-szie", "batch.global"},
      {"normalize", "data.normalise"},
      {"data.normalize", "data.normalise"},
      {"epoch", "epochs"},
      {"epcohs", "epochs"},
      {"momentum", "optimizer.momentum"},
      {"optimiser", "optimizer"},
      {"optmizer", "optimizer"},
      {"weight_decay", "optimizer.weight-decay"},
      {"optimizer.weight_decay", "optimizer.weight-decay"},
      {"prefetch-megabytes", "data.prefetch-megabytes"},
      {"synchronization", "synchronisation"},
      {"num_workers", "data.threads"},
      {"checkpoint.every_steps", "checkpoint.every-steps"},
    };
    for (String[] each : meant) {
      assertEquals(
          "SET: unknown key '%s'; did you mean '%s'?".formatted(each[0], each[1]),
          mistake(each[0] + "=3"));
    }
    for (String each :
        List.of(
            "optimizer.kind=adm adam",
            "optimizer.kind=AdamW adamw",
            "network.model=lennet lenet",
            "network.model=resnet_18 resnet18",
            "synchronisation=bukets buckets",
            "precision=bfloat_16 bfloat16",
            "gradients.reduction=adsum adasum",
            "schedule={kind: cosin, rate: 1} cosine")) {
      int gap = each.lastIndexOf(' ');
      assertTrue(
          mistake(each.substring(0, gap))
              .endsWith("; did you mean '%s'?".formatted(each.substring(gap + 1))),
          each + ": " + mistake(each.substring(0, gap)));
    }
    assertTrue(mistake("zebra=1").contains("unknown key 'zebra'; known here: batch, check"));
    assertTrue(mistake("optimizer.kind=zebra").endsWith("lamb"));
  }

  @Test
  void mistakesInTheNetworkNameLayerAndShapes() {
    assertEquals(
        "SET: network: layer a: unknown type 'convolutoin'",
        mistake("network={input: [1, 4, 4], layers: [{name: a, type: convolutoin}]}")
            .replaceAll("; known.*", ""));
    assertEquals(
        "SET: network: layer pool: its window [9, 9] is larger than its input [1, 4, 4] with"
            + " padding [0, 0]",
        mistake("network={input: [1, 4, 4], layers: [{name: pool, type: max-pool, kernel: 9}]}"));
    assertTrue(mistake("network={classes: 3}").contains("one of model"));
    assertTrue(
        mistake(
                "network={input: [1, 4, 4], loss: mean-squared-error, layers: [{name: f, type:"
                    + " flatten}, {name: s, type: fully-connected, outputs: 2}]}")
            .contains("its loss is mean-squared-error"));
  }

  @Test
  void filesAreNamed() throws Exception {
    Path file = run.resolve("config.yaml");
    assertTrue(
        assertThrows(UsageException.class, () -> TrainingConfig.load(run))
            .getMessage()
            .startsWith(file + " does not exist"));
    Files.writeString(file, "network: {model: lenet\nseed: 1");
    assertTrue(
        assertThrows(UsageException.class, () -> TrainingConfig.load(run))
            .getMessage()
            .startsWith(file + ":"));
    Files.writeString(file, SMALLEST + "batch:\n  global: 64\n  accumulation: 0\n");
    assertEquals(
        file + ":6: batch.accumulation is 0, expected 1 or more",
        assertThrows(UsageException.class, () -> TrainingConfig.load(run)).getMessage());
    Files.writeString(file, SMALLEST.replace("none", "compute"));
    assertThrows(WorkFailedException.class, () -> TrainingConfig.load(run));
    for (String normalise : new String[] {"none", "compute"}) {
      Files.writeString(file, SMALLEST.replace("none", normalise));
      String missing =
          assertThrows(WorkFailedException.class, () -> ConfigFile.read(file).checked())
              .getMessage();
      assertTrue(missing.startsWith(file + ":2: data.train: "), missing);
    }
  }
}
