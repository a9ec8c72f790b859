package dev.tandem.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.nio.charset.StandardCharsets;

/** Records as JSON and back: the only form in which anything but tensors is kept or sent. */
final class Json {

  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private Json() {}

  static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What another rank of the same job has sent. */
  static <T> T read(byte[] json, TypeReference<T> type) {
    try {
      return MAPPER.readValue(new String(json, StandardCharsets.UTF_8), type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("another rank sent something unreadable", e);
    }
  }
}
