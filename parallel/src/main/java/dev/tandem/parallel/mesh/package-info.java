/** How ranks stand to each other, and which part of a tensor each of them has. */
package dev.tandem.parallel.mesh;
