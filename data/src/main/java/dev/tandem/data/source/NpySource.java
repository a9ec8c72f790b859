package dev.tandem.data.source;

import dev.tandem.core.DType;
import dev.tandem.core.Ranges;
import dev.tandem.core.WorkFailedException;
import dev.tandem.core.numpy.NpyHeader;
import dev.tandem.data.ArrayRecord;
import dev.tandem.data.DataRecord;
import dev.tandem.data.HeldRecords;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.format.Keys;
import dev.tandem.data.format.MappedFile;
import dev.tandem.data.format.NpyFiles;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * NumPy arrays as records: of x the arrays along the first extent (unsigned bytes, float32, or
 * float64, which become float32), of y their targets (integers are labels, floating-point numbers
 * values, several for a sample if y has two extents). Both files are mapped.
 */
public final class NpySource extends CopyingSource {

  private static final int KEY_DIGITS = 8;

  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfDouble DOUBLE =
      ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** A mapped array. */
  private record Mapped(NpyHeader header, MemorySegment elements) {

    long count() {
      return header.shape().extents().getFirst();
    }

    /** Elements of one sample. */
    int each() {
      return Math.toIntExact(header.shape().elements() / Math.max(1, count()));
    }

    double number(long index) {
      return switch (header.type()) {
        case FLOAT32 -> elements.get(FLOAT, index * Float.BYTES);
        case FLOAT64 -> elements.get(DOUBLE, index * Double.BYTES);
        case INT32 -> elements.get(INT, index * Integer.BYTES);
        case INT64 -> (double) elements.get(LONG, index * Long.BYTES);
        case UINT8 -> elements.get(ValueLayout.JAVA_BYTE, index) & 0xFF;
        case FLOAT16, BFLOAT16 -> throw new IllegalStateException("refused before");
      };
    }
  }

  private final Arena arena;
  private final Mapped inputs;
  private final Mapped targets;
  private final List<Integer> shape;

  private NpySource(Arena arena, Mapped inputs, Mapped targets) {
    this.arena = arena;
    this.inputs = inputs;
    this.targets = targets;
    List<Long> extents = inputs.header().shape().extents();
    shape =
        extents.size() == 1
            ? List.of(1)
            : extents.subList(1, extents.size()).stream().map(Math::toIntExact).toList();
  }

