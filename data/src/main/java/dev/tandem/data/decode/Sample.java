package dev.tandem.data.decode;

import dev.tandem.data.image.Image;

/** An image and its class; the pixels may be borrowed from the record. */
public record Sample(Image image, int label) {}
