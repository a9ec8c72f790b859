/**
 * Networks as TorchScript files, by {@link dev.tandem.nn.torchscript.TorchScriptFile}: programs
 * with their weights that {@code torch.jit.load} of Python and C++ opens without Tandem.
 *
 * <p>A {@code ScriptSource} writes the network as a method, an operation of PyTorch for each layer;
 * the engine compiles it and writes the archive. Only operations that PyTorch has had for years are
 * used, so that older releases than the engine's open the file too. Any thread may call.
 */
package dev.tandem.nn.torchscript;
