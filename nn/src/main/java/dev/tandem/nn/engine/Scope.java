package dev.tandem.nn.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * Frees, when it is closed, every tensor that its thread has made since and that is not retained.
 * Scopes of a thread nest: the innermost is closed first, by the thread that opened it.
 */
public final class Scope implements AutoCloseable {

  private final EngineThread thread = EngineThread.current();
  private final Scope outer = thread.scope;
  private final List<Tensor> tensors = new ArrayList<>();

  public Scope() {
    thread.scope = this;
  }

  void add(Tensor tensor) {
    tensors.add(tensor);
  }

  @Override
  public void close() {
    if (thread.scope != this) {
      throw new IllegalStateException("an inner scope is still open, or this one is closed");
    }
    thread.scope = outer;
    for (int i = tensors.size() - 1; i >= 0; i--) {
      tensors.get(i).release();
    }
    tensors.clear();
  }
}
