/**
 * The folder of a run as a whole: which process works on it, and how it stands. Whoever starts a
 * run ({@code tandem train}, or rank 0 of a program) holds its lock and writes its {@code
 * run.json}.
 */
package dev.tandem.train.run;
