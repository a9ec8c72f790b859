package dev.tandem.data.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.Datum;
import dev.tandem.data.RecordSource;
import dev.tandem.data.RecordSourceContract;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives are made by the system's tar, so that another program's idea of the format is read. */
class TarSourceTest extends RecordSourceContract {

  /** Longer than the hundred bytes of a plain header, and than its prefix takes. */
  private static final String LONG = "a-rather-long-name-of-a-folder/".repeat(9);

  private static String stem(int sample) {
    return (sample == 7 ? LONG : "") + "sample%03d".formatted(sample);
  }

  private static byte[] image(int sample) throws IOException {
    return sample % 2 == 0 ? TestImages.png(sample, 5, 4) : TestImages.jpeg(sample, 5, 4);
  }

  private Path shard(String name, String format, int from, int to) throws Exception {
    Path content = Files.createDirectories(folder.resolve("content-" + name));
    List<String> command =
        new ArrayList<>(
            List.of("tar", "--format=" + format, "-cf", folder.resolve(name).toString()));
    command.addAll(List.of("-C", content.toString(), "--no-recursion"));
    for (int sample = from; sample < to; sample++) {
      String stem = stem(sample);
      Path parent = content.resolve(stem).getParent();
      Files.createDirectories(parent);
      String ending = sample % 2 == 0 ? ".png" : ".jpg";
      Files.write(content.resolve(stem + ending), image(sample));
      Files.writeString(content.resolve(stem + ".cls"), sample % 5 + "\n");
      Files.writeString(content.resolve(stem + ".json"), "{}");
      command.addAll(List.of(stem + ".cls", stem + ".json", stem + ending));
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), output);
    return folder.resolve(name);
  }

  @Override
  protected RecordSource open() throws Exception {
    return open("gnu");
  }

  private RecordSource open(String format) throws Exception {
    shard("shard-9.tar", format, 0, 12);
    shard("shard-10.tar", format, 12, 25);
    return Sources.open(folder, SourceFormat.Split.TRAIN);
  }

  @Override
  protected List<DataRecord> expected() throws IOException {
    List<DataRecord> records = new ArrayList<>();
    for (int sample = 0; sample < 25; sample++) {
      byte[] value = Datum.encodeFile(MemorySegment.ofArray(image(sample)), sample % 5);
      records.add(
          new DataRecord(
              MemorySegment.ofArray(stem(sample).getBytes(UTF_8)), MemorySegment.ofArray(value)));
    }
    return records;
  }

  @ParameterizedTest
  @ValueSource(strings = {"gnu", "pax", "oldgnu"})
  void formatsOfTarAreRead(String format) throws Exception {
    try (RecordSource source = open(format)) {
      List<DataRecord> expected = expected();
      assertEquals(25, source.size());
      for (int i = 0; i < 25; i++) {
        assertEquals(-1, expected.get(i).key().mismatch(source.record(i).key()));
        assertEquals(-1, expected.get(i).value().mismatch(source.record(i).value()));
      }
    }
  }

  @Test
  void cutShardsAreNamed() throws Exception {
    Path shard = shard("shard.tar", "gnu", 0, 3);
    byte[] whole = Files.readAllBytes(shard);
    // Within a header, and within the image that follows the third header.
    for (int length : new int[] {100, 512 + 512 + 77, 5 * 512 + 100}) {
      Path cut = Files.write(folder.resolve("cut.tar"), Arrays.copyOf(whole, length));
      var e = assertThrows(WorkFailedException.class, () -> TarSource.open(List.of(cut)));
      assertTrue(e.getMessage().startsWith(cut + " is cut short"), e.getMessage());
    }
    Path noTar = Files.write(folder.resolve("no.tar"), new byte[] {1, 2, 3});
    assertThrows(WorkFailedException.class, () -> TarSource.open(List.of(noTar)));
    Path empty = Files.write(folder.resolve("empty.tar"), new byte[0]);
    var e = assertThrows(WorkFailedException.class, () -> TarSource.open(List.of(empty)));
    assertEquals("no image with a .cls file beside it is in " + empty, e.getMessage());
    Path gzip = Files.write(folder.resolve("gzip.tar"), new byte[] {0x1f, (byte) 0x8b, 8, 0});
    e = assertThrows(WorkFailedException.class, () -> TarSource.open(List.of(gzip)));
    assertTrue(e.getMessage().contains("is compressed"), e.getMessage());
  }

  @Test
  void damageGivesOneLineOrIsNotNoticed() throws Exception {
    Path shard = shard("shard.tar", "pax", 5, 9);
    byte[] whole = Files.readAllBytes(shard);
    SplittableRandom random = TestSeed.of(getClass()).random();
    for (int round = 0; round < 300; round++) {
      byte[] bad = Arrays.copyOf(whole, random.nextInt(1, whole.length + 1));
      for (int i = 0; i < 3; i++) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt();
      }
      Path damaged = Files.write(folder.resolve("damaged.tar"), bad);
      try (RecordSource source = TarSource.open(List.of(damaged))) {
        source.record(0);
      } catch (WorkFailedException e) {
        assertEquals(1, e.getMessage().lines().count());
      }
    }
  }

  @Test
  void aSampleWithoutClassIsNamed() throws Exception {
    Path content = Files.createDirectories(folder.resolve("content"));
    Files.write(content.resolve("x.png"), TestImages.png(1, 2, 2));
    Path shard = folder.resolve("x.tar");
    Process process =
        new ProcessBuilder("tar", "-cf", shard.toString(), "-C", content.toString(), "x.png")
            .inheritIO()
            .start();
    assertEquals(0, process.waitFor());
    var e = assertThrows(WorkFailedException.class, () -> TarSource.open(List.of(shard)));
    assertEquals("sample x in " + shard + " has no .cls file beside its image", e.getMessage());
  }
}
