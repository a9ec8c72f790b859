/**
 * The LMDB 0.9 file format in Java, without liblmdb: a reader of any layout, an exact record index,
 * and a crash-safe writer whose files liblmdb opens and goes on writing.
 *
 * <p>{@link dev.tandem.lmdb.PageFormat} knows the bytes; nothing else does.
 */
package dev.tandem.lmdb;
