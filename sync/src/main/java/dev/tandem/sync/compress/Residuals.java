package dev.tandem.sync.compress;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What compressed tensors of this rank left behind, by name: added to their next transfer (error
 * feedback). It is different on each rank and part of a run's state.
 *
 * <p>There are two copies of each, so that a whole step can be taken back: {@link #undo}.
 *
 * <p>Thread-safe, as long as a name is transferred by one thread at a time; {@link #views} and
 * {@link #undo} are for the time between steps. The memory is freed when nobody holds it any more.
 */
public final class Residuals {

  /**
   * What a transfer works with.
   *
   * @param before what the last transfer left behind
   * @param after where this one leaves what it leaves; may be the same memory
   */
  record Turn(MemorySegment before, MemorySegment after) {}

  private static final long ALIGNMENT = 64;
  private static final long NEVER = -1;

  private static final class Residual {
    private MemorySegment current;
    private MemorySegment other;
    private long changedIn = NEVER;

    Residual(long elements) {
      Arena arena = Arena.ofAuto();
      current = arena.allocate(elements * Float.BYTES, ALIGNMENT);
      other = arena.allocate(elements * Float.BYTES, ALIGNMENT);
    }

    void swap() {
      MemorySegment last = current;
      current = other;
      other = last;
    }
  }

  private final Map<String, Residual> residuals = new ConcurrentHashMap<>();
  private final AtomicLong step = new AtomicLong();

  /** Nothing was left behind yet by these tensors, as far as the rule compresses them so. */
  public void prepare(List<TensorView> tensors, CompressionRule rule) {
    for (TensorView tensor : tensors) {
      long elements = tensor.shape().elements();
      if (rule.of(tensor.name(), tensor.dtype(), elements).hasFeedback()) {
        residuals.put(tensor.name(), new Residual(elements));
      }
    }
  }

  /** A tensor is transferred; one of another size than before begins again. */
  Turn turn(String name, long elements) {
    Residual residual =
        residuals.compute(
            name,
            (key, known) ->
                known != null && known.current.byteSize() == elements * Float.BYTES
                    ? known
                    : new Residual(elements));
    MemorySegment before = residual.current;
    if (residual.changedIn != step.get()) {
      // What the step began with stays as it is.
      residual.swap();
      residual.changedIn = step.get();
    }
    return new Turn(before, residual.current);
  }

  /** The transfers of a step are done. */
  public void endStep() {
    step.incrementAndGet();
  }

  /** Takes back what the last step that has ended changed. */
  public void undo() {
    for (Residual residual : residuals.values()) {
      if (residual.changedIn == step.get() - 1) {
        residual.swap();
        residual.changedIn = NEVER;
      }
    }
  }

  /** What is left behind now, sorted by name, to be saved or restored; valid until a transfer. */
  public List<TensorView> views() {
    return new TreeMap<>(residuals)
        .entrySet().stream()
            .map(
                entry -> {
                  MemorySegment data = entry.getValue().current;
                  Shape shape = Shape.of(data.byteSize() / Float.BYTES);
                  return new TensorView(entry.getKey(), DType.FLOAT32, shape, data);
                })
            .toList();
  }
}
