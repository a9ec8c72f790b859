package dev.tandem.nn.internal;

import dev.tandem.nn.internal.ImageWindows.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;

/**
 * Who meets whom through the windows of a pooling: for each output the inputs in its window, or for
 * each input the outputs whose windows hold it. Places of the other image are told as offsets in
 * bytes from the first of them, so all places inside an image share a few lists, and a kernel has
 * one short loop without a division or a look at the border.
 */
final class WindowLinks {

  /** The places that one place is linked with. */
  static final class Group {

    /** Of each place from the first, in bytes. */
    final int[] offsets;

    /** Which element of its window the input is. */
    final short[] taps;

    /** What part of the mean over the window the input is. */
    final float[] shares;

    private Group(int size) {
      offsets = new int[size];
      taps = new short[size];
      shares = new float[size];
    }
  }

  /**
   * A link along one dimension.
   *
   * @param tap which element of the window the input is
   * @param width elements of the window
   */
  private record Link(int tap, int width) {}

  /** One dimension. */
  private static final class Lines {

    /** Of each place the first that it meets. */
    private final int[] firsts;

    /** And by which links, as a number. */
    private final int[] kinds;

    private final List<List<Link>> links = new ArrayList<>();

    Lines(int places, IntUnaryOperator first, IntFunction<List<Link>> linksOf) {
      firsts = new int[places];
      kinds = new int[places];
      for (int place = 0; place < places; place++) {
        List<Link> own = linksOf.apply(place);
        if (!links.contains(own)) {
          links.add(own);
        }
        firsts[place] = first.applyAsInt(place);
        kinds[place] = links.indexOf(own);
      }
    }
  }

  private final Lines lines;
  private final Lines columns;
  private final Group[][] groups;
  private final int lineBytes;
  private final int placeBytes;

  private WindowLinks(ImageWindows windows, Lines lines, Lines columns, int otherColumns) {
    this.lines = lines;
    this.columns = columns;
    placeBytes = windows.channels() * Short.BYTES;
    lineBytes = otherColumns * placeBytes;
    groups = new Group[lines.links.size()][columns.links.size()];
    for (int i = 0; i < groups.length; i++) {
      for (int j = 0; j < groups[i].length; j++) {
        groups[i][j] = group(lines.links.get(i), columns.links.get(j), windows.columns().kernel());
      }
    }
  }

  private Group group(List<Link> down, List<Link> along, int kernelColumns) {
    int size = down.size() * along.size();
    Group group = new Group(size);
    for (int i = 0; i < size; i++) {
      int line = i / along.size();
      int column = i % along.size();
      Link lineLink = down.get(line);
      Link columnLink = along.get(column);
      group.offsets[i] = line * lineBytes + column * placeBytes;
      group.taps[i] = (short) (lineLink.tap() * kernelColumns + columnLink.tap());
      group.shares[i] = 1f / (lineLink.width() * columnLink.width());
    }
    return group;
  }

  /** Of each output the inputs. */
  static WindowLinks ofOutputs(ImageWindows windows) {
    return new WindowLinks(
        windows, inputs(windows.lines()), inputs(windows.columns()), windows.columns().in());
  }

  /** Of each input the outputs. */
  static WindowLinks ofInputs(ImageWindows windows) {
    return new WindowLinks(
        windows, outputs(windows.lines()), outputs(windows.columns()), windows.columns().out());
  }

  private static Lines inputs(Side side) {
    return new Lines(
        side.out(),
        window -> Math.max(0, side.begin(window)),
        window -> {
          List<Link> links = new ArrayList<>();
          int end = Math.min(side.in(), side.begin(window) + side.kernel());
          for (int element = Math.max(0, side.begin(window)); element < end; element++) {
            links.add(link(side, element, window));
          }
          return links;
        });
  }

  private static Lines outputs(Side side) {
    return new Lines(
        side.in(),
        side::firstWindow,
        element -> {
          List<Link> links = new ArrayList<>();
          int last = side.lastWindow(element);
          for (int window = side.firstWindow(element); window <= last; window++) {
            links.add(link(side, element, window));
          }
          return links;
        });
  }

  private static Link link(Side side, int element, int window) {
    return new Link(element - side.begin(window), side.width(window));
  }

  /** The links of a place. */
  Group group(int line, int column) {
    return groups[lines.kinds[line]][columns.kinds[column]];
  }

  /** The offset in bytes of the first place that a place is linked with. */
  int first(int line, int column) {
    return lines.firsts[line] * lineBytes + columns.firsts[column] * placeBytes;
  }
}
