/**
 * The text format of {@code mdb_dump} and {@code mdb_load}, which Berkeley DB's tools began: a
 * header, then a line per key and per value, in hexadecimal or with printable characters as they
 * are. {@link dev.tandem.data.dumping.DumpWriter} writes byte for byte what Debian's {@code
 * mdb_dump} writes.
 */
package dev.tandem.data.dumping;
