package dev.tandem.data.read;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.Topology;
import dev.tandem.core.TandemException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.RecordBlock;
import dev.tandem.data.RecordSource;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Mode lmm for a loader: the first rank of each host reads for all ranks of the host, which ask it
 * for the records they need and are sent their values. All ranks make theirs together.
 */
final class HostSource implements RecordSource {

  private static final long END = -1;

  private final RecordSource base;
  private final RankServer server;
  private final Communicator link;

  /** Takes the source over. */
  HostSource(RecordSource base, Communicator communicator) {
    this.base = base;
    Topology topology = communicator.topology();
    int[] host = topology.ranksOf(topology.host(communicator.rank()));
    if (communicator.rank() == host[0]) {
      this.link = null;
      this.server = new Server(base);
      server.start(communicator, Arrays.copyOfRange(host, 1, host.length));
    } else {
      this.server = null;
      this.link = RankServer.link(communicator, host[0]);
    }
  }

  @Override
  public long size() {
    return base.size();
  }

  @Override
  public DataRecord record(long ordinal) {
    return base.record(ordinal);
  }

  @Override
  public RecordBlock fetch(long[] ordinals) {
    return link == null || ordinals.length == 0 ? base.fetch(ordinals) : received(ordinals.clone());
  }

  private synchronized RecordBlock received(long[] ordinals) {
    send(link, ordinals.length);
    link.send(MemorySegment.ofArray(ordinals), 0);
    int[] lengths = new int[ordinals.length];
    link.receive(MemorySegment.ofArray(lengths), 0);
    if (lengths[0] < 0) {
      // The other rank could not read them; this one finds out why.
      return base.fetch(ordinals);
    }
    byte[] values = new byte[Arrays.stream(lengths).reduce(0, Math::addExact)];
    if (values.length > 0) {
      link.receive(MemorySegment.ofArray(values), 0);
    }
    return new Received(ordinals, lengths, values);
  }

  private static void send(Communicator link, long count) {
    link.send(MemorySegment.ofArray(new long[] {count}), 0);
  }

  @Override
  public void close() {
    if (link != null) {
      try (link) {
        send(link, END);
      } catch (TandemException e) {
        // The other rank was lost: it waits for nothing.
      }
    } else {
      server.close();
    }
    base.close();
  }

  /** The rank that reads. */
  private static final class Server extends RankServer {

    private final RecordSource base;

    Server(RecordSource base) {
      this.base = base;
    }

    @Override
    void serve(Communicator link) {
      long[] count = new long[1];
      link.receive(MemorySegment.ofArray(count), 1);
      while (count[0] != END) {
        long[] ordinals = new long[(int) count[0]];
        link.receive(MemorySegment.ofArray(ordinals), 1);
        answer(link, ordinals);
        link.receive(MemorySegment.ofArray(count), 1);
      }
    }

    private void answer(Communicator link, long[] ordinals) {
      int[] lengths = new int[ordinals.length];
      byte[] values = new byte[0];
      try (RecordBlock block = base.fetch(ordinals)) {
        values = new byte[Math.toIntExact(block.bytes())];
        MemorySegment all = MemorySegment.ofArray(values);
        long at = 0;
        for (int i = 0; i < lengths.length; i++) {
          MemorySegment value = block.record(i).value();
          lengths[i] = (int) value.byteSize();
          MemorySegment.copy(value, 0, all, at, value.byteSize());
          at += value.byteSize();
        }
        block.ensureIntact();
      } catch (RuntimeException e) {
        Arrays.fill(lengths, -1);
        values = new byte[0];
      }
      link.send(MemorySegment.ofArray(lengths), 1);
      if (values.length > 0) {
        link.send(MemorySegment.ofArray(values), 1);
      }
    }
  }

  /** Values that were sent; keys are looked up if they are asked for. */
  private final class Received implements RecordBlock {

    private final long[] ordinals;
    private final long[] starts;
    private final int[] lengths;
    private final MemorySegment values;

    Received(long[] ordinals, int[] lengths, byte[] values) {
      this.ordinals = ordinals;
      this.lengths = lengths;
      this.values = MemorySegment.ofArray(values);
      this.starts = new long[lengths.length];
      for (int i = 1; i < lengths.length; i++) {
        starts[i] = starts[i - 1] + lengths[i - 1];
      }
    }

    @Override
    public int size() {
      return ordinals.length;
    }

    @Override
    public DataRecord record(int place) {
      long ordinal = ordinals[place];
      return new DataRecord(
          () -> base.record(ordinal).key(), values.asSlice(starts[place], lengths[place]));
    }

    @Override
    public void close() {
      // The garbage collector's memory.
    }
  }
}
