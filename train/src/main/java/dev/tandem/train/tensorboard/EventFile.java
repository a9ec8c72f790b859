package dev.tandem.train.tensorboard;

import dev.tandem.core.protobuf.ProtoWriter;
import dev.tandem.posix.LogFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * A file of numbers over steps that TensorBoard shows. What was added is complete in the file after
 * {@link #flush}. A run that continues after a stop writes another file into the same folder, whose
 * beginning tells TensorBoard to forget what the stopped run wrote beyond that step.
 */
public final class EventFile implements AutoCloseable {

  private static final String VERSION = "brain.Event:2";
  private static final int SESSION_START = 1;

  /** What was added is in the file after this time at the latest, when more is added. */
  private static final long FLUSH_MILLIS = 10_000;

  // Fields of the messages Event, Summary, Summary.Value and SessionLog.
  private static final int WALL_TIME = 1;
  private static final int STEP = 2;
  private static final int FILE_VERSION = 3;
  private static final int SUMMARY = 5;
  private static final int SESSION_LOG = 7;
  private static final int SUMMARY_VALUE = 1;
  private static final int TAG = 1;
  private static final int SIMPLE_VALUE = 2;
  private static final int TENSOR = 8;
  private static final int METADATA = 9;
  private static final int STATUS = 1;

  // Those of TensorProto, TensorShapeProto and SummaryMetadata.
  private static final int TENSOR_TYPE = 1;
  private static final int TYPE_STRING = 7;
  private static final int TENSOR_SHAPE = 2;
  private static final int SHAPE_DIMENSION = 2;
  private static final int DIMENSION_SIZE = 1;
  private static final int TENSOR_STRING = 8;
  private static final int PLUGIN = 1;
  private static final int PLUGIN_NAME = 1;

  private final Path path;
  private final LogFile file;
  private final Clock clock;
  private long flushed;

  private EventFile(Path path, LogFile file, Clock clock) {
    this.path = path;
    this.file = file;
    this.clock = clock;
    flushed = clock.millis();
  }

  /**
   * Begins a new file in a folder.
   *
   * @param firstStep the step after which it continues; 0 at the beginning of a run
   * @param lines gets what a person should know: the file never ends the work
   */
  public static EventFile create(Path folder, long firstStep, Clock clock, Consumer<String> lines) {
    Path path = free(folder, "events.tfevents.%010d".formatted(clock.instant().getEpochSecond()));
    EventFile file = new EventFile(path, new LogFile(path, lines), clock);
    file.write(file.event(0).text(FILE_VERSION, VERSION));
    if (firstStep > 0) {
      ProtoWriter session = new ProtoWriter().varint(STATUS, SESSION_START);
      file.write(file.event(firstStep + 1).message(SESSION_LOG, session));
    }
    file.flush();
    return file;
  }

  /** Two runs may begin within a second. */
  private static Path free(Path folder, String name) {
    Path path = folder.resolve(name + ".tandem");
    for (int i = 1; Files.exists(path); i++) {
      path = folder.resolve(name + "." + i + ".tandem");
    }
    return path;
  }

  /** Adds numbers of one step, by tag. */
  public void add(long step, Map<String, Double> numbers) {
    ProtoWriter summary = new ProtoWriter();
    numbers.forEach(
        (tag, number) ->
            summary.message(
                SUMMARY_VALUE,
                new ProtoWriter().text(TAG, tag).float32(SIMPLE_VALUE, number.floatValue())));
    write(event(step).message(SUMMARY, summary));
  }

  /** Adds a text, which TensorBoard takes for Markdown. */
  public void addText(long step, String tag, String text) {
    ProtoWriter shape =
        new ProtoWriter().message(SHAPE_DIMENSION, new ProtoWriter().varint(DIMENSION_SIZE, 1));
    ProtoWriter tensor =
        new ProtoWriter()
            .varint(TENSOR_TYPE, TYPE_STRING)
            .message(TENSOR_SHAPE, shape)
            .text(TENSOR_STRING, text);
    ProtoWriter metadata =
        new ProtoWriter().message(PLUGIN, new ProtoWriter().text(PLUGIN_NAME, "text"));
    ProtoWriter value =
        new ProtoWriter().text(TAG, tag).message(TENSOR, tensor).message(METADATA, metadata);
    write(event(step).message(SUMMARY, new ProtoWriter().message(SUMMARY_VALUE, value)));
  }

  public Path path() {
    return path;
  }

  /** Hands all that was added to the system, if it takes it. */
  public void flush() {
    flushed = clock.millis();
    file.flush();
  }

  private ProtoWriter event(long step) {
    return new ProtoWriter().float64(WALL_TIME, clock.millis() / 1e3).varint(STEP, step);
  }

  /** A record: its length, the length's checksum, the bytes, their checksum. */
  private void write(ProtoWriter message) {
    byte[] data = message.toByteArray();
    ByteBuffer record =
        ByteBuffer.allocate(Long.BYTES + Integer.BYTES + data.length + Integer.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    record.putLong(data.length);
    record.putInt(masked(record.array(), Long.BYTES));
    record.put(data);
    record.putInt(masked(data, data.length));
    file.add(record.array());
    if (clock.millis() - flushed >= FLUSH_MILLIS) {
      flush();
    }
  }

  /** CRC-32C, rotated and shifted so that checksums of checksums stay good ones. */
  private static int masked(byte[] bytes, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, length);
    return Integer.rotateRight((int) checksum.getValue(), 15) + 0xa282ead8;
  }

  @Override
  public void close() {
    file.close();
  }
}
