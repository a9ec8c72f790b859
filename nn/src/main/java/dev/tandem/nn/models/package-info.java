/**
 * Networks by name. Each class here gives a {@link dev.tandem.nn.spec.NetworkSpec} and, where there
 * is a well-tried way to train it, the numbers of that way; nothing here needs the engine.
 */
package dev.tandem.nn.models;
