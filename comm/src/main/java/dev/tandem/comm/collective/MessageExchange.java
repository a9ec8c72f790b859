package dev.tandem.comm.collective;

import dev.tandem.comm.transport.Transport;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * Every rank sends some of the others a message each, of any length, and gets one from each of
 * those that send it one. All messages are on their way before the first is awaited, so it never
 * blocks whatever the lengths and whoever sends to whom. A long message travels in pieces; empty
 * ones do not travel.
 *
 * <p>Communication steps: 1 for each other rank and piece that goes to it or comes from it. Bytes
 * on the wire: the messages.
 */
public final class MessageExchange {

  /** A sender never waits for the program of a receiver that has no more than this to come. */
  private static final long PIECE_BYTES = Transport.EAGER_BYTES;

  private MessageExchange() {}

  /**
   * Exchanges.
   *
   * @param outgoing at most one message to each other rank, in any order
   * @param incoming at most one from each other rank, each as long as what that rank sends; no
   *     memory of {@code outgoing}
   */
  public static void run(Team team, List<Message> outgoing, List<Message> incoming) {
    MemorySegment[] out = byRank(team, outgoing);
    MemorySegment[] in = byRank(team, incoming);
    long pieces = Math.max(longestPieces(out), longestPieces(in));
    try (Arrivals arrivals = team.arrivals()) {
      for (long from = 0; from < pieces * PIECE_BYTES; from += PIECE_BYTES) {
        begin(team, arrivals, out, in, from);
        finish(team, arrivals, in, from);
      }
    }
  }

  private static MemorySegment[] byRank(Team team, List<Message> messages) {
    MemorySegment[] memory = new MemorySegment[team.size()];
    Arrays.fill(memory, Team.nothing());
    boolean[] named = new boolean[team.size()];
    for (Message message : messages) {
      int peer = message.peer();
      if (peer < 0 || peer >= team.size() || peer == team.rank() || named[peer]) {
        throw new IllegalArgumentException(
            "rank %d of %d exchanges with rank %d%s"
                .formatted(
                    team.rank(),
                    team.size(),
                    peer,
                    peer >= 0 && peer < team.size() && named[peer] ? " twice" : ""));
      }
      named[peer] = true;
      memory[peer] = message.memory();
    }
    return memory;
  }

  private static long longestPieces(MemorySegment[] messages) {
    return Arrays.stream(messages).mapToLong(each -> pieces(each.byteSize())).max().orElse(0);
  }

  private static void begin(
      Team team, Arrivals arrivals, MemorySegment[] out, MemorySegment[] in, long from) {
    for (int distance = 1; distance < team.size(); distance++) {
      int sender = team.before(distance);
      if (from < in[sender].byteSize()) {
        arrivals.expect(sender, Extents.piece(in[sender], from, PIECE_BYTES));
      }
    }
    for (int distance = 1; distance < team.size(); distance++) {
      int receiver = team.ahead(distance);
      if (from >= out[receiver].byteSize()) {
        continue;
      }
      MemorySegment piece = Extents.piece(out[receiver], from, PIECE_BYTES);
      if (from < in[receiver].byteSize()) {
        team.sendPartOfExchange(receiver, piece);
      } else {
        team.send(receiver, piece);
      }
    }
  }

  private static void finish(Team team, Arrivals arrivals, MemorySegment[] in, long from) {
    for (int distance = 1; distance < team.size(); distance++) {
      int sender = team.before(distance);
      if (from < in[sender].byteSize()) {
        arrivals.finish(sender);
      }
    }
  }

  private static long pieces(long bytes) {
    return Rounds.pieces(bytes, PIECE_BYTES);
  }

  /**
   * What it costs a rank.
   *
   * @param outgoing bytes of the messages to all ranks, in their order; nothing for itself
   * @param incoming bytes of those from all ranks
   */
  public static Cost cost(long[] outgoing, long[] incoming) {
    long steps = 0;
    for (int peer = 0; peer < outgoing.length; peer++) {
      steps += Math.max(pieces(outgoing[peer]), pieces(incoming[peer]));
    }
    return new Cost(steps, Arrays.stream(outgoing).sum());
  }
}
