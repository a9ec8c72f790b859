package dev.tandem.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Memory in huge pages, where the kernel gives them. A read past the page cache that goes there is
 * one request for the storage however long it is (4 MiB are common), where scattered small pages
 * cut it at one MiB or less, and takes the kernel less time. Thread-safe.
 */
public final class HugeMemory {

  /** Huge pages of nearly all machines; with others the memory is right, only not better. */
  private static final long HUGE_PAGE = 2 << 20;

  private static final long PAGE = 4096;

  private static final long PRIVATE_ANONYMOUS = 0x22;
  private static final long NO_ACCESS = 0;
  private static final long SHARED_HERE = 0x11;
  private static final long WANT_HUGE_PAGES = 14;
  private static final long GATHER_NOW = 25;
  private static final long OPEN_READ_WRITE = 2;

  private static final Capability<HugeMemory> CAPABILITY =
      Linux.bind("memory in huge pages", HugeMemory::new);

  private final SystemCalls calls;

  private HugeMemory(Linker linker) {
    calls = new SystemCalls(linker);
  }

  public static Capability<HugeMemory> capability() {
    return CAPABILITY;
  }

  /**
   * A buffer of {@code bytes} zero bytes at the beginning of a page, in huge pages if there are
   * any; the usual memory where there is no such call. It goes when nobody has it any more.
   */
  public static ByteBuffer allocate(int bytes) {
    return CAPABILITY instanceof Capability.Present<HugeMemory>(HugeMemory memory)
        ? memory.mapped(bytes, Arena.ofAuto()).asByteBuffer()
        : ByteBuffer.allocateDirect(Math.addExact(bytes, 4096)).alignedSlice(4096).limit(bytes);
  }

  /** As {@link #allocate(int)}, of any length and until the arena is closed. */
  public static MemorySegment allocate(long bytes, Arena arena) {
    return CAPABILITY instanceof Capability.Present<HugeMemory>(HugeMemory memory)
        ? memory.mapped(bytes, arena)
        : arena.allocate(bytes, 4096);
  }

  @SuppressWarnings("restricted") // this module is where foreign calls live
  private MemorySegment mapped(long bytes, Arena arena) {
    // A huge page more than asked for: the mapping need not begin with one.
    long length = (bytes + 2 * HUGE_PAGE - 1) & -HUGE_PAGE;
    long address = call(calls.map, 0, length, SystemCalls.READ_WRITE, PRIVATE_ANONYMOUS, -1);
    if (address < 0) {
      throw new OutOfMemoryError("the system has no " + length + " bytes of memory to map");
    }
    long start = (address + HUGE_PAGE - 1) & -HUGE_PAGE;
    // Refused where huge pages are switched off; small ones do as well.
    var _ = call(calls.advise, start, length - (start - address), WANT_HUGE_PAGES, 0, 0);
    return MemorySegment.ofAddress(start)
        .reinterpret(bytes, arena, _ -> call(calls.unmap, address, length, 0, 0, 0));
  }

  /**
   * Gives every byte of a file of shared memory its place in memory, the first ones in huge pages
   * as far as the kernel can, for all who map the file. Its bytes stay. It takes a quarter of the
   * time of writing zeros and gathering their pages.
   *
   * @param bytes of the file
   * @param huge how many of them in huge pages
   * @return whether all have a place; if not, the file is as it was or has some more
   */
  public static boolean reserve(Path file, long bytes, long huge) {
    return CAPABILITY instanceof Capability.Present<HugeMemory>(HugeMemory memory)
        && memory.reserved(file, bytes, huge);
  }

  private boolean reserved(Path file, long bytes, long huge) {
    long descriptor;
    try (Arena arena = Arena.ofConfined()) {
      long path = arena.allocateFrom(file.toString()).address();
      descriptor = call(calls.open, SystemCalls.CURRENT_FOLDER, path, OPEN_READ_WRITE, 0, 0);
    }
    if (descriptor < 0) {
      return false;
    }
    boolean begun = true;
    for (long at = 0; at < huge && begun; at += HUGE_PAGE) {
      // Where there is no page at all, the kernel gathers none.
      begun = call(calls.allocate, descriptor, 0, at, Math.min(PAGE, huge - at), 0) == 0;
    }
    if (begun) {
      gather(descriptor, huge);
    }
    boolean all = begun && call(calls.allocate, descriptor, 0, 0, bytes, 0) == 0;
    var _ = call(calls.close, descriptor, 0, 0, 0, 0);
    return all;
  }

  private void gather(long descriptor, long bytes) {
    // Huge pages want a mapping that begins with one, so there is first room, then the file in it.
    long length = bytes + HUGE_PAGE;
    long room = call(calls.map, 0, length, NO_ACCESS, PRIVATE_ANONYMOUS, -1);
    if (room < 0) {
      return;
    }
    long start = (room + HUGE_PAGE - 1) & -HUGE_PAGE;
    if (call(calls.map, start, bytes, SystemCalls.READ_WRITE, SHARED_HERE, descriptor) == start) {
      // Refused by kernels and file systems that cannot; small pages do as well.
      var _ = call(calls.advise, start, bytes, GATHER_NOW, 0, 0);
    }
    var _ = call(calls.unmap, room, length, 0, 0, 0);
  }

  private long call(long number, long first, long second, long third, long fourth, long fifth) {
    return calls.call(number, first, second, third, fourth, fifth, 0);
  }
}
