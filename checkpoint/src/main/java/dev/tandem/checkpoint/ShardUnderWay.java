package dev.tandem.checkpoint;

import java.util.Optional;

/**
 * One rank's part of a checkpoint on its way to the disk: what it will be is known, {@link #finish}
 * returns when it is there. One thread; closing waits until nothing is being written any more.
 */
final class ShardUnderWay implements AutoCloseable {

  /**
   * A file and the name that it has.
   *
   * @param bytes that the file will have
   * @param named under way as well
   */
  private record File(BlockWriter blocks, long bytes, AsyncTask named) {}

  private final Part part;
  private final Optional<File> file;

  private ShardUnderWay(Part part, Optional<File> file) {
    this.part = part;
    this.file = file;
  }

  static ShardUnderWay of(Part part, BlockWriter blocks, long bytes, AsyncTask named) {
    return new ShardUnderWay(part, Optional.of(new File(blocks, bytes, named)));
  }

  /** There is nothing to write, or it cannot be written. */
  static ShardUnderWay nothing(Part part) {
    return new ShardUnderWay(part, Optional.empty());
  }

  /** What the manifest will say, or why there will be none. */
  Part part() {
    return part;
  }

  /** When it returns, the shard and its name survive a power loss. */
  void finish() {
    file.ifPresent(
        written -> {
          written.blocks.finish(written.bytes);
          written.named.await();
        });
  }

  @Override
  public void close() {
    file.ifPresent(written -> written.blocks.close());
  }
}
