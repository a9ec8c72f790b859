package dev.tandem.nn.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.nn.Engine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who owns a tensor, and how its memory is seen. */
class TensorTest {

  @BeforeAll
  static void startEngine() {
    Engine.start(1);
  }

  @Test
  void aScopeFreesWhatIsNotRetained() {
    Tensor kept;
    Tensor freed;
    try (Scope _ = new Scope()) {
      freed = Tensor.zeros(ScalarType.FLOAT, 2);
      kept = freed.add(1).retain();
    }
    assertEquals("the tensor has been released", refused(freed::sizes));
    assertEquals(2, kept.numel());
    kept.release();
    assertEquals("the tensor has been released", refused(kept::release));
  }

  @Test
  void aScopeFreesAfterAnExceptionToo() {
    Tensor[] made = new Tensor[1];
    assertThrows(
        EngineException.class,
        () -> {
          try (Scope _ = new Scope()) {
            made[0] = Tensor.zeros(ScalarType.FLOAT, 2);
            made[0].mm(made[0]);
          }
        });
    assertEquals("the tensor has been released", refused(() -> made[0].add(1)));
  }

  @Test
  void tensorsAreMadeInsideAScope() {
    assertEquals(
        "tensors are made inside a scope", refused(() -> Tensor.zeros(ScalarType.FLOAT, 2)));
  }

  @Test
  void innerScopesEndFirst() {
    Scope outer = new Scope();
    Scope inner = new Scope();
    assertTrue(refused(outer::close).startsWith("an inner scope is still open"));
    inner.close();
    outer.close();
    assertThrows(IllegalStateException.class, outer::close);
  }

  @Test
  void anAliasOutlivesTheOriginal() {
    try (Scope _ = new Scope()) {
      Tensor alias;
      Tensor original;
      try (Scope _ = new Scope()) {
        original = Tensors.of(ScalarType.FLOAT, () -> 3, 4).retain();
      }
      alias = original.alias();
      original.release();
      assertEquals(12, alias.sum().item());
    }
  }

  @Test
  void memoryIsSharedNotCopied() {
    try (Arena arena = Arena.ofConfined();
        Scope _ = new Scope()) {
      MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 2, 3, 4, 5, 6);
      Tensor tensor = Tensor.of(memory, ScalarType.FLOAT, 2, 3);
      tensor.mul_(2);
      assertEquals(12, memory.getAtIndex(ValueLayout.JAVA_FLOAT, 5));
      assertEquals(memory.address(), tensor.memory().address());
      assertEquals(memory.byteSize(), tensor.memory().byteSize());
      Tensor columns =
          Tensor.strided(memory, ScalarType.FLOAT, new long[] {3, 2}, new long[] {1, 3});
      assertArrayEquals(new double[] {2, 8, 4, 10, 6, 12}, Tensors.numbers(columns));
      assertThrows(IllegalArgumentException.class, () -> Tensor.of(memory, ScalarType.FLOAT, 7));
      MemorySegment onHeap = MemorySegment.ofArray(new float[6]);
      assertThrows(IllegalArgumentException.class, () -> Tensor.of(onHeap, ScalarType.FLOAT, 6));
    }
  }

  @Test
  void virtualThreadsAreRefused() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> refused = threads.submit(() -> new Scope().close());
      var e = assertThrows(ExecutionException.class, refused::get);
      assertEquals("the compute engine needs a platform thread", e.getCause().getMessage());
    }
  }

  private static String refused(Runnable work) {
    return assertThrows(IllegalStateException.class, work::run).getMessage();
  }
}
