package dev.tandem.data.source;

import dev.tandem.core.WorkFailedException;
import dev.tandem.data.DataRecord;
import dev.tandem.data.Datum;
import dev.tandem.data.format.ImageFolder;
import dev.tandem.data.format.MappedFile;
import dev.tandem.data.format.TarMembers;
import dev.tandem.data.format.TarMembers.Member;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Tar shards in the layout of WebDataset: neighbouring files whose names are equal up to the first
 * dot are one sample, with an image (.jpg, .jpeg, .png, .bmp, .gif) and its class as a decimal
 * number (.cls); other files are ignored. Opening reads all headers; shards are mapped.
 */
public final class TarSource extends CopyingSource {

  private static final String LABEL = "cls";
  private static final int LONGEST_LABEL = 32;

  /** An image and its class. */
  private record Entry(MemorySegment image, String key, int label) {}

  private final Arena arena;
  private final List<Entry> entries;

  private TarSource(Arena arena, List<Entry> entries) {
    this.arena = arena;
    this.entries = entries;
  }

  /** Opens shards, whose samples are numbered through in the order given. */
  public static TarSource open(List<Path> shards) {
    Arena arena = Arena.ofShared();
    try {
      List<Entry> entries = new ArrayList<>();
      for (Path shard : shards) {
        MemorySegment archive = MappedFile.map(shard, arena);
        refuseCompressed(shard, archive);
        Grouping grouping = new Grouping(shard, archive, entries);
        TarMembers.each(shard, archive, grouping::add);
        grouping.endSample();
      }
      if (entries.isEmpty()) {
        throw new WorkFailedException(
            "no image with a .cls file beside it is in " + shards.getFirst());
      }
      return new TarSource(arena, entries);
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  private static void refuseCompressed(Path shard, MemorySegment archive) {
    if (archive.byteSize() > 2
        && archive.get(ValueLayout.JAVA_BYTE, 0) == 0x1f
        && archive.get(ValueLayout.JAVA_BYTE, 1) == (byte) 0x8b) {
      throw new WorkFailedException(
          shard + " is compressed and cannot be read in any order; unpack it with gunzip");
    }
  }

  @Override
  public long size() {
    return entries.size();
  }

  @Override
  DataRecord make(long ordinal) {
    Entry entry = entries.get((int) ordinal);
    byte[] value = Datum.encodeFile(entry.image, entry.label);
    byte[] key = entry.key.getBytes(StandardCharsets.UTF_8);
    return new DataRecord(MemorySegment.ofArray(key), MemorySegment.ofArray(value));
  }

  @Override
  public void close() {
    arena.close();
  }

  /** Collects the files of a sample. */
  private static final class Grouping {

    private final Path shard;
    private final MemorySegment archive;
    private final List<Entry> entries;
    private String key;
    private Member image;
    private Member label;

    Grouping(Path shard, MemorySegment archive, List<Entry> entries) {
      this.shard = shard;
      this.archive = archive;
      this.entries = entries;
    }

    void add(Member member) {
      int slash = member.name().lastIndexOf('/');
      int dot = member.name().indexOf('.', slash + 1);
      if (dot <= slash + 1) {
        // No ending, or a hidden file.
        return;
      }
      String own = member.name().substring(0, dot);
      if (!own.equals(key)) {
        endSample();
        key = own;
      }
      String ending = member.name().substring(dot + 1);
      if (ending.equals(LABEL)) {
        label = member;
      } else if (ImageFolder.ENDINGS.contains(ImageFolder.ending("." + ending))
          && ending.indexOf('.') < 0) {
        image = member;
      }
    }

    /** The sample is complete; a group without an image is none. */
    void endSample() {
      if (image != null) {
        if (label == null) {
          throw new WorkFailedException(
              "sample %s in %s has no .cls file beside its image".formatted(key, shard));
        }
        entries.add(new Entry(archive.asSlice(image.offset(), image.size()), key, number()));
      }
      key = null;
      image = null;
      label = null;
    }

    private int number() {
      long length = Math.min(label.size(), LONGEST_LABEL);
      byte[] bytes = archive.asSlice(label.offset(), length).toArray(ValueLayout.JAVA_BYTE);
      String text = new String(bytes, StandardCharsets.UTF_8).strip();
      try {
        return Integer.parseInt(text);
      } catch (NumberFormatException e) {
        throw new WorkFailedException(
            "%s in %s is '%s', not the number of a class".formatted(label.name(), shard, text), e);
      }
    }
  }
}
