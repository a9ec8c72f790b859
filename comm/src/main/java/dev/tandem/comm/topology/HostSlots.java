package dev.tandem.comm.topology;

import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lists of hosts and how many ranks each takes: {@code a:4,b:4}; without a number one. */
public final class HostSlots {

  /** More ranks than any job of ours will have: a larger number is a typing error. */
  public static final int MAXIMUM_RANKS = 4096;

  // No leading '-': a remote shell would take the name for an option.
  private static final Pattern HOST =
      Pattern.compile("([A-Za-z0-9_][A-Za-z0-9_.@-]*)(?::(\\d{1,6}))?");

  private HostSlots() {}

  /**
   * The host of every rank, in order.
   *
   * @param option who gave the text, for messages
   * @throws UsageException if it is not such a list
   */
  public static List<String> parse(String option, String text) {
    List<String> hosts = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (String part : text.split(",", -1)) {
      Matcher matcher = HOST.matcher(part.strip());
      if (!matcher.matches()) {
        throw new UsageException(
            "%s must be like a:4,b:4, and '%s' is no host with a number of ranks"
                .formatted(option, part));
      }
      if (!seen.add(matcher.group(1))) {
        throw new UsageException("%s names host %s twice".formatted(option, matcher.group(1)));
      }
      int slots = matcher.group(2) == null ? 1 : Integer.parseInt(matcher.group(2));
      if (slots < 1 || hosts.size() + slots > MAXIMUM_RANKS) {
        throw new UsageException(
            "%s: a job has 1 to %d ranks, and host %s cannot take %d"
                .formatted(option, MAXIMUM_RANKS, matcher.group(1), slots));
      }
      hosts.addAll(Collections.nCopies(slots, matcher.group(1)));
    }
    return hosts;
  }
}
