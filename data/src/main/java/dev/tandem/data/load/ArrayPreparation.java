package dev.tandem.data.load;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.DataRecord;
import dev.tandem.data.augment.Normalisation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * What becomes of an {@link ArrayRecord} on its way into a batch: rows of tables, volumes. The
 * first extent of the shape counts the channels, which for a row are its columns.
 *
 * @param shape of every array
 * @param classes that labels name; 0 if targets are values
 * @param targetValues numbers in a target; 0 if targets are labels
 * @param inputs normalise each channel: {@code (number - mean) / deviation}, where an unsigned byte
 *     is 0 to 1
 * @param targets normalise each value of a target likewise
 */
public record ArrayPreparation(
    List<Integer> shape, int classes, int targetValues, Normalisation inputs, Normalisation targets)
    implements RecordPreparation {

  public ArrayPreparation {
    shape = List.copyOf(shape);
    requireFit("data.normalise", inputs, shape.getFirst());
    if (targetValues > 0) {
      requireFit("data.normalise-targets", targets, targetValues);
    }
  }

  private static void requireFit(String key, Normalisation numbers, int needed) {
    if (numbers.means().size() != 1 && numbers.means().size() != needed) {
      throw new UsageException(
          "%s has %d means, expected 1 or %d".formatted(key, numbers.means().size(), needed));
    }
  }

  @Override
  public int values() {
    return shape.stream().reduce(1, Math::multiplyExact);
  }

  @Override
  public int targetBytes() {
    return targetValues == 0 ? Long.BYTES : targetValues * Float.BYTES;
  }

  @Override
  public Writer writer() {
    return new ArrayWriter();
  }

  /** Whether arrays of this shape can be taken: one channel may be left out. */
  public boolean fits(List<Integer> other) {
    return other.equals(shape)
        || (shape.getFirst() == 1 && other.equals(shape.subList(1, shape.size())));
  }

  private void check(ArrayRecord array) {
    if (!fits(array.shape())) {
      throw new WorkFailedException("its shape is %s, expected %s".formatted(array.shape(), shape));
    }
    if (array.values().size() != targetValues) {
      throw new WorkFailedException(
          array.values().isEmpty()
              ? "it has a label, expected %d target values".formatted(targetValues)
              : "it has %d target values, expected %s"
                  .formatted(array.values().size(), targetValues == 0 ? "a label" : targetValues));
    }
    if (targetValues == 0 && array.label() >= classes) {
      throw new WorkFailedException(
          "it has label %d, outside 0..%d".formatted(array.label(), classes - 1));
    }
  }

  private static double of(List<Double> numbers, int index) {
    return numbers.get(numbers.size() == 1 ? 0 : index);
  }

  /** For one thread. */
  private final class ArrayWriter implements Writer {

    private ArrayRecord array;

    @Override
    public void decode(DataRecord record) {
      array = ArrayRecord.decode(record.value());
      check(array);
    }

    @Override
    public void write(long visit, long ordinal, MemorySegment input, MemorySegment target) {
      int channels = shape.getFirst();
      int perChannel = array.count() / channels;
      for (int channel = 0; channel < channels; channel++) {
        double mean = of(inputs.means(), channel);
        double deviation = of(inputs.deviations(), channel);
        int end = (channel + 1) * perChannel;
        for (int i = channel * perChannel; i < end; i++) {
          double value = (array.element(i) - mean) / deviation;
          if (!Double.isFinite(value)) {
            throw new WorkFailedException("element %d is %s".formatted(i, array.element(i)));
          }
          input.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
        }
      }
      if (targetValues == 0) {
        target.set(ValueLayout.JAVA_LONG, 0, array.label());
      }
      for (int i = 0; i < targetValues; i++) {
        double value =
            (array.values().get(i) - of(targets.means(), i)) / of(targets.deviations(), i);
        if (!Double.isFinite(value)) {
          throw new WorkFailedException("target %d is %s".formatted(i, array.values().get(i)));
        }
        target.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
      }
    }
  }
}
