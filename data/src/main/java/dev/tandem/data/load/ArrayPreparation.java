package dev.tandem.data.load;

import dev.tandem.core.Region;
import dev.tandem.core.Shape;
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

  /** The same of which only a region of each array is read. */
  public PartialArrays partial(Region region, ArrayRecord.Header first) {
    return new PartialArrays(this, region, first);
  }

  void check(ArrayRecord.Header array) {
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

  /**
   * Writes neighbouring elements of one channel.
   *
   * @param elements of a record, or some of them
   * @param from the first of the row there
   * @param row where they are in the array, and where they go
   */
  void write(
      MemorySegment elements,
      boolean bytes,
      long from,
      int channel,
      RegionRows.Row row,
      MemorySegment input) {
    double mean = of(inputs.means(), channel);
    double deviation = of(inputs.deviations(), channel);
    for (long i = 0; i < row.length(); i++) {
      double element = ArrayRecord.element(elements, bytes, from + i);
      double value = (element - mean) / deviation;
      if (!Double.isFinite(value)) {
        throw new WorkFailedException("element %d is %s".formatted(row.from() + i, element));
      }
      input.setAtIndex(ValueLayout.JAVA_FLOAT, row.at() + i, (float) value);
    }
  }

  void writeTarget(ArrayRecord.Header array, MemorySegment target) {
    if (targetValues == 0) {
      target.set(ValueLayout.JAVA_LONG, 0, array.label());
    }
    for (int i = 0; i < targetValues; i++) {
      double value = (array.values().get(i) - of(targets.means(), i)) / of(targets.deviations(), i);
      if (!Double.isFinite(value)) {
        throw new WorkFailedException("target %d is %s".formatted(i, array.values().get(i)));
      }
      target.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
    }
  }

  /** The rows of a region of an array, none of which has elements of two channels. */
  RegionRows rows(Region region) {
    return new RegionRows(region, 1);
  }

  /** For one thread. */
  private final class ArrayWriter implements Writer {

    private final long perChannel = values() / shape.getFirst();
    private final RegionRows whole =
        rows(Region.all(new Shape(shape.stream().map(Integer::longValue).toList())));
    private ArrayRecord.Header header;
    private MemorySegment elements;

    @Override
    public void decode(DataRecord record) {
      ArrayRecord array = ArrayRecord.decode(record.value());
      header = array.header();
      elements = array.elements();
      check(header);
    }

    @Override
    public void write(long visit, long ordinal, MemorySegment input, MemorySegment target) {
      for (RegionRows.Row row : whole.rows()) {
        int channel = (int) (row.from() / perChannel);
        ArrayPreparation.this.write(
            elements, header.elementsAreBytes(), row.from(), channel, row, input);
      }
      writeTarget(header, target);
    }
  }
}
