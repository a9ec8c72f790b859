package dev.tandem.data;

import dev.tandem.core.Ranges;

/**
 * The records of another source, of whose values only some bytes are read. Borrows the other
 * source, which {@link RecordSource#readsParts}.
 *
 * @param parts as {@link RecordSource#fetch(long[], Ranges)} takes them
 */
public record PartialSource(RecordSource base, Ranges parts) implements RecordSource {

  @Override
  public long size() {
    return base.size();
  }

  @Override
  public DataRecord record(long ordinal) {
    return ValueParts.of(base.record(ordinal), parts);
  }

  @Override
  public long fetchBytes() {
    return base.fetchBytes();
  }

  @Override
  public RecordBlock fetch(long[] ordinals) {
    return base.fetch(ordinals, parts);
  }

  @Override
  public void close() {
    // Its owner closes the other source.
  }
}
