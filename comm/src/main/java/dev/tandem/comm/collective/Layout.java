package dev.tandem.comm.collective;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Which members of a team run on one host. Hosts are numbered from 0 in the order of their first
 * members, and the members of a host in the order of their ranks.
 */
public final class Layout {

  private final int[] hostOf;
  private final int[] localRank;
  private final List<int[]> members = new ArrayList<>();

  private Layout(int[] hostNumbers) {
    hostOf = new int[hostNumbers.length];
    localRank = new int[hostNumbers.length];
    Map<Integer, List<Integer>> found = new LinkedHashMap<>();
    for (int member = 0; member < hostNumbers.length; member++) {
      List<Integer> neighbours =
          found.computeIfAbsent(hostNumbers[member], number -> new ArrayList<>());
      localRank[member] = neighbours.size();
      neighbours.add(member);
    }
    for (List<Integer> neighbours : found.values()) {
      for (int member : neighbours) {
        hostOf[member] = members.size();
      }
      members.add(neighbours.stream().mapToInt(Integer::intValue).toArray());
    }
  }

  /** By any number that tells each member's host from the others. */
  public static Layout of(int... hostNumbers) {
    return new Layout(hostNumbers);
  }

  /** All on one host. */
  public static Layout oneHost(int size) {
    return new Layout(new int[size]);
  }

  public int size() {
    return hostOf.length;
  }

  /** How many hosts there are. */
  public int hosts() {
    return members.size();
  }

  /** Whether there are several hosts. */
  public boolean spans() {
    return hosts() > 1;
  }

  /** Whether there are several hosts, and several members on one of them. */
  public boolean grouped() {
    return spans() && size() > hosts();
  }

  int hostOf(int member) {
    return hostOf[member];
  }

  /** The number of a member among those of its host. */
  int localRank(int member) {
    return localRank[member];
  }

  /** The members of a host. */
  int[] members(int host) {
    return members.get(host).clone();
  }

  /** How many members the host with the fewest has. */
  int fewest() {
    return Collections.min(members.stream().map(each -> each.length).toList());
  }

  /** The members with this number on all hosts, which must all have one. */
  int[] sameLocalRank(int number) {
    return members.stream().mapToInt(each -> each[number]).toArray();
  }

  /** Whether the members of every host have successive ranks. */
  boolean contiguous() {
    return IntStream.range(1, size())
        .allMatch(member -> localRank[member] == 0 || hostOf[member] == hostOf[member - 1]);
  }
}
