package dev.tandem.data.source;

import dev.tandem.data.DataRecord;
import dev.tandem.data.Datum;
import dev.tandem.data.format.ImageFolder;
import dev.tandem.data.format.Keys;
import java.lang.foreign.MemorySegment;

/** The images of a folder; a file is opened when its record is asked for. */
public final class ImageFolderSource extends CopyingSource {

  private static final int KEY_DIGITS = 8;

  private final ImageFolder folder;

  public ImageFolderSource(ImageFolder folder) {
    this.folder = folder;
  }

  @Override
  public long size() {
    return folder.files().size();
  }

  @Override
  DataRecord make(long ordinal) {
    ImageFolder.ImageFile file = folder.files().get((int) ordinal);
    byte[] value = Datum.encodeFile(MemorySegment.ofArray(file.read()), file.label());
    byte[] key = Keys.padded(ordinal, KEY_DIGITS, "_" + file.name());
    return new DataRecord(MemorySegment.ofArray(key), MemorySegment.ofArray(value));
  }

  @Override
  public void close() {
    // No file stays open.
  }
}
