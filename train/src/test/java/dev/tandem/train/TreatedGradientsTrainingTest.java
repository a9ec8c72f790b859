package dev.tandem.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.checkpoint.CheckpointStore;
import dev.tandem.checkpoint.FolderCheckpointStore;
import dev.tandem.checkpoint.SlicedState;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.RecordSource;
import dev.tandem.nn.Network;
import dev.tandem.posix.DurableFiles;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs whose gradients are compressed or combined on their way between ranks. */
class TreatedGradientsTrainingTest {

  /** One that leaves residuals, one that combines otherwise. */
  private static final List<String> TREATMENTS =
      List.of("gradients.compression=top-k:0.05", "gradients.reduction=adasum");

  private static final List<String> MORE_TREATMENTS =
      List.of(
          "gradients.compression=bfloat16",
          "gradients.compression=float16",
          "gradients.compression=one-bit",
          "gradients.compression=top-k"); // 1% of the elements needs some time

  @TempDir Path folder;

  private TrainingEvent.Result train(
      TrainingConfig config, int samples, int ranks, String name, boolean resume) throws Exception {
    RecordSource training = GlyphRecords.draw(new Seed(1), samples);
    RecordSource test = GlyphRecords.draw(new Seed(2), 500);
    List<TrainingEvent.Result> results =
        new ThreadRanks(training, test, folder).train(config, ranks, name, resume);
    results.forEach(result -> assertTrue(result.replicasIdentical()));
    return results.getFirst();
  }

  private static TrainingConfig config(String... settings) {
    List<String> all =
        new ArrayList<>(List.of("synchronisation=topo", "schedule={kind: constant, rate: 0.03}"));
    all.addAll(Arrays.asList(settings));
    return TestConfigs.digits(all.toArray(String[]::new));
  }

  @Tag("slow")
  @Test
  void accuracyIsNearThatOfPlainSums() throws Exception {
    learns(TREATMENTS, 1_600, 6, 0.04);
  }

  @Test
  @Tag("slow")
  void accuracyIsNearThatOfPlainSumsAfterManySteps() throws Exception {
    List<String> treatments = new ArrayList<>(TREATMENTS);
    treatments.addAll(MORE_TREATMENTS);
    learns(treatments, 4_000, 8, 0.02);
  }

  private void learns(List<String> treatments, int samples, int epochs, double near)
      throws Exception {
    String length = "epochs=" + epochs;
    double plain = train(config(length), samples, 2, "plain", false).accuracy();
    System.out.printf("plain: %.3f%n", plain);
    for (String treatment : treatments) {
      TrainingEvent.Result result = train(config(length, treatment), samples, 2, treatment, false);
      double ratio = (double) result.gradientBytes() / result.payloadBytes();
      System.out.printf(
          "%s: %.3f, gradients %.1f times smaller%n", treatment, result.accuracy(), ratio);
      assertTrue(result.accuracy() > plain - near, treatment + " reaches " + result.accuracy());
      assertTrue(ratio >= (treatment.contains("adasum") ? 1 : 1.9), treatment + ": " + ratio);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"top-k:0.02", "one-bit"})
  void aResumedRunHasTheBitsOfOneThatWasNeverStopped(String compression) throws Exception {
    String treatment = "gradients.compression=" + compression;
    TrainingConfig whole = config("steps=9", "epochs=4", treatment);
    String expected = train(whole, 333, 2, "whole", false).digest();
    train(config("steps=5", "epochs=4", treatment), 333, 2, "run", false);
    var e = assertThrows(UsageException.class, () -> train(whole, 333, 3, "run", true));
    assertTrue(e.getMessage().endsWith("resume with 2 ranks, not 3"), e.getMessage());
    assertEquals(expected, train(whole, 333, 2, "run", true).digest());
  }

  /** What the test before would see if they were not saved. */
  @Test
  void withoutResidualsTheBitsAreOthers() throws Exception {
    String treatment = "gradients.compression=one-bit";
    TrainingConfig whole = config("steps=9", "epochs=4", treatment);
    String expected = train(whole, 333, 2, "whole", false).digest();
    train(config("steps=5", "epochs=4", treatment), 333, 2, "run", false);
    RecordSource training = GlyphRecords.draw(new Seed(1), 333);
    ThreadRanks ranks = new ThreadRanks(training, training, folder).through(Forgetful::new);
    assertNotEquals(expected, ranks.train(whole, 2, "run", true).getFirst().digest());
  }

  /** Restores everything but what gradients left behind. */
  private record Forgetful(CheckpointStore store) implements CheckpointStore {

    @Override
    public Path save(long step, SlicedState state) {
      return store.save(step, state);
    }

    @Override
    public void await() {
      store.await();
    }

    @Override
    public Optional<Path> keep(long step, SlicedState state) {
      return store.keep(step, state);
    }

    @Override
    public List<Long> steps() {
      return store.steps();
    }

    @Override
    public Map<String, String> restore(long step, SlicedState state) {
      return store.restore(step, state);
    }

    @Override
    public Optional<Restored> restoreNewest(SlicedState state) {
      Optional<Restored> restored = store.restoreNewest(state);
      state.tree().tensors().values().stream()
          .filter(tensor -> tensor.name().startsWith(DataParallelState.RESIDUAL))
          .forEach(tensor -> tensor.data().fill((byte) 0));
      return restored;
    }
  }

  @Test
  void aRunMayBeCompressedFromSomeStepOn() throws Exception {
    train(config("steps=3", "epochs=4"), 333, 2, "run", false);
    TrainingConfig compressed = config("steps=6", "epochs=4", "gradients.compression=top-k");
    assertEquals(6, train(compressed, 333, 2, "run", true).steps());
  }

  /** More numbers that are not finite than travel at once: none may be left behind. */
  @Test
  void aStepThatIsThrownAwayLeavesNothingBehind() throws Exception {
    TrainingConfig config =
        config(
            "guard.clip=0",
            "schedule={kind: constant, rate: 1e30}",
            "gradients={compression: top-k, smallest: 0}");
    var e = assertThrows(WorkFailedException.class, () -> train(config, 333, 2, "run", false));
    assertTrue(e.getMessage().contains("is not finite"), e.getMessage());
    CheckpointStore store = new FolderCheckpointStore(folder.resolve("run"), DurableFiles.system());
    long step = store.steps().getLast();
    TensorView largest = largest(config);
    int elements = Math.toIntExact(largest.shape().elements());
    float[] rows = new float[2 * elements];
    String name = DataParallelState.RESIDUAL + largest.name();
    TensorView view =
        new TensorView(name, DType.FLOAT32, Shape.of(2, elements), MemorySegment.ofArray(rows));
    store.restore(step, SlicedState.whole(StateTree.of(List.of(view), Map.of())));
    int left = 0;
    for (float value : rows) {
      assertTrue(Float.isFinite(value), "left behind: " + value);
      left += value == 0 ? 0 : 1;
    }
    assertTrue(
        left > elements, "only %d of %d elements are left behind".formatted(left, rows.length));
  }

  /** Its memory is gone, its name and shape are not. */
  private static TensorView largest(TrainingConfig config) {
    try (Network network = ThreadRanks.network(config)) {
      return network.gradients().stream()
          .max(Comparator.comparingLong(TensorView::byteSize))
          .orElseThrow();
    }
  }

  @Test
  void rulesMustMeanSomething() {
    TrainingConfig config = config("gradients.rules=[conv9.weight=none]");
    var e = assertThrows(UsageException.class, () -> train(config, 100, 1, "run", false));
    assertTrue(e.getMessage().startsWith("no gradient fits 'conv9.weight'"), e.getMessage());
  }
}
