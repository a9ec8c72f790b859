/** NumPy's file format for one array. */
package dev.tandem.core.numpy;
