package dev.tandem.servers;

import java.lang.foreign.MemorySegment;

/**
 * What clients push gradients to and pull parameters from: a shard, or a proxy that stands for all
 * of them. Clients are numbered from 0. Calls for different clients may come from different
 * threads. Every call throws what has failed on this rank, if anything has.
 */
interface Store {

  /** The size of a gradient, of the parameters, and of a slot. */
  long bytes();

  /** Takes a gradient; its memory is borrowed for the call. */
  void push(int client, Request.Push push, MemorySegment gradient);

  /** Waits until what is asked for is fresh enough, and copies it. */
  Request.Answer pull(int client, Request.Ask ask, MemorySegment target);

  /** The client pushes no more. */
  void leave(int client);
}
