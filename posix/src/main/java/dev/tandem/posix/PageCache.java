package dev.tandem.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What the kernel keeps of files in memory: asked and dropped. Thread-safe.
 *
 * <p>{@link #sampledShare} needs no foreign call, which in a new JVM takes longer than the question
 * is worth; {@link #residentBytes} counts exactly.
 */
public final class PageCache {

  private static final int DONT_NEED = 4;
  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final long CACHESTAT = 451;
  private static final long KERNEL_PAGE = 4096;
  private static final int SAMPLES = 24;
  private static final int SAMPLE_BYTES = 64 << 10;

  /** Apart, so that a sample can be taken without binding anything. */
  private static final class Binding {
    private static final Capability<PageCache> CAPABILITY =
        Linux.bind("the page cache's counters", PageCache::new);
  }

  private final MethodHandle open;
  private final MethodHandle close;
  private final MethodHandle advise;
  private final MethodHandle cachestat;

  private PageCache(Linker linker) {
    open =
        NativeCalls.call(
            "open",
            FunctionDescriptor.of(Linux.INT, ADDRESS, Linux.INT),
            Linker.Option.firstVariadicArg(2),
            NativeCalls.errno());
    close = Linux.function(linker, "close", FunctionDescriptor.of(Linux.INT, Linux.INT));
    advise =
        Linux.function(
            linker,
            "posix_fadvise",
            FunctionDescriptor.of(Linux.INT, Linux.INT, Linux.LONG, Linux.LONG, Linux.INT));
    cachestat =
        Linux.syscall(
            linker,
            FunctionDescriptor.of(Linux.LONG, Linux.LONG, Linux.INT, ADDRESS, ADDRESS, Linux.INT));
  }

  public static Capability<PageCache> capability() {
    return Binding.CAPABILITY;
  }

  /**
   * The share of a file that is in memory, from 0 to 1, by looking at some places spread evenly
   * (mincore). Small files are looked at whole.
   */
  public static double sampledShare(Path path) {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        Arena arena = Arena.ofConfined()) {
      long size = channel.size();
      if (size == 0) {
        return 1;
      }
      // One segment: mapped buffers are made by reflection, which takes a new JVM 20 ms.
      MemorySegment whole = channel.map(MapMode.READ_ONLY, 0, size, arena);
      long samples = Math.min(SAMPLES, (size + SAMPLE_BYTES - 1) / SAMPLE_BYTES);
      int resident = 0;
      for (long i = 0; i < samples; i++) {
        long at = size / samples * i / SAMPLE_BYTES * SAMPLE_BYTES;
        long length = Math.min(SAMPLE_BYTES, size - at);
        if (whole.asSlice(at, length).isLoaded()) {
          resident++;
        }
      }
      return (double) resident / samples;
    } catch (IOException e) {
      throw FileErrors.failure("look at", path, e);
    }
  }

  /** Bytes of a part of the file that are in memory, or -1 where the kernel does not count them. */
  public long residentBytes(Path path, long position, long length) {
    int file = open(path);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment range = arena.allocate(16, 8);
      range.set(Linux.LONG, 0, position);
      range.set(Linux.LONG, 8, length);
      MemorySegment counters = arena.allocate(40, 8);
      long result =
          (long)
              cachestat.invokeExact(Linux.scratch().callState, CACHESTAT, file, range, counters, 0);
      return result < 0 ? -1 : counters.get(Linux.LONG, 0) * KERNEL_PAGE;
    } catch (Throwable e) {
      throw Linux.unexpected(e);
    } finally {
      close(file);
    }
  }

  /** Drops what the kernel keeps of a file, after writing back what is not on the disk yet. */
  public void drop(Path path) {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      throw FileErrors.failure("sync", path, e);
    }
    int file = open(path);
    try {
      int _ = (int) advise.invokeExact(Linux.scratch().callState, file, 0L, 0L, DONT_NEED);
    } catch (Throwable e) {
      throw Linux.unexpected(e);
    } finally {
      close(file);
    }
  }

  /** A descriptor of our own, because a channel does not give its away. */
  private int open(Path path) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = NativeCalls.state(arena);
      int file = (int) open.invokeExact(state, arena.allocateFrom(path.toString()), CLOSE_ON_EXEC);
      if (file < 0) {
        throw FileErrors.failure("open", path, NativeCalls.error(NativeCalls.errno(state), path));
      }
      return file;
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw Linux.unexpected(e);
    }
  }

  private void close(int file) {
    try {
      int _ = (int) close.invokeExact(Linux.scratch().callState, file);
    } catch (Throwable e) {
      throw Linux.unexpected(e);
    }
  }
}
