package dev.tandem.bench.strategies;

/**
 * What a layer takes in a step: forward and backward pass, with what travels for it.
 *
 * @param compute within the layer
 * @param copy packing and unpacking of what travels
 * @param transfer in transfers, most of it waiting for other ranks
 */
record LayerSeconds(double compute, double copy, double transfer) {}
