/**
 * The compute engine: libtorch, called by the foreign function API. Used by {@code nn} alone.
 *
 * <p><b>How it calls.</b> {@link dev.tandem.nn.engine.Libtorch} loads the library from a folder and
 * finds the operations ({@code at::_ops::X::call}) by their C++ symbols. {@code CallBlock} lays out
 * the arguments of one call as the processor's C++ calling convention wants them; {@code Stub}, a
 * few instructions of machine code with unwind tables, makes the call and turns a C++ exception
 * into an {@link dev.tandem.nn.engine.EngineException}. Without it such an exception would end the
 * JVM.
 *
 * <p><b>Memory.</b> A {@link dev.tandem.nn.engine.Tensor} is made inside a {@link
 * dev.tandem.nn.engine.Scope} of its thread and freed when the scope ends, whether by an exception
 * or not; what must live longer is retained and later released. Tensors over memory of ours borrow
 * it: the memory must outlive them.
 *
 * <p><b>Threads.</b> Any platform thread may call; a tensor and a scope belong to one thread at a
 * time. Virtual threads are refused: the engine keeps settings for each thread of the system. The
 * engine never differentiates: every backward pass is written out in the layers.
 */
package dev.tandem.nn.engine;
