/** The benchmark of collectives: Tandem against Open MPI, MPICH and Gloo. */
package dev.tandem.bench.collective;
