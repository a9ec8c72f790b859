package dev.tandem.servers;

/** What a client says to a store. A client speaks in the order push, ask, push, ask..., leave. */
sealed interface Request {

  /**
   * A gradient follows.
   *
   * @param clock how many the client has pushed, this one counted
   * @param rate of learning
   * @param notices what else is to be known to all; see {@link Notice}
   */
  record Push(long clock, double rate, long notices) implements Request {}

  /**
   * The client wants to have something.
   *
   * @param clock how many gradients it has pushed
   * @param slot which, where a slot is wanted
   */
  record Ask(What what, long clock, int slot) implements Request {}

  /** The client will not push any more, and nobody needs to wait for it. */
  record Leave() implements Request {}

  /** What can be asked for. */
  enum What {
    /** The parameters, as fresh as the staleness demands. */
    CURRENT(0),
    /** The parameters with everything that was pushed up to the asker's clock, by anybody. */
    FRESH(1),
    /** What the rule keeps for each parameter, as fresh. */
    SLOT(2);

    private final long code;

    What(long code) {
      this.code = code;
    }

    /** The number that stands for it in messages. */
    long code() {
      return code;
    }

    static What of(long code) {
      for (What what : values()) {
        if (what.code == code) {
          return what;
        }
      }
      throw new IllegalStateException("nobody can ask for " + code);
    }
  }

  /**
   * What comes before the answer's memory.
   *
   * @param version gradients of every worker that are in it at least
   * @param stopAt the clock at which all workers stop; {@link Long#MAX_VALUE} if nobody asked
   * @param notices of all workers so far
   */
  record Answer(long version, long stopAt, long notices) {}
}
