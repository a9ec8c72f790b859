package dev.tandem.servers;

import java.lang.foreign.MemorySegment;

/** A store, or all shards, as one client sees them. For one thread. */
interface Upstream {

  /** Hands over a gradient; its memory may be used again afterwards. */
  void push(Request.Push push, MemorySegment gradient);

  /** Asks; {@link #take} must follow. Several upstreams can be asked before the first answers. */
  void ask(Request.Ask ask);

  /** Waits for what was asked for. */
  Request.Answer take(MemorySegment target);

  /** Says goodbye. */
  void leave();
}
