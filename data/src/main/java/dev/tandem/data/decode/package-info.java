/**
 * From record to sample. A {@link dev.tandem.data.decode.SampleDecoder} is given records of one
 * format: Caffe Datum (plain pixels or an image file inside), raw bytes of a declared shape, image
 * files. Users add their own.
 *
 * <p>Promises: whatever a record holds, the outcome is a sample or a {@link
 * dev.tandem.core.WorkFailedException}. Threads: decoders are called by several at once. Memory: a
 * sample may be a view of its record.
 */
package dev.tandem.data.decode;
