package dev.tandem.nn.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.nn.Engine;
import dev.tandem.testkit.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** C++ exceptions come back as Java's, whatever they are and whichever thread meets them. */
class StubTest {

  private static final int THREADS = 4;

  @BeforeAll
  static void startEngine() {
    Engine.start(1);
  }

  @Test
  void exceptionsFromSeveralThreads() throws Exception {
    failFromSeveralThreads(10_000);
  }

  @Test
  @Tag("slow")
  void aHundredThousandExceptionsFromSeveralThreads() throws Exception {
    failFromSeveralThreads(100_000);
  }

  private static void failFromSeveralThreads(int exceptions) throws Exception {
    List<Callable<Integer>> tasks = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      tasks.add(() -> failAndCompute(exceptions / THREADS));
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<Future<Integer>> caught =
          Watchdog.within(Duration.ofMinutes(2), () -> threads.invokeAll(tasks));
      for (Future<Integer> each : caught) {
        assertEquals(exceptions / THREADS, each.get());
      }
    }
  }

  /** Between two exceptions the engine computes as if nothing had happened. */
  private static int failAndCompute(int times) {
    int caught = 0;
    try (Scope _ = new Scope()) {
      Tensor matrix = Tensors.of(ScalarType.FLOAT, () -> 2, 3, 3);
      Tensor volume = Tensor.zeros(ScalarType.FLOAT, 2, 2, 2);
      for (int i = 0; i < times; i++) {
        try (Scope _ = new Scope()) {
          matrix.mm(volume);
        } catch (EngineException e) {
          caught += e.getMessage().contains("must be a matrix") ? 1 : 0;
        }
        if (i % 100 == 0) {
          try (Scope _ = new Scope()) {
            assertEquals(9 * 12, matrix.mm(matrix).sum().item());
          }
        }
      }
    }
    return caught;
  }

  @Test
  void shapesThatDoNotFitAreOneLine() {
    try (Scope _ = new Scope()) {
      Tensor left = Tensor.zeros(ScalarType.FLOAT, 2, 3);
      Tensor right = Tensor.zeros(ScalarType.FLOAT, 4, 5);
      var e = assertThrows(EngineException.class, () -> left.mm(right));
      assertEquals(
          "the compute engine failed: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
          e.getMessage());
      assertFalse(e.outOfMemory());
      // Functions with several results leave none behind.
      assertThrows(EngineException.class, () -> Functions.max(left, 7));
      assertThrows(EngineException.class, () -> left.add_(right));
    }
  }

  @Test
  void memoryThatIsNotThereIsOneLine() {
    try (Scope _ = new Scope()) {
      var e = assertThrows(EngineException.class, () -> Tensor.empty(ScalarType.FLOAT, 1L << 50));
      assertTrue(e.outOfMemory(), e.getMessage());
      assertEquals(1, e.getMessage().lines().count());
      assertTrue(e.getMessage().contains("use a smaller batch"), e.getMessage());
      assertEquals(0, Tensor.zeros(ScalarType.FLOAT, 8).sum().item());
    }
  }

  @Test
  void theBytesAreThoseOfTheSource(@TempDir Path folder) throws Exception {
    String processor = System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64";
    Path object = folder.resolve("stub.o");
    Path bytes = folder.resolve("stub.bin");
    Path source = Path.of("src/main/asm/stub-" + processor + ".S");
    try {
      run("as", "-o", object.toString(), source.toString());
      run("objcopy", "-O", "binary", "-j", ".text", object.toString(), bytes.toString());
    } catch (IOException e) {
      System.out.println("skipped: no assembler to compare with (" + e.getMessage() + ")");
      assumeTrue(false, "no assembler");
    }
    assertArrayEquals(Files.readAllBytes(bytes), Stub.CODE.bytes());
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).inheritIO().start();
    int exit = Watchdog.within(Duration.ofMinutes(1), () -> process.waitFor());
    assertEquals(0, exit);
  }
}
