package dev.tandem.nn.engine;

import static java.lang.foreign.ValueLayout.ADDRESS;

import dev.tandem.core.WorkFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Optional;

/** Libraries that the system brings. */
final class SystemLibrary {

  private SystemLibrary() {}

  /** The version of glibc, such as 2.36, or nothing if the C library is another one. */
  @SuppressWarnings("restricted")
  static String glibc() {
    Linker linker = Linker.nativeLinker();
    Optional<MemorySegment> version = linker.defaultLookup().find("gnu_get_libc_version");
    if (version.isEmpty()) {
      return "";
    }
    try {
      MemorySegment text =
          (MemorySegment)
              linker.downcallHandle(version.get(), FunctionDescriptor.of(ADDRESS)).invokeExact();
      return Native.text(text.address());
    } catch (Throwable e) {
      throw Native.unexpected(e);
    }
  }

  /** A library by its name; where it is missing, the package that has it is named. */
  @SuppressWarnings("restricted")
  static SymbolLookup open(String name, String debianPackage) {
    try {
      return SymbolLookup.libraryLookup(name, Arena.global());
    } catch (IllegalArgumentException e) {
      throw new WorkFailedException(
          "the compute engine needs the system's %s, which cannot be loaded (Debian: apt-get install"
                  .formatted(name)
              + " %s)".formatted(debianPackage),
          e);
    }
  }

  /** What the system says of a library that it cannot load, such as the name of one it needs. */
  @SuppressWarnings("restricted")
  static String reason(String library, IllegalArgumentException e) {
    try {
      // Java's other way to load a library tells what the system said; it fails just the same.
      System.load(library);
    } catch (UnsatisfiedLinkError said) {
      return String.valueOf(said.getMessage()).lines().findFirst().orElse(e.getMessage());
    }
    return e.getMessage();
  }
}
