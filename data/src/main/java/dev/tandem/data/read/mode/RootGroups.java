package dev.tandem.data.read.mode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which readers are roots and whom they read for: the readers of each host stand in as many groups
 * of neighbours as there are roots, and the first of each group is its root.
 *
 * @param groups the readers of each root, root first, in the order of the roots
 * @param own the group of this reader
 */
record RootGroups(List<int[]> groups, int own) {

  static RootGroups of(int[] hosts, int rootsPerHost, int reader) {
    List<int[]> groups = new ArrayList<>();
    int hostCount = 0;
    for (int host : hosts) {
      hostCount = Math.max(hostCount, host + 1);
    }
    for (int host = 0; host < hostCount; host++) {
      addHost(hosts, host, rootsPerHost, groups);
    }
    int own = 0;
    for (int i = 0; i < groups.size(); i++) {
      for (int member : groups.get(i)) {
        own = member == reader ? i : own;
      }
    }
    return new RootGroups(groups, own);
  }

  private static void addHost(int[] hosts, int host, int rootsPerHost, List<int[]> groups) {
    int[] local = new int[hosts.length];
    int count = 0;
    for (int reader = 0; reader < hosts.length; reader++) {
      if (hosts[reader] == host) {
        local[count++] = reader;
      }
    }
    int roots = Math.min(rootsPerHost, count);
    for (int root = 0; root < roots; root++) {
      int from = (int) ((long) count * root / roots);
      int to = (int) ((long) count * (root + 1) / roots);
      int[] group = new int[to - from];
      System.arraycopy(local, from, group, 0, group.length);
      addInOrder(group, groups);
    }
  }

  /** Without a comparator: a JVM writes the class of one at run time, while readers start. */
  private static void addInOrder(int[] group, List<int[]> groups) {
    int place = groups.size();
    while (place > 0 && groups.get(place - 1)[0] > group[0]) {
      place--;
    }
    groups.add(place, group);
  }

  /** The readers of this reader's group, its root first. */
  int[] members() {
    return groups.get(own);
  }

  /** Where in its group a reader stands; the root is 0. */
  int place(int reader) {
    int[] members = members();
    int place = 0;
    while (members[place] != reader) {
      place++;
    }
    return place;
  }

  /** The readers that are roots, of all hosts. */
  int[] roots() {
    int[] roots = new int[groups.size()];
    for (int i = 0; i < roots.length; i++) {
      roots[i] = groups.get(i)[0];
    }
    return roots;
  }

  /** The groups that have records at all: with small batches some have none. */
  RootGroups withRecords(BatchPlan plan) {
    List<int[]> busy = new ArrayList<>();
    int place = 0;
    for (int i = 0; i < groups.size(); i++) {
      place = i == own ? busy.size() : place;
      if (Seeker.records(plan, groups.get(i)) > 0) {
        busy.add(groups.get(i));
      }
    }
    return new RootGroups(busy, place);
  }

  /** The roots of one host. */
  int[] rootsOf(int[] hosts, int host) {
    int[] roots = roots();
    int count = 0;
    int[] local = new int[roots.length];
    for (int root : roots) {
      if (hosts[root] == host) {
        local[count++] = root;
      }
    }
    return Arrays.copyOf(local, count);
  }
}
