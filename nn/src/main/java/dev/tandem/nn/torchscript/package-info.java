/**
 * Networks as TorchScript files, by {@link dev.tandem.nn.torchscript.TorchScriptFile}: programs
 * with their weights that {@code torch.jit.load} of Python and C++ opens without Tandem.
 *
 * <p>An archive is a zip file. It has the network as source text, an operation of PyTorch for each
 * layer; the modules that hold its tensors, as a pickle; and the data of each tensor. The engine
 * has no part in it. Only operations that PyTorch has had for years are used, so that old releases
 * open the file too. Any thread may call.
 */
package dev.tandem.nn.torchscript;
