/**
 * The operating system: durable files, shared memory, direct reads, futexes, affinity, resource
 * usage and the threads of native libraries. The only module with foreign-function calls;
 * everything above it is plain Java.
 *
 * <p>Native access comes as an {@link java.util.Optional}-like answer with a reason: where a call
 * is missing (another platform, a flag not passed), callers learn why and choose another way.
 */
package dev.tandem.posix;
