package dev.tandem.train.tensorboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file read back by a program that shares nothing with us: Python, standard library alone. */
class EventFileTest {

  private static final String READER =
      """
      import struct, sys

      def crc32c(data):
          crc = 0xFFFFFFFF
          for byte in data:
              crc ^= byte
              for _ in range(8):
                  crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
          return crc ^ 0xFFFFFFFF

      def masked(data):
          crc = crc32c(data)
          return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF

      def varint(data, at):
          value = shift = 0
          while True:
              byte = data[at]
              at += 1
              value |= (byte & 0x7F) << shift
              shift += 7
              if byte < 0x80:
                  return value, at

      def fields(data):
          at = 0
          while at < len(data):
              key, at = varint(data, at)
              kind = key & 7
              if kind == 0:
                  value, at = varint(data, at)
              elif kind == 1:
                  value, at = struct.unpack('<d', data[at:at + 8])[0], at + 8
              elif kind == 5:
                  value, at = struct.unpack('<f', data[at:at + 4])[0], at + 4
              else:
                  size, at = varint(data, at)
                  value, at = data[at:at + size], at + size
              yield key >> 3, value

      data = open(sys.argv[1], 'rb').read()
      at = 0
      while at < len(data):
          (size, check) = struct.unpack('<QI', data[at:at + 12])
          assert check == masked(data[at:at + 8]), 'length'
          event = data[at + 12:at + 12 + size]
          assert struct.unpack('<I', data[at + 12 + size:at + 16 + size])[0] == masked(event), 'data'
          at += 16 + size
          time = step = None
          for field, value in fields(event):
              if field == 1: time = value
              if field == 2: step = value
              if field == 3: print('version', value.decode(), time)
              if field == 7: print('session', step, list(fields(value)))
              if field == 5:
                  for _, item in fields(value):
                      parts = dict(fields(item))
                      if 8 in parts:
                          plugin = dict(fields(dict(fields(parts[9]))[1]))[1].decode()
                          tensor = dict(fields(parts[8]))
                          assert tensor[1] == 7, 'type'
                          print(plugin, step, parts[1].decode(), tensor[8].decode())
                          continue
                      print('value', step, parts[1].decode(), parts[2])
      """;

  @TempDir Path folder;

  private List<String> read(Path file) throws Exception {
    ProcessBuilder reader = new ProcessBuilder("python3", "-c", READER, file.toString());
    reader.environment().put("PYTHONIOENCODING", "utf-8"); // whatever the locale
    Process process = reader.start();
    String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    List<String> lines = process.inputReader(StandardCharsets.UTF_8).lines().toList();
    assertEquals(0, process.waitFor(), errors);
    return lines;
  }

  private static boolean python() {
    try {
      return new ProcessBuilder("python3", "--version").start().waitFor() == 0;
    } catch (IOException | InterruptedException e) {
      return false;
    }
  }

  @Test
  void anIndependentReaderUnderstandsIt() throws Exception {
    assumeTrue(python(), "python3 is not installed");
    Clock clock = Clock.fixed(Instant.ofEpochMilli(1_700_000_000_500L), ZoneOffset.UTC);
    Path first;
    try (EventFile file = EventFile.create(folder, 0, clock, line -> {})) {
      first = file.path();
      file.add(1, Map.of("train/loss", 2.5));
      file.add(300, Map.of("train/loss", Double.NaN));
      file.addText(301, "config", "epochs: 5");
      file.add(1L << 40, Map.of("Genauigkeit äöü", 0.25));
    }
    assertTrue(first.getFileName().toString().startsWith("events.tfevents.1700000000"));
    assertEquals(
        List.of(
            "version brain.Event:2 1700000000.5",
            "value 1 train/loss 2.5",
            "value 300 train/loss nan",
            "text 301 config epochs: 5",
            "value 1099511627776 Genauigkeit äöü 0.25"),
        read(first));
    try (EventFile resumed = EventFile.create(folder, 200, clock, line -> {})) {
      resumed.flush();
      assertNotEquals(first, resumed.path());
      assertEquals("session 201 [(1, 1)]", read(resumed.path()).getLast());
    }
  }
}
