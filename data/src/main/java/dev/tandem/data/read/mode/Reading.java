package dev.tandem.data.read.mode;

/** One reader's work: hands all records of its plan to a visitor. Run once, by one thread. */
public interface Reading extends AutoCloseable {

  void run(RecordVisitor visitor, Breakdown breakdown);

  @Override
  void close();
}
