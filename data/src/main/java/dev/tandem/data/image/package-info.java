/**
 * Images in memory: {@link dev.tandem.data.image.PlanarImage} owns pixels, {@link
 * dev.tandem.data.image.Image} is a view that can be cut and mirrored without a copy, {@link
 * dev.tandem.data.image.ImageFiles} decodes JPEG, PNG and what else ImageIO reads.
 *
 * <p>Planes are blue, green, red, as Caffe and OpenCV have them. Threads: all types are immutable.
 */
package dev.tandem.data.image;
