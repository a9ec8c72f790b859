/**
 * Readers of data sets in formats of their own: IDX, CIFAR-10, tar archives, folders of images, and
 * how to tell them apart. Both importing and reading in place use them.
 *
 * <p>A file that is damaged or cut short is one line that names it.
 */
package dev.tandem.data.format;
