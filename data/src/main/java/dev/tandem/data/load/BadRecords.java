package dev.tandem.data.load;

/** What a loader does with a record that cannot be made a sample of. */
public sealed interface BadRecords {

  /** It ends the work with an error that names the record. */
  BadRecords FATAL = new Fatal();

  /** However many there are. */
  BadRecords SKIP = new Skip(Long.MAX_VALUE);

  /** See {@link #FATAL}. */
  record Fatal() implements BadRecords {}

  /**
   * It is left out and counted. Nothing replaces it: the batch has one sample less, and all other
   * samples stay where they are in the global order.
   *
   * @param most more than this are an error
   */
  record Skip(long most) implements BadRecords {}
}
