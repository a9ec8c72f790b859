package dev.tandem.lmdb.write;

/** A way from the root of a tree to a position in a leaf. */
final class TreePath {

  /** As deep as liblmdb goes; enough for any file. */
  static final int DEPTH = 32;

  final NodePage[] pages = new NodePage[DEPTH];
  final int[] index = new int[DEPTH];

  /** Level of the leaf; the root is level 0. */
  int top = -1;

  NodePage leaf() {
    return pages[top];
  }

  int position() {
    return index[top];
  }
}
