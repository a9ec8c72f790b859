/**
 * Data sets in formats of their own behind {@link dev.tandem.data.RecordSource}: folders of images,
 * IDX, CIFAR-10, tar shards. {@link dev.tandem.data.source.Sources} opens whatever a path is.
 *
 * <p>Promises: every record is a Caffe Datum, as if it had been imported, so that the same decoder
 * reads all sources; a file that is damaged or cut short is one line that names it, when the source
 * is opened wherever its size or index tells. Threads: sources may be read by several. Memory:
 * files are mapped where they are plain; records are copies of the garbage collector's.
 */
package dev.tandem.data.source;