  /** Opens two files that belong together; others are refused. */
  public static NpySource open(NpyFiles files) {
    Arena arena = Arena.ofShared();
    try {
      Mapped inputs = map(files.inputs(), arena);
      Mapped targets = map(files.targets(), arena);
      DType type = inputs.header().type();
      if (type != DType.UINT8 && type != DType.FLOAT32 && type != DType.FLOAT64) {
        throw new WorkFailedException(
            "%s holds %s, expected uint8, float32 or float64".formatted(files.inputs(), type));
      }
      if (targets.header().type() == DType.FLOAT16) {
        throw new WorkFailedException(
            files.targets() + " holds FLOAT16, expected float32, float64 or integers");
      }
      if (inputs.count() != targets.count()) {
        throw new WorkFailedException(
            "%s has %,d samples, but %s has %,d targets"
                .formatted(files.inputs(), inputs.count(), files.targets(), targets.count()));
      }
      if (integers(targets) && targets.each() > 1) {
        throw new WorkFailedException(
            "%s has %d integers for each sample, expected one label, or floating-point values"
                .formatted(files.targets(), targets.each()));
      }
      return new NpySource(arena, inputs, targets);
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  private static Mapped map(Path file, Arena arena) {
    NpyHeader header;
    try (InputStream in = Files.newInputStream(file)) {
      header = NpyHeader.read(in);
    } catch (IllegalArgumentException e) {
      throw new WorkFailedException("%s cannot be read: %s".formatted(file, e.getMessage()), e);
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
    if (header.shape().extents().isEmpty()) {
      throw new WorkFailedException(file + " is a single number, expected an array");
    }
    MemorySegment whole = MappedFile.map(file, arena);
    long needed = header.shape().elements() * header.type().bytes();
    if (whole.byteSize() < header.bytes() + needed) {
      throw new WorkFailedException(
          "%s is cut off: it has %,d bytes of %,d"
              .formatted(file, whole.byteSize(), header.bytes() + needed));
    }
    return new Mapped(header, whole.asSlice(header.bytes(), needed));
  }

  private static boolean integers(Mapped targets) {
    return switch (targets.header().type()) {
      case INT32, INT64, UINT8 -> true;
      case FLOAT32, FLOAT64, FLOAT16, BFLOAT16 -> false;
    };
  }

  @Override
  public long size() {
    return inputs.count();
  }

  @Override
  DataRecord make(long ordinal) {
    byte[] header = header(ordinal).encode();
    MemorySegment elements = elements(ordinal, 0, inputs.each());
    MemorySegment value =
        MemorySegment.ofArray(new byte[header.length + (int) elements.byteSize()]);
    value.copyFrom(MemorySegment.ofArray(header));
    value.asSlice(header.length).copyFrom(elements);
    return new DataRecord(key(ordinal), value);
  }

  private static MemorySegment key(long ordinal) {
    return MemorySegment.ofArray(Keys.padded(ordinal, KEY_DIGITS));
  }

  private ArrayRecord.Header header(long ordinal) {
    Float[] values = new Float[integers(targets) ? 0 : targets.each()];
    Arrays.setAll(values, i -> (float) targets.number(ordinal * values.length + i));
    long label = integers(targets) ? (long) targets.number(ordinal) : -1;
    return new ArrayRecord.Header(
        inputs.header().type() == DType.UINT8, shape, label, List.of(values));
  }

  @Override
  public boolean readsParts() {
    return true;
  }

  /** Of the elements only those that are asked for are looked at; parts have whole elements. */
  @Override
  public RecordBlock fetch(long[] ordinals, Ranges parts) {
    DataRecord[] records = new DataRecord[ordinals.length];
    for (int i = 0; i < records.length; i++) {
      ArrayRecord.Header header = header(ordinals[i]);
      MemorySegment first = MemorySegment.ofArray(header.encode());
      int each = header.elementBytes();
      boolean fits = parts.whole() == header.bytes() + (long) inputs.each() * each;
      byte[] value = new byte[fits ? Math.toIntExact(parts.extent()) : 0];
      MemorySegment to = MemorySegment.ofArray(value);
      for (Ranges.Run run : fits ? parts.runs() : List.<Ranges.Run>of()) {
        long before = Math.clamp(header.bytes() - run.from(), 0, run.length());
        MemorySegment.copy(first, Math.min(run.from(), first.byteSize()), to, run.at(), before);
        int count = Math.toIntExact((run.length() - before) / each);
        long from = (run.from() + before - header.bytes()) / each;
        if (count > 0) {
          MemorySegment elements = elements(ordinals[i], from, count);
          MemorySegment.copy(elements, 0, to, run.at() + before, elements.byteSize());
        }
      }
      records[i] = new DataRecord(key(ordinals[i]), to);
    }
    return new HeldRecords(records);
  }

  /** Some neighbouring elements of an array: unsigned bytes or float32. */
  private MemorySegment elements(long ordinal, long from, int count) {
    long first = ordinal * inputs.each() + from;
    if (inputs.header().type() == DType.UINT8) {
      return inputs.elements().asSlice(first, count);
    }
    MemorySegment floats = MemorySegment.ofArray(new byte[count * Float.BYTES]);
    for (int i = 0; i < count; i++) {
      floats.set(FLOAT, (long) i * Float.BYTES, (float) inputs.number(first + i));
    }
    return floats;
  }

  @Override
  public void close() {
    arena.close();
  }
}
