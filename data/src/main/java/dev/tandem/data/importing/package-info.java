/**
 * New databases from other data: {@link dev.tandem.data.importing.Importer}s hand out records, one
 * per source format, and {@link dev.tandem.data.importing.DatabaseBuilder} writes them to a pending
 * folder that gets its name only when it is whole.
 *
 * <p>Records are laid out as Caffe's tools do it ({@code convert_imageset}, {@code
 * convert_cifar_data}, {@code convert_mnist_data}), so that their databases and ours are
 * interchangeable.
 *
 * <p>Threads: an importer and a builder are used by one thread; decoding images uses the common
 * pool. Memory: a bounded number of records, whatever the size of the source.
 */
package dev.tandem.data.importing;
