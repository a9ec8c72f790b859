package dev.tandem.data.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.Datum;
import dev.tandem.data.RecordSource;
import dev.tandem.data.decode.DatumDecoder;
import dev.tandem.data.format.ImageFolder;
import dev.tandem.data.format.ImageHalves;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.data.image.Image;
import dev.tandem.data.image.PlanarImage;
import dev.tandem.data.read.mode.Locate;
import dev.tandem.testkit.TestSeed;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders of images as users have them: in halves or not, with names. */
class OwnImagesTest {

  @TempDir Path folder;
  private final SplittableRandom random = TestSeed.of(getClass()).random();

  private void image(String... path) throws IOException {
    Path file = folder.resolve(String.join("/", path));
    Files.createDirectories(file.getParent());
    Files.write(file, TestImages.png(1, 2, 2));
  }

  private List<String> names(Split half) {
    return DataPart.of(folder, half).images().files().stream()
        .map(file -> file.label() + " " + file.name())
        .toList();
  }

  @Test
  void trainAndValAreHalvesWhoseClassesHaveTheSameNumbers() throws IOException {
    image("Train", "cat", "1.png");
    image("Train", "dog", "2.png");
    image("Train", "eel", "3.png");
    image("VAL", "eel", "4.png"); // by itself it would be class 0
    ImageHalves halves = ImageHalves.of(folder).orElseThrow();
    assertEquals("trains on Train/, tests with VAL/", halves.line());
    assertEquals(List.of("0 cat/1.png", "1 dog/2.png", "2 eel/3.png"), names(Split.TRAIN));
    assertEquals(List.of("2 eel/4.png"), names(Split.TEST));
    image("test", "dog", "5.png");
    assertTrue(ImageHalves.of(folder).orElseThrow().line().contains("test/ is left for the end"));
    assertEquals(List.of("2 eel/4.png"), names(Split.TEST));
    image("VAL", "fox", "6.png");
    var e = assertThrows(UsageException.class, () -> names(Split.TEST));
    assertTrue(e.getMessage().contains("subfolder 'fox'"), e.getMessage());
  }

  @Test
  void aClassMayBeCalledTrain() throws IOException {
    image("train", "1.png");
    image("car", "1.png");
    assertTrue(ImageHalves.of(folder).isEmpty());
    assertEquals(List.of("car", "train"), ClassNames.of(folder));
    image("test", "1.png"); // images right in it
    assertTrue(ImageHalves.of(folder).isEmpty());
  }

  @Test
  void labelsTxtNamesTheSubfolders() throws IOException {
    image("n01", "1.png");
    image("n02", "1.png");
    assertEquals(List.of("n01", "n02"), ClassNames.of(folder));
    Path file = folder.resolve("labels.txt");
    Files.writeString(file, "tench\ngoldfish\n");
    assertEquals(List.of("tench", "goldfish"), ClassNames.of(folder));
    Files.writeString(file, "n02 great white shark\nn01 tench\n");
    assertEquals(List.of("tench", "great white shark"), ClassNames.of(folder));
    Files.writeString(file, "n02\nn01\n");
    assertEquals(List.of("n02", "n01"), ClassNames.of(folder));
    DataPart part = DataPart.of(folder, Split.TRAIN).named(ClassNames.of(folder));
    assertEquals(1, part.images().files().getFirst().label(), "in the order of the file");
    Files.writeString(file, "one\n");
    var e = assertThrows(UsageException.class, () -> ClassNames.of(folder));
    assertTrue(e.getMessage().contains("1 lines, but there are 2 subfolders"), e.getMessage());
  }

  @Test
  void imagesRightInTheFolderAreExplained() throws IOException {
    image("1.png");
    var e = assertThrows(WorkFailedException.class, () -> names(Split.TRAIN));
    assertTrue(e.getMessage().contains("1 right in it"), e.getMessage());
  }

