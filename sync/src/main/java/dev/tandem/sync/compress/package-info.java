/**
 * Sums with fewer bytes: what a tensor is written as when it travels ({@link
 * dev.tandem.sync.compress.Compression}), which tensors are ({@link
 * dev.tandem.sync.compress.CompressionRule}), and the sums themselves ({@link
 * dev.tandem.sync.compress.CompressedSum}, with {@code Note [compressed sums are deterministic]}).
 *
 * <p>Error feedback: what top-k and one-bit do not send is kept in {@link
 * dev.tandem.sync.compress.Residuals} and added to the next gradient of that name, so nothing is
 * lost, only late: over all transfers the sum of what was sent is the sum of the gradients less the
 * last residual. Residuals belong to a rank and to a run's state.
 *
 * <p>Threads: rules and compressions are values; a {@code CompressedSum} is for one thread, the
 * ledger for all. Memory: tensors are borrowed for the time of a call and become the sums in place;
 * payloads belong to the {@code CompressedSum}, residuals to the {@code Residuals}.
 */
package dev.tandem.sync.compress;
