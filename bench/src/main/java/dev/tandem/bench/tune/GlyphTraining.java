package dev.tandem.bench.tune;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.data.glyphs.Glyph;
import dev.tandem.data.glyphs.GlyphDigits;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.Samples;
import dev.tandem.nn.SgdMomentum;
import dev.tandem.nn.TrainingStep;
import dev.tandem.nn.spec.Activation;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.MaxPool;
import dev.tandem.nn.spec.NetworkSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** Trains a small network on a few drawn digits once for each row of {@link GlyphTable}. */
public final class GlyphTraining {

  private static final Seed SEED = new Seed(30);
  private static final int TRAINING = 320;

  /** Samples of the test set. */
  static final int TEST = 500;

  private static final NetworkSpec NETWORK =
      NetworkSpec.of(
          Shape.of(1, Glyph.SIDE, Glyph.SIDE),
          new Convolution("conv1", 4, 5, 2, 0),
          Activation.relu("relu1"),
          new MaxPool("pool1", 2, 2), // 4 x 6 x 6
          new Convolution("conv2", 8, 3, 1, 0),
          Activation.relu("relu2"),
          new Flatten("flatten"),
          new FullyConnected("ip", Glyph.CLASSES));

  private final Engine engine = Engine.start(1);
  private final Samples training;
  private final Samples test;
  private final Samples room;

  private GlyphTraining(Arena arena) {
    training = draw("training", TRAINING, arena);
    test = draw("test", TEST, arena);
    room = memory(TRAINING, arena);
  }

  /** The table as CSV: a header, then settings, seconds of an epoch, and the error after each. */
  public static List<String> table(Progress progress) {
    List<String> lines = new ArrayList<>(List.of(GlyphTable.header()));
    try (Arena arena = Arena.ofConfined();
        Progress.Task task = progress.start("trainings", GlyphTable.rows(), "trainings")) {
      GlyphTraining glyphs = new GlyphTraining(arena);
      glyphs.train(GlyphTable.settings(0));
      for (int row = 0; row < GlyphTable.rows(); row++) {
        lines.add(glyphs.train(GlyphTable.settings(row)));
        task.advanceTo(row + 1);
      }
    }
    return lines;
  }

  private static Samples memory(int count, Arena arena) {
    return new Samples(
        arena.allocate((long) count * Glyph.SIDE * Glyph.SIDE * Float.BYTES, 64),
        arena.allocate((long) count * Long.BYTES, 64),
        count);
  }

  private static Samples draw(String half, int count, Arena arena) {
    Samples samples = memory(count, arena);
    int pixels = Glyph.SIDE * Glyph.SIDE;
    for (int i = 0; i < count; i++) {
      Glyph glyph = GlyphDigits.draw(SEED.derive(half), i);
      for (int j = 0; j < pixels; j++) {
        float light = (glyph.pixels()[j] & 0xFF) / 255f - 0.2f;
        samples.inputs().setAtIndex(ValueLayout.JAVA_FLOAT, (long) i * pixels + j, light);
      }
      samples.targets().setAtIndex(ValueLayout.JAVA_LONG, i, glyph.label());
    }
    return samples;
  }

  private String train(GlyphTable.Settings settings) {
    StringBuilder line = new StringBuilder(settings.text());
    List<Double> errors = new ArrayList<>();
    long began = System.nanoTime();
    try (Network network = Network.create(engine, NETWORK, SEED.derive("network"));
        SgdMomentum optimizer =
            new SgdMomentum(
                network,
                new SgdMomentum.Settings(settings.momentum(), settings.decay(), false, 2))) {
      long step = 0;
      for (int epoch = 0; epoch < GlyphTable.EPOCHS; epoch++) {
        int[] order = order(epoch);
        for (int at = 0; at < TRAINING; at += settings.batch()) {
          Samples batch = gather(order, at, Math.min(settings.batch(), TRAINING - at));
          network.forwardBackward(batch, TrainingStep.of(SEED, step++));
          optimizer.step(settings.rate());
        }
        errors.add(1 - network.evaluate(test).accuracy());
      }
    }
    double seconds = (System.nanoTime() - began) / 1e9 / GlyphTable.EPOCHS;
    line.append(String.format(Locale.ROOT, ",%.5f", seconds));
    errors.forEach(error -> line.append(String.format(Locale.ROOT, ",%.3f", error)));
    return line.toString();
  }

  private static int[] order(int epoch) {
    SplittableRandom random = SEED.derive("order").derive(epoch).random();
    int[] order = new int[TRAINING];
    for (int i = 0; i < TRAINING; i++) {
      int other = random.nextInt(i + 1);
      order[i] = order[other];
      order[other] = i;
    }
    return order;
  }

  private Samples gather(int[] order, int first, int count) {
    long bytes = (long) Glyph.SIDE * Glyph.SIDE * Float.BYTES;
    for (int i = 0; i < count; i++) {
      long from = order[first + i];
      MemorySegment.copy(training.inputs(), from * bytes, room.inputs(), i * bytes, bytes);
      room.targets()
          .setAtIndex(
              ValueLayout.JAVA_LONG, i, training.targets().getAtIndex(ValueLayout.JAVA_LONG, from));
    }
    return new Samples(room.inputs(), room.targets(), count);
  }
}
