/** The safetensors format: tensors of a file by name, type and shape. */
package dev.tandem.core.safetensors;
