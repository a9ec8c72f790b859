/**
 * What networks are, without the engine: layers, their shapes and parameters, and the graph that
 * they form.
 *
 * <p>A {@link dev.tandem.nn.spec.LayerSpec} is one layer, a {@link dev.tandem.nn.spec.NetworkSpec}
 * the graph, built by a {@link dev.tandem.nn.spec.NetworkBuilder} or read by {@link
 * dev.tandem.nn.spec.NetworkYaml}. Whatever does not fit is refused when the graph is made, with
 * one line that names the layer and the shapes. Everything here is immutable but the builder, and
 * allocates no tensor: the parameters of a network of any size can be counted on any machine.
 */
package dev.tandem.nn.spec;
