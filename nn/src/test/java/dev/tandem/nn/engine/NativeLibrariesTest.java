package dev.tandem.nn.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Unpacking, with small files of this module in the place of libraries. */
class NativeLibrariesTest {

  private static final String ONE = "dev/tandem/nn/engine/linux-aarch64.libraries";
  private static final String OTHER = "dev/tandem/nn/engine/linux-x86_64.libraries";

  @TempDir Path cache;

  @ParameterizedTest
  @ValueSource(strings = {"aarch64", "amd64"})
  void bothProcessorsAreKnown(String processor) {
    NativeLibraries libraries = NativeLibraries.of("Linux", processor);
    assertEquals("libtorch_cpu.so", libraries.names().getLast());
    assertTrue(libraries.libraries().stream().allMatch(l -> l.sha256().length() == 64));
  }

  @Test
  void otherMachinesAreOneLineThatNamesThoseSupported() {
    assertEquals(
        "the compute engine runs on Linux with glibc, on x86-64 or aarch64, not on Linux riscv64",
        refused(() -> NativeLibraries.of("Linux", "riscv64")));
    assertEquals(
        "the compute engine runs on Linux with glibc, on x86-64 or aarch64, not on Mac OS X aarch64",
        refused(() -> NativeLibraries.of("Mac OS X", "aarch64")));
  }

  @Test
  void theCLibraryIsChecked() {
    NativeLibraries libraries = new NativeLibraries("linux-x86_64", "2.10.0", "2.35", List.of());
    libraries.checkSystem("2.35");
    libraries.checkSystem("2.41");
    String old = refused(() -> libraries.checkSystem("2.31"));
    assertTrue(old.startsWith("the compute engine needs glibc 2.35 or newer"), old);
    assertTrue(old.contains("this system has 2.31"), old);
    String musl = refused(() -> libraries.checkSystem(""));
    assertTrue(musl.contains("musl"), musl);
  }

  @Test
  void theFolderAppearsWholeAndIsMendedIfDamaged() throws Exception {
    NativeLibraries libraries = libraries(known(ONE), known(OTHER));
    assertFalse(libraries.isUnpacked(cache));
    Path folder = libraries.unpack(cache, Progress.SILENT);
    assertTrue(libraries.isUnpacked(cache));
    assertEquals(libraries.folder(cache), folder);
    Path file = folder.resolve("linux-aarch64.libraries");
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, new byte[] {1, 2, 3}); // as a full disk or a crash would leave it
    assertFalse(libraries.isUnpacked(cache));
    libraries.unpack(cache, Progress.SILENT);
    assertArrayEquals(whole, Files.readAllBytes(file));
    Files.delete(file);
    libraries.unpack(cache, Progress.SILENT);
    assertTrue(libraries.isUnpacked(cache));
    assertEquals(2, entries(folder));
  }

  @Test
  void anotherFileThanTheOneKnownIsRefused() throws Exception {
    NativeLibraries.Library known = known(ONE);
    NativeLibraries libraries =
        libraries(new NativeLibraries.Library("00".repeat(32), known.bytes(), ONE));
    String message = refused(() -> libraries.unpack(cache, Progress.SILENT));
    assertTrue(message.contains("its SHA-256 differs"), message);
    assertFalse(libraries.isUnpacked(cache));
  }

  @Test
  void aBuildForAnotherMachineSaysSo() {
    NativeLibraries libraries =
        libraries(new NativeLibraries.Library("00".repeat(32), 5, "nowhere/libtorch_cpu.so"));
    String message = refused(() -> libraries.unpack(cache, Progress.SILENT));
    assertTrue(message.startsWith("this build has no compute engine for linux-test"), message);
  }

  @Test
  void tooLittleSpaceIsToldBeforehand() {
    NativeLibraries libraries =
        libraries(new NativeLibraries.Library("00".repeat(32), 1L << 60, ONE));
    String message = refused(() -> libraries.unpack(cache, Progress.SILENT));
    assertTrue(message.contains("TANDEM_CACHE"), message);
    assertTrue(message.startsWith("the compute engine needs 1,099,511,627,776 MiB"), message);
  }

  @Test
  void aFolderThatCannotBeMadeIsOneLine() throws Exception {
    Path file = Files.createFile(cache.resolve("file"));
    String message = refused(() -> libraries(known(ONE)).unpack(file, Progress.SILENT));
    assertTrue(message.startsWith("cannot unpack the compute engine into " + file), message);
  }

  private static NativeLibraries libraries(NativeLibraries.Library... libraries) {
    return new NativeLibraries("linux-test", "1.0", "2.0", List.of(libraries));
  }

  /** A resource as a library, with its real checksum. */
  private static NativeLibraries.Library known(String resource) throws Exception {
    try (InputStream in =
        NativeLibrariesTest.class.getClassLoader().getResourceAsStream(resource)) {
      byte[] bytes = in.readAllBytes();
      byte[] sum = MessageDigest.getInstance("SHA-256").digest(bytes);
      return new NativeLibraries.Library(HexFormat.of().formatHex(sum), bytes.length, resource);
    }
  }

  private static long entries(Path folder) throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.count();
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  private static String refused(Work work) {
    String message = assertThrows(WorkFailedException.class, work::run).getMessage();
    assertEquals(1, message.lines().count(), message);
    return message;
  }
}
