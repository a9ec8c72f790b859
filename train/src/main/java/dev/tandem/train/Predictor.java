package dev.tandem.train;

import dev.tandem.data.augment.Resize;
import dev.tandem.data.image.Image;
import dev.tandem.data.load.Preparation;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Says what images show, with a trained network. Images are prepared as test images of the run are;
 * those of another size are resized to what the network takes. One thread.
 */
public final class Predictor {

  /**
   * One answer.
   *
   * @param label number of the class
   * @param name of the class; its number if it has none
   * @param probability that the network gives it, 0 to 1
   */
  public record Answer(int label, String name, double probability) {}

  private final TrainingConfig config;
  private final SavedRun run;
  private final Preparation preparation;

  /** A predictor that borrows the run's network. */
  public Predictor(SavedRun run) {
    config = run.config();
    this.run = run;
    preparation = config.testImages();
  }

  /** Whether the network takes one channel. */
  public boolean grey() {
    return preparation.format().channels() == 1;
  }

  /** The likeliest classes of each image, the likeliest first. */
  public List<List<Answer>> predict(List<Image> images, int top) {
    int classes = config.network().classes();
    int values = preparation.format().values();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment inputs = arena.allocate((long) images.size() * values * Float.BYTES, 64);
      for (int i = 0; i < images.size(); i++) {
        write(images.get(i), inputs.asSlice((long) i * values * Float.BYTES));
      }
      MemorySegment scores = arena.allocate((long) images.size() * classes * Float.BYTES, 64);
      run.predict(inputs, images.size(), scores);
      List<List<Answer>> answers = new ArrayList<>();
      for (int i = 0; i < images.size(); i++) {
        answers.add(
            answers(
                scores.asSlice((long) i * classes * Float.BYTES),
                classes,
                top,
                config.data().classNames()));
      }
      return answers;
    }
  }

  private void write(Image image, MemorySegment to) {
    Image prepared = preparation.augmentation().apply(image, preparation.seed().random());
    int height = preparation.format().height();
    int width = preparation.format().width();
    if (prepared.height() != height || prepared.width() != width) {
      prepared = new Resize(height, width).apply(prepared, preparation.seed().random());
    }
    int channels = preparation.format().channels();
    List<float[]> tables = preparation.normalisation().tables(channels);
    byte[] plane = new byte[height * width];
    for (int channel = 0; channel < channels; channel++) {
      prepared.copyPlane(channel, plane, 0);
      for (int i = 0; i < plane.length; i++) {
        to.setAtIndex(
            ValueLayout.JAVA_FLOAT,
            (long) channel * plane.length + i,
            tables.get(channel)[plane[i] & 0xFF]);
      }
    }
  }

  /** The likeliest classes by their scores, the likeliest first. */
  static List<Answer> answers(MemorySegment scores, int classes, int top, List<String> names) {
    double[] shares = new double[classes];
    double most = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < classes; i++) {
      shares[i] = scores.getAtIndex(ValueLayout.JAVA_FLOAT, i);
      most = Math.max(most, shares[i]);
    }
    double sum = 0;
    for (int i = 0; i < classes; i++) {
      shares[i] = Math.exp(shares[i] - most);
      sum += shares[i];
    }
    double total = sum;
    return IntStream.range(0, classes)
        .mapToObj(
            label ->
                new Answer(
                    label,
                    names.isEmpty() ? Integer.toString(label) : names.get(label),
                    shares[label] / total))
        .sorted(Comparator.comparingDouble(Answer::probability).reversed())
        .limit(top)
        .toList();
  }
}
