package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.comm.collective.Cost;
import dev.tandem.comm.collective.Message;
import dev.tandem.comm.collective.MessageExchange;
import dev.tandem.comm.transport.Traffic;
import dev.tandem.core.PeerLostException;
import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Exchanges in which random ranks send each other messages of random lengths, one after the other
 * without a barrier, over any transport and in groups: all arrives where it belongs, and the
 * counted steps and bytes are those of the formula.
 */
class MessageExchangeTest {

  private static final int RANKS = 4;
  private static final int EXCHANGES = 12;

  @ParameterizedTest
  @EnumSource
  void randomExchangesOverAnyTransport(TestJob.Kind kind) throws Exception {
    Seed seed = TestSeed.of(MessageExchangeTest.class);
    TestJob.run(
        kind,
        RANKS,
        communicator -> {
          exchangeAll(communicator, seed);
          int[] backwards = {3, 1, 0};
          if (communicator.rank() != 2) {
            try (Communicator group = communicator.group(backwards)) {
              exchangeAll(group, seed.derive(1));
            }
          }
          return null;
        });
  }

  @Test
  void onHosts() throws Exception {
    Seed seed = TestSeed.of(MessageExchangeTest.class);
    TestJob.runOnHosts(
        List.of(0, 1, 0, 1),
        true,
        communicator -> {
          exchangeAll(communicator, seed);
          return null;
        });
  }

  private static void exchangeAll(Communicator communicator, Seed seed) {
    int me = communicator.rank();
    Random order = new Random(seed.derive(me).value());
    for (int exchange = 0; exchange < EXCHANGES; exchange++) {
      long[][] lengths = lengths(communicator.size(), seed.derive(100 + exchange).random());
      long[] received = new long[communicator.size()];
      List<Message> outgoing = new ArrayList<>();
      List<Message> incoming = new ArrayList<>();
      for (int peer = 0; peer < communicator.size(); peer++) {
        received[peer] = lengths[peer][me];
        boolean nothing = received[peer] == 0 && lengths[me][peer] == 0;
        if (peer != me && !(nothing && order.nextBoolean())) {
          outgoing.add(new Message(peer, content(me, peer, exchange, lengths[me][peer])));
          incoming.add(new Message(peer, MemorySegment.ofArray(new byte[(int) received[peer]])));
        }
      }
      Collections.shuffle(outgoing, order);
      Collections.shuffle(incoming, order);
      Cost cost = MessageExchange.cost(lengths[me], received);
      Traffic before = communicator.traffic();
      communicator.exchange(outgoing, incoming);
      Traffic moved = communicator.traffic().since(before);
      assertEquals(cost.bytesSent(), moved.bytesSent(), "bytes of exchange " + exchange);
      assertEquals(cost.steps(), moved.steps(), "steps of exchange " + exchange);
      for (Message message : incoming) {
        assertArrayEquals(
            content(message.peer(), me, exchange, received[message.peer()])
                .toArray(ValueLayout.JAVA_BYTE),
            message.memory().toArray(ValueLayout.JAVA_BYTE));
      }
    }
  }

  /** What goes from each rank to each: often nothing, sometimes more than a piece. */
  private static long[][] lengths(int size, SplittableRandom random) {
    long[][] lengths = new long[size][size];
    for (int from = 0; from < size; from++) {
      for (int to = 0; to < size; to++) {
        if (from != to && random.nextInt(3) > 0) {
          lengths[from][to] = random.nextLong(1L << random.nextInt(1, 18));
          lengths[from][to] += random.nextInt(20) == 0 ? 9 << 20 : 0;
        }
      }
    }
    return lengths;
  }

  private static MemorySegment content(int from, int to, int exchange, long length) {
    byte[] bytes = new byte[Math.toIntExact(length)];
    int start = 31 * (31 * from + to) + exchange;
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (start + i * 7);
    }
    return MemorySegment.ofArray(bytes);
  }

  @ParameterizedTest
  @EnumSource
  void lostRankEndsIt(TestJob.Kind kind) throws Exception {
    TestJob.run(
        kind,
        RANKS,
        communicator -> {
          // Closing a shared arena fails while anybody uses its memory.
          try (Arena arena = Arena.ofShared()) {
            List<Message> outgoing = toAll(communicator, arena);
            List<Message> incoming = toAll(communicator, arena);
            if (communicator.rank() == 2) {
              communicator.exchange(outgoing, incoming);
              return null;
            }
            PeerLostException e =
                assertThrows(
                    PeerLostException.class,
                    () -> {
                      while (true) {
                        communicator.exchange(outgoing, incoming);
                      }
                    });
            assertEquals(2, e.lostRank());
          }
          return null;
        });
  }

  private static List<Message> toAll(Communicator communicator, Arena arena) {
    return IntStream.range(0, communicator.size())
        .filter(peer -> peer != communicator.rank())
        .mapToObj(peer -> new Message(peer, arena.allocate(1_000_000, 64)))
        .toList();
  }

  @Test
  void eachRankOnceAndNotItself() throws Exception {
    TestJob.run(
        TestJob.Kind.THREADS,
        2,
        communicator -> {
          MemorySegment one = MemorySegment.ofArray(new byte[1]);
          for (List<Message> wrong :
              List.of(
                  List.of(new Message(communicator.rank(), one)),
                  List.of(new Message(2, one)),
                  List.of(new Message(-1, one)),
                  Collections.nCopies(2, new Message(1 - communicator.rank(), one)))) {
            assertThrows(
                IllegalArgumentException.class, () -> communicator.exchange(wrong, List.of()));
          }
          return null;
        });
  }
}
