/**
 * How a way to train will go on some devices: time of an iteration by what it goes into, memory,
 * bytes sent. Nothing is measured or trained here; what layers and collectives take comes from
 * {@code oracle.profile} and {@code oracle.collective}, what ranks compute, send and hold from
 * {@code parallel}.
 */
package dev.tandem.oracle.projection;
