/**
 * The protocol buffer encoding (protobuf.dev/programming-guides/encoding): Caffe's Datum, ONNX
 * models and TensorBoard's events are read and written here. The encoding is small, and Google's
 * library goes through {@code sun.misc.Unsafe}, of which the JVM warns.
 */
package dev.tandem.core.protobuf;
