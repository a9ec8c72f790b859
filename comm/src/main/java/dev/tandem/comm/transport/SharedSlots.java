package dev.tandem.comm.transport;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Optional;

/**
 * Memory that the members of a team share, used in phases: every member writes into its own slot
 * and arrives; when all have arrived, every member may read the slots of all. A member may go on to
 * write and to arrive at the next phase before it has read the slots of this one, so that others
 * need not wait for its reading. Three slots a member take turns.
 *
 * <p>{@code Note [three slots suffice]}: a member that writes its slot for phase p + 3 has awaited
 * phase p + 2, so all others have arrived there; a member that arrives at p + 2 has awaited p + 1
 * before and is done with phase p. The slots of phases p and p + 3 are the same. Until it arrives
 * at p + 1 it may also write into a slot of phase p that nobody else reads: the owner finds it
 * after p + 1.
 *
 * <p>After a wait that failed, every arrival fails for the same reason.
 *
 * <p>For one thread at a time. A borrowed view of a slot is good until the arrival at the next but
 * one phase.
 */
public final class SharedSlots implements AutoCloseable {

  // Of two members: all that a member touches in a phase stays in its second-level cache. More of
  // them often share processors, and then every phase costs turns of all on each: fewer are better.
  private static final long SLOT_OF_TWO = 256 << 10;
  private static final long SLOT_OF_MORE = 640 << 10;

  private static final int SLOTS = 3;

  /** Bytes that fit beside the sign of arrival, so that they arrive with it. */
  public static final long LETTER_BYTES = 48;

  // Of each member: two cache lines that take turns, with the phase arrived at, the fingerprint and
  // a letter; and apart from them how many sleep for this member.
  private static final long LINE_BYTES = 64;
  private static final long MEMBER_BYTES = 4 * LINE_BYTES;
  private static final long SLEEPERS_OFFSET = 2 * LINE_BYTES;
  private static final long FINGERPRINT_OFFSET = Long.BYTES;
  private static final long LETTER_OFFSET = LINE_BYTES - LETTER_BYTES;
  private static final long PAGE = 4096;
  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment memory;
  private final Arena arena;
  private final int rank;
  private final int size;
  private volatile SpinWait spinWait;
  // By member; nobody watches itself, so this one's own may be null.
  private final List<PeerWatch> watches;
  private final TrafficMeter meter;
  private final OpenSharedSlots registry;
  private final MemorySegment[][] slots;
  // The phase that was awaited last, and the one arrived at last: the same or one more.
  private long phase;
  private long arrived;
  private long fingerprint;
  private boolean closed;
  // Why a wait failed: members may then be in different phases, so the slots are of no more use.
  private Optional<RuntimeException> broken = Optional.empty();

  /**
   * A member's view of the slots.
   *
   * @param memory zeroed, the same for all members
   * @param arena what to close with the slots
   * @param watches who to ask about each member
   * @param registry where the slots sign off when they are closed
   */
  SharedSlots(
      MemorySegment memory,
      Arena arena,
      int rank,
      List<PeerWatch> watches,
      WaitPolicy policy,
      TrafficMeter meter,
      OpenSharedSlots registry) {
    this.memory = memory;
    this.arena = arena;
    this.rank = rank;
    this.size = watches.size();
    this.watches = watches;
    waitBy(policy);
    this.meter = meter;
    this.registry = registry;
    this.slots = new MemorySegment[SLOTS][size];
    for (int member = 0; member < size; member++) {
      for (int turn = 0; turn < SLOTS; turn++) {
        long number = (long) SLOTS * member + turn;
        slots[turn][member] =
            memory.asSlice(headerBytes(size) + number * slotBytes(size), slotBytes(size));
      }
    }
  }

  static long bytes(int members) {
    return headerBytes(members) + slotBytes(members) * members * SLOTS;
  }

  /** Bytes of a slot. */
  public static long slotBytes(int members) {
    return members <= 2 ? SLOT_OF_TWO : SLOT_OF_MORE;
  }

  /** Bytes of a piece if a slot holds this many: whole cache lines, so whole elements. */
  public static long pieceBytes(int members, int pieces) {
    return slotBytes(members) / pieces / LINE_BYTES * LINE_BYTES;
  }

  private static long headerBytes(int members) {
    return (members * MEMBER_BYTES + PAGE - 1) / PAGE * PAGE;
  }

  /**
   * How this member waits from its next wait on; any thread may say so at any time. It is no matter
   * of the other members: they see arrivals and wake sleepers all the same.
   */
  public void waitBy(WaitPolicy policy) {
    spinWait = new SpinWait(policy);
  }

  /**
   * Says what this member is about to do. Members that do different things at the same time would
   * read each other's data wrongly: the next turns find out.
   */
  public void fingerprint(long fingerprint) {
    this.fingerprint = fingerprint;
  }

  /** Where this member writes in the phase that begins. */
  public MemorySegment mine() {
    return slots[(int) ((arrived + 1) % SLOTS)][rank];
  }

