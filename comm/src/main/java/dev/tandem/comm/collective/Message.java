package dev.tandem.comm.collective;

import java.lang.foreign.MemorySegment;

/**
 * What goes to one rank, or comes from it.
 *
 * @param peer the other rank
 * @param memory what is sent, or where it goes; may be empty, then nothing travels
 */
public record Message(int peer, MemorySegment memory) {}
