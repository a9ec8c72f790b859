/**
 * The LMDB 0.9 file format in Java, without liblmdb. This package reads: an {@link
 * dev.tandem.lmdb.Environment}, its snapshots, their databases and cursors.
 *
 * <p>{@link dev.tandem.lmdb.index} has the exact location of every record, {@link
 * dev.tandem.lmdb.write} a crash-safe writer whose files liblmdb opens and goes on writing, {@link
 * dev.tandem.lmdb.check} the check of a whole file. They use {@link dev.tandem.lmdb.page}, which is
 * internal to this module.
 */
package dev.tandem.lmdb;
