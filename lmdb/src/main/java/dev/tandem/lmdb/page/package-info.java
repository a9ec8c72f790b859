/**
 * Pages and trees as they lie in the file; {@link dev.tandem.lmdb.page.PageFormat} knows the bytes,
 * nothing else does.
 *
 * <p>Internal: not to be imported outside module {@code lmdb}, except for the exceptions that
 * readers throw, {@link dev.tandem.lmdb.page.DamagedDatabaseException} and {@link
 * dev.tandem.lmdb.page.SnapshotOverwrittenException}.
 */
package dev.tandem.lmdb.page;
