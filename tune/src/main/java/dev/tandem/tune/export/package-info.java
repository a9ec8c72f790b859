/** Studies in the formats of other programs. Pure functions. */
package dev.tandem.tune.export;
