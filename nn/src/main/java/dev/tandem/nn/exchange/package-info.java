/**
 * Networks and weights between Tandem and other programs: {@link
 * dev.tandem.nn.exchange.NetworkFiles} reads and writes files of all kinds by their endings.
 *
 * <p>The kinds themselves are in {@code dev.tandem.nn.onnx}, {@code dev.tandem.nn.torchscript} and
 * {@code dev.tandem.nn.weights}. Any thread may call; memory as in {@link
 * dev.tandem.nn.weights.Weights}.
 */
package dev.tandem.nn.exchange;
