package dev.tandem.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/**
 * The threads that native libraries of this process compute with by GNU's OpenMP, for work in Java.
 *
 * <p>Such a thread looks out for the next work for some milliseconds before it sleeps. It so begins
 * at once, where a thread of Java's would have to be woken and then compete with it for a
 * processor. Each calling thread has its own set of them. They become daemon threads of the JVM
 * when they first run Java.
 *
 * <p>May be used by any thread.
 */
public final class OpenMp {

  private static final int NO_FLAGS = 0;

  /** Work under way: parts go to whoever asks next. */
  private record Job(
      int parts, IntConsumer work, AtomicInteger next, AtomicReference<Throwable> failure) {}

  private final Map<Long, Job> jobs = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();
  private final MethodHandle parallel;
  private final MemorySegment entrance;

  @SuppressWarnings("restricted") // this module is where foreign calls live
  private OpenMp(Linker linker, MemorySegment function) {
    parallel =
        linker.downcallHandle(
            function, FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT));
    try {
      MethodHandle enter =
          MethodHandles.lookup().bind(this, "enter", MethodType.methodType(void.class, long.class));
      entrance = linker.upcallStub(enter, FunctionDescriptor.ofVoid(JAVA_LONG), Arena.global());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * The threads of the library that has this function.
   *
   * @param parallel where {@code GOMP_parallel} is
   */
  public static Capability<OpenMp> by(MemorySegment parallel) {
    return Linux.bind(
        "computing with the threads of OpenMP", linker -> new OpenMp(linker, parallel));
  }

  /**
   * Does the parts of some work at once, one in the calling thread, and returns when all are done.
   * With fewer threads than parts some do several.
   *
   * @param work told the number of a part, from 0
   */
  public void run(int parts, IntConsumer work) {
    Job job = new Job(parts, work, new AtomicInteger(), new AtomicReference<>());
    long number = numbers.incrementAndGet();
    jobs.put(number, job);
    try {
      parallel.invokeExact(entrance, number, parts, NO_FLAGS);
    } catch (Throwable e) {
      throw Linux.unexpected(e);
    } finally {
      jobs.remove(number);
    }
    switch (job.failure().get()) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw Linux.unexpected(e);
    }
  }

  /** Where each thread comes in; nothing may be thrown out of it, for there is no Java outside. */
  @SuppressWarnings("unused") // called by the library
  private void enter(long number) {
    Job job = jobs.get(number);
    try {
      for (int part = job.next().getAndIncrement();
          part < job.parts();
          part = job.next().getAndIncrement()) {
        job.work().accept(part);
      }
    } catch (Throwable e) {
      job.failure().compareAndSet(null, e);
    }
  }
}
