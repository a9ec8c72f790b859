package dev.tandem.nn.engine;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A device that is the processor itself with memory apart: everything is done at once, in the order
 * in which it is asked for. What uses devices can so be tested on any machine.
 */
public final class ApartMemory implements Accelerator {

  private final AtomicLong marks = new AtomicLong();

  @Override
  public String name() {
    return "apart";
  }

  @Override
  public String description() {
    return "memory apart";
  }

  @Override
  public int type() {
    return 0;
  }

  @Override
  public int index() {
    return -1;
  }

  @Override
  public void enter() {}

  @Override
  public void within(Lane lane, Runnable work) {
    work.run();
  }

  @Override
  public Mark mark() {
    return new Mark(marks.incrementAndGet());
  }

  @Override
  public void record(Mark mark, Lane lane) {}

  @Override
  public void follow(Lane lane, Mark mark) {}

  @Override
  public void await(Mark mark) {}

  @Override
  public void copy(Lane lane, long to, long from, long bytes) {
    MemorySegment.copy(Native.memory(from, bytes), 0, Native.memory(to, bytes), 0, bytes);
  }

  @Override
  public void pin(MemorySegment memory) {}

  @Override
  public void unpin(MemorySegment memory) {}

  @Override
  public void synchronize() {}

  @Override
  public Memory memory() {
    return new Memory(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
  }

  @Override
  public boolean repeats() {
    return false;
  }

  @Override
  public Recording record(Runnable work) {
    throw new UnsupportedOperationException("nothing is recorded");
  }
}
