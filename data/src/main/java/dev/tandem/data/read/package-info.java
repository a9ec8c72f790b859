/**
 * The path of records from an LMDB database to those that use them.
 *
 * <p>For loaders: {@link dev.tandem.data.read.LmdbSources} opens a database by the read mode of a
 * {@link dev.tandem.data.read.LoadRequest}. The loader's plan says which records a rank needs in
 * which step; a mode merely brings their bytes, so that exact epochs, resuming and any number of
 * ranks are the same in all of them. Data that fits into free memory is brought into the page cache
 * during the first epoch.
 *
 * <p>For {@code tandem data read}: {@link dev.tandem.data.read.ReadJob} is one process's part of
 * reading batches with several processes, {@link dev.tandem.data.read.ReadLaunch} starts all of
 * them. The modes are in {@code mode}, requests to the storage in {@code request}.
 *
 * <p>Threads: sources may be used by several. Memory: a block's is its own until it is closed.
 */
package dev.tandem.data.read;
