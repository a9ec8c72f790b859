/**
 * The benchmark of training steps on a GPU: Tandem against the machine's own Python with PyTorch,
 * on the same GPU in the same run.
 *
 * <p>Before anything is measured, both sides train the same network from the same parameters on the
 * same batches, and their losses are compared. Then each case is trained by both in turns, with the
 * batch on the GPU and the update included. Memory: each side frees what a case took before the
 * next one. Threads: each side is a process that computes with one.
 */
package dev.tandem.bench.gpu;