  @RepeatedTest(5)
  void aSplitLeavesAPartOfEachClassForTests() {
    List<ImageFolder.ImageFile> files = new ArrayList<>();
    List<String> labels = List.of("a", "b", "c");
    for (String label : labels) {
      int count = random.nextInt(2, 60);
      for (int i = 0; i < count; i++) {
        String name = label + "/" + i + ".png";
        files.add(new ImageFolder.ImageFile(Path.of(name), name, labels.indexOf(label)));
      }
    }
    ImageFolder all = new ImageFolder(files, labels, List.of());
    double fraction = random.nextDouble(0.01, 0.99);
    Seed seed = new Seed(random.nextLong());
    List<ImageFolder.ImageFile> train = all.half(Split.TRAIN, fraction, seed).files();
    List<ImageFolder.ImageFile> test = all.half(Split.TEST, fraction, seed).files();
    assertEquals(test, all.half(Split.TEST, fraction, seed).files());
    Set<ImageFolder.ImageFile> both = new HashSet<>(train);
    both.addAll(test);
    assertEquals(new HashSet<>(files), both);
    assertEquals(files.size(), train.size() + test.size());
    for (int label = 0; label < 3; label++) {
      int wanted = label;
      long own = files.stream().filter(file -> file.label() == wanted).count();
      long tested = test.stream().filter(file -> file.label() == wanted).count();
      assertTrue(tested >= 1 && tested < own, tested + " of " + own);
      assertEquals((double) own * fraction, (double) tested, 1.01);
    }
  }

  /** Records that are their own numbers. */
  private record Numbers(long size) implements RecordSource {
    @Override
    public DataRecord record(long ordinal) {
      return new DataRecord(
          MemorySegment.ofArray(new byte[0]), MemorySegment.ofArray(new long[] {ordinal}));
    }

    @Override
    public void close() {}
  }

  private static List<Long> numbers(RecordSource source) {
    List<Long> numbers = new ArrayList<>();
    long[] all = new long[(int) source.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = i;
    }
    try (var block = source.fetch(all)) {
      for (int i = 0; i < block.size(); i++) {
        long number = block.record(i).value().get(ValueLayout.JAVA_LONG, 0);
        assertEquals(number, source.record(i).value().get(ValueLayout.JAVA_LONG, 0));
        numbers.add(number);
      }
    }
    return numbers;
  }

  @RepeatedTest(10)
  void otherSourcesAreSplitByTheNumbersOfTheirRecords() {
    long size = random.nextLong(2, 500);
    double fraction = random.nextDouble(0.01, 0.99);
    Seed seed = new Seed(random.nextLong());
    List<Long> train = numbers(new SplitSource(new Numbers(size), Split.TRAIN, fraction, seed));
    List<Long> test = numbers(new SplitSource(new Numbers(size), Split.TEST, fraction, seed));
    assertEquals(train.stream().sorted().toList(), train, "in order");
    assertEquals(size, train.size() + test.size());
    Set<Long> both = new HashSet<>(train);
    both.addAll(test);
    assertEquals(size, both.size());
    assertFalse(test.isEmpty() || train.isEmpty());
    assertEquals(size * fraction, test.size(), 1.01);
  }

  @Test
  void oneRecordCannotBeSplit() {
    var e =
        assertThrows(
            UsageException.class,
            () -> new SplitSource(new Numbers(1), Split.TEST, 0.1, new Seed(1)));
    assertTrue(e.getMessage().contains("1 records cannot be split"), e.getMessage());
  }

  @Test
  void greyBecomesColourAndBack() {
    byte[] pixels = new byte[3 * 5 * 4];
    random.nextBytes(pixels);
    DataRecord colour = record(Datum.of(3, 5, 4, 7, pixels).encode());
    Image grey = new DatumDecoder(1).decode(colour).image();
    assertEquals(1, grey.channels());
    for (int i = 0; i < 20; i++) {
      int expected =
          PlanarImage.grey(pixels[i] & 0xFF, pixels[20 + i] & 0xFF, pixels[40 + i] & 0xFF);
      assertEquals(expected, grey.planar().pixels()[i] & 0xFF);
    }
    Image back =
        new DatumDecoder(3)
            .decode(record(Datum.of(1, 5, 4, 7, grey.planar().pixels()).encode()))
            .image();
    assertEquals(3, back.channels());
    for (int i = 0; i < 60; i++) {
      assertEquals(grey.planar().pixels()[i % 20], back.planar().pixels()[i]);
    }
  }

  private static DataRecord record(byte[] value) {
    return new DataRecord(MemorySegment.ofArray(new byte[0]), MemorySegment.ofArray(value));
  }

  @Test
  void aSplitFolderOpensAsTwoSources() throws IOException {
    for (int i = 0; i < 10; i++) {
      image("a", i + ".png");
      image("b", i + ".png");
    }
    DataPart part = new DataPart(folder, Split.TEST, 0.2, new Seed(3), folder, List.of("a", "b"));
    try (RecordSource source = Sources.open(part, Locate.AUTO)) {
      assertEquals(4, source.size());
    }
  }
}
