/**
 * Tensors in files of other programs: plain safetensors and numpy's NPZ, so that weights made in
 * Python come in and ours go out. Nothing in such a file is ever executed or deserialised as an
 * object; what has no plain type is refused by name.
 *
 * <p>Tensors that are read belong to the arena that the caller gives.
 */
package dev.tandem.checkpoint.exchange;