  /** Writes into this member's slot. */
  public void put(MemorySegment data, long slotOffset) {
    MemorySegment.copy(data, 0, mine(), slotOffset, data.byteSize());
    meter.addSent(data.byteSize());
  }

  /** Writes at most {@link #LETTER_BYTES} that the others find in {@link #letters()}. */
  public void putLetter(MemorySegment data) {
    long place = line(rank, arrived + 1) + LETTER_OFFSET;
    MemorySegment.copy(data, 0, memory, place, data.byteSize());
    meter.addSent(data.byteSize());
  }

  /**
   * Where all letters lie; those of the phase that was awaited last are good until the next
   * arrival.
   */
  public MemorySegment letters() {
    return memory;
  }

  /** Where a member's letter of the phase that was awaited last lies in {@link #letters()}. */
  public long letter(int member, long bytes) {
    if (member != rank) {
      meter.addReceived(bytes);
    }
    return line(member, phase) + LETTER_OFFSET;
  }

  /** Counts bytes that were written into {@link #mine()} directly. */
  public void written(long bytes) {
    meter.addSent(bytes);
  }

  /** What a member wrote in the phase that was awaited last. */
  public MemorySegment slot(int member, long offset, long bytes) {
    if (member != rank) {
      meter.addReceived(bytes);
    }
    return slots[(int) (phase % SLOTS)][member].asSlice(offset, bytes);
  }

  /** What others made of this member's slot of the phase before the one awaited last. */
  public MemorySegment returned(long bytes) {
    meter.addReceived(bytes);
    return slots[(int) ((phase - 1) % SLOTS)][rank].asSlice(0, bytes);
  }

  /** Ends the writing of this phase and waits until all members have. */
  public void turn() {
    arrive();
    await();
  }

  /** Ends the writing of this phase: the others may read what was written. */
  public void arrive() {
    if (broken.isPresent()) {
      throw broken.get();
    }
    arrived++;
    long line = line(rank, arrived);
    memory.set(ValueLayout.JAVA_LONG, line + FINGERPRINT_OFFSET, fingerprint);
    WORD.setVolatile(memory, line, (int) arrived);
    // A sleeper announces itself before it looks a last time: one of us two sees the other.
    if ((int) WORD.getVolatile(memory, sleepers(rank)) != 0) {
      WakeSignal.wake(word(line));
    }
  }

  /** Waits until all members have arrived at the phase that this one arrived at last. */
  public void await() {
    phase = arrived;
    meter.step();
    for (int distance = 1; distance < size; distance++) {
      int member = rank + distance < size ? rank + distance : rank + distance - size;
      await(member);
      if (memory.get(ValueLayout.JAVA_LONG, line(member, phase) + FINGERPRINT_OFFSET)
          != fingerprint) {
        throw new IllegalStateException(
            "members %d and %d of a group call different operations, or with different lengths"
                .formatted(Math.min(rank, member), Math.max(rank, member)));
      }
    }
  }

  private void await(int member) {
    long line = line(member, phase);
    SpinWait waiting = spinWait;
    waiting.begin();
    while (!reached((int) WORD.getAcquire(memory, line))) {
      if (!waiting.idle()) {
        sleepFor(member, line);
        return;
      }
    }
  }

  /** Whether a member's count of phases has come to this one; it may wrap around. */
  private boolean reached(int count) {
    return count - (int) phase >= 0;
  }

  private void sleepFor(int member, long line) {
    PeerWatch watch = watches.get(member);
    WORD.getAndAdd(memory, sleepers(member), 1);
    try {
      while (true) {
        watch.check();
        boolean gone = watch.gone();
        int seen = (int) WORD.getVolatile(memory, line);
        if (reached(seen)) {
          return;
        }
        if (gone) {
          throw watch.lost();
        }
        // Bounded: the wake-up for a loss may come between the look and the sleep.
        WakeSignal.sleep(word(line), seen, WakeSignal.LONGEST_SLEEP_NANOS);
      }
    } catch (RuntimeException e) {
      broken = Optional.of(e);
      throw e;
    } finally {
      WORD.getAndAdd(memory, sleepers(member), -1);
    }
  }

  /** Lets sleepers look around. */
  synchronized void nudge() {
    if (closed) {
      return;
    }
    for (int member = 0; member < size; member++) {
      WakeSignal.wake(word(line(member, 0)));
      WakeSignal.wake(word(line(member, 1)));
    }
  }

  private MemorySegment word(long line) {
    return memory.asSlice(line, Integer.BYTES);
  }

  /** Two take turns: a member may be one phase ahead of who reads its line. */
  private static long line(int member, long phase) {
    return member * MEMBER_BYTES + (phase & 1) * LINE_BYTES;
  }

  private static long sleepers(int member) {
    return member * MEMBER_BYTES + SLEEPERS_OFFSET;
  }

  @Override
  public synchronized void close() {
    closed = true;
    registry.remove(this);
    arena.close();
  }
}
