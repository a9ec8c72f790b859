package dev.tandem.bench.ensemble;

import dev.tandem.core.Progress;
import dev.tandem.data.share.SharedSamples;
import dev.tandem.ensemble.Pipeline;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The member processes, warm, and what the members of a pipeline are asked. One thread. */
final class MemberPool implements AutoCloseable {

  /** Images after which code is compiled. */
  private static final int WARMING = 2 * EnsembleImages.COUNT;

  /** What a share may take, in bytes: fewer images than a pass has. */
  static final long MEMORY = 4L << 20;

  private final Path database;
  private final Path folder;
  private final List<MemberProcess> processes = new ArrayList<>();
  private int shares;

  MemberPool(Path database, Path folder) {
    this.database = database;
    this.folder = folder;
  }

  /** Starts processes until there are N, and has their code compiled. */
  void grow(int count, Progress progress) {
    List<MemberProcess> fresh = new ArrayList<>();
    while (processes.size() < count) {
      fresh.add(MemberProcess.start(database, folder));
      processes.add(fresh.getLast());
    }
    try (Progress.Task task = progress.start("warming processes", fresh.size(), "processes")) {
      fresh.forEach(MemberProcess::awaitReady);
      MemberRequest alone = MemberRequest.alone(0, WARMING);
      fresh.forEach(process -> process.begin(alone));
      var _ = end(fresh, Collections.nCopies(fresh.size(), alone));
      task.advanceTo(fresh.size());
    }
    if (!fresh.isEmpty()) {
      // What is shared has code of its own.
      var _ = run(requests(new Pipeline.AllShared(), processes.size(), 0, WARMING));
    }
  }

  List<MemberProcess> first(int count) {
    return processes.subList(0, count);
  }

  /** Takes the place of one that was killed. */
  void replace(int index, Progress progress) {
    processes.remove(index).close();
    grow(processes.size() + 1, progress);
  }

  /**
   * What the processes of a pipeline are asked, the members first; each is then changed as the case
   * wants it. As {@code tandem ensemble} does it: in all-shared every member prepares what comes
   * next; the broadcasts have processes that only prepare, in multi-broadcast a fixed part each.
   */
  List<MemberRequest> requests(Pipeline pipeline, int members, long warm, long images) {
    String share = newShare();
    int only = pipeline.ownPreprocessors();
    List<MemberRequest> requests = new ArrayList<>();
    for (int member = 0; member < members; member++) {
      requests.add(
          pipeline instanceof Pipeline.Duplicated
              ? MemberRequest.alone(warm, images)
              : shared(share, member, members, warm, images).withPrepares(only == 0));
    }
    for (int i = 0; i < only; i++) {
      MemberRequest request = shared(share, members + i, members, 0, 0);
      requests.add(
          pipeline instanceof Pipeline.MultiBroadcast ? request.withParts(i, only) : request);
    }
    return requests;
  }

  private static MemberRequest shared(
      String share, int member, int members, long warm, long images) {
    return new MemberRequest(
        share,
        member,
        members,
        true,
        0,
        1,
        true,
        MEMORY,
        EnsembleImages.BATCH,
        warm,
        images,
        0,
        0,
        false);
  }

  private String newShare() {
    return SharedSamples.place("bench-%d-%d".formatted(ProcessHandle.current().pid(), shares++))
        .toString();
  }

  /**
   * What the processes of a case measured.
   *
   * @param members those that took images
   * @param preparing those that only prepared them
   */
  record Measured(List<MemberReport> members, List<MemberReport> preparing) {

    boolean exact() {
      return members.stream().allMatch(MemberReport::exact);
    }

    /** Images per second of a member, on average. */
    double imagesPerSecond() {
      return members.stream().mapToDouble(MemberReport::imagesPerSecond).average().orElseThrow();
    }

    /** Processor seconds of all without training, for each image that every member got. */
    double cpuSecondsPerImage() {
      double cpu = 0;
      for (MemberReport member : members) {
        cpu += member.cpuSeconds() / member.images();
      }
      for (MemberReport one : preparing) {
        cpu += one.cpuSeconds() / one.images();
      }
      return cpu;
    }
  }

  /** Has the first processes do each its request, side by side. */
  Measured run(List<MemberRequest> requests) {
    List<MemberProcess> own = first(requests.size());
    for (int i = 0; i < requests.size(); i++) {
      own.get(i).begin(requests.get(i));
    }
    return end(own, requests);
  }

  /** Waits for the members and then lets all leave, those that only prepare first. */
  static Measured end(List<MemberProcess> own, List<MemberRequest> requests) {
    List<MemberReport> reports = new ArrayList<>();
    List<MemberReport> prepared = new ArrayList<>();
    for (int i = 0; i < own.size(); i++) {
      if (requests.get(i).images() > 0) {
        reports.add(own.get(i).report());
      }
    }
    for (int i = 0; i < own.size(); i++) {
      if (requests.get(i).images() == 0) {
        own.get(i).leave();
        prepared.add(own.get(i).report());
        own.get(i).awaitLeft();
      }
    }
    List<MemberProcess> members = new ArrayList<>();
    for (int i = 0; i < own.size(); i++) {
      if (requests.get(i).images() > 0) {
        members.add(own.get(i));
      }
    }
    members.forEach(MemberProcess::leave);
    members.forEach(MemberProcess::awaitLeft);
    return new Measured(reports, prepared);
  }

  @Override
  public void close() {
    processes.forEach(MemberProcess::close);
  }
}
