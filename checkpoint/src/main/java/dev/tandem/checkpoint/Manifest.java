package dev.tandem.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.WorkFailedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What a checkpoint says of itself: its shards with their lengths, the checksum of every tensor,
 * and the values that are no tensors.
 *
 * @param format version of this layout
 * @param tensors CRC-32C of each tensor's bytes
 */
record Manifest(
    int format,
    long step,
    Map<String, Long> shards,
    Map<String, Long> tensors,
    Map<String, String> values) {

  static final int FORMAT = 1;
  static final String FILE = "manifest.json";

  private static final ObjectMapper JSON = new ObjectMapper();

  ByteBuffer encode() {
    try {
      return ByteBuffer.wrap(JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  static Manifest decode(byte[] json, String name) {
    try {
      Manifest manifest = JSON.readValue(new String(json, StandardCharsets.UTF_8), Manifest.class);
      if (manifest.format() != FORMAT) {
        throw new WorkFailedException(
            "%s has format %d, this version reads %d".formatted(name, manifest.format(), FORMAT));
      }
      return manifest;
    } catch (JsonProcessingException e) {
      throw new WorkFailedException(name + " is damaged: no readable manifest", e);
    }
  }
}
