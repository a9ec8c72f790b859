package dev.tandem.servers;

import dev.tandem.comm.Communicator;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Requests and answers as messages. Each goes over a group of its own, so that between two ranks
 * both can be client of the other. A request is four numbers, then maybe a gradient; an answer is
 * three, then what was asked for; both sides know how long that is. One thread at a time may talk
 * to a rank, and one may listen to it.
 */
final class Wire {

  /** What a request costs besides the gradient. */
  static final long REQUEST_BYTES = 4 * Long.BYTES;

  /** What an answer costs besides what was asked for. */
  static final long ANSWER_BYTES = 3 * Long.BYTES;

  private static final long PUSH = -1;
  private static final long LEAVE = -2;

  private final Communicator requests;
  private final Communicator answers;
  private final TrafficCounter traffic;

  Wire(Communicator requests, Communicator answers, TrafficCounter traffic) {
    this.requests = requests;
    this.answers = answers;
    this.traffic = traffic;
  }

  void request(int to, Request request) {
    long[] numbers =
        switch (request) {
          case Request.Push push ->
              new long[] {
                PUSH, push.clock(), Double.doubleToRawLongBits(push.rate()), push.notices()
              };
          case Request.Ask ask -> new long[] {ask.what().code(), ask.clock(), ask.slot(), 0};
          case Request.Leave _ -> new long[] {LEAVE, 0, 0, 0};
        };
    requestBody(to, MemorySegment.ofArray(numbers));
  }

  void requestBody(int to, MemorySegment data) {
    traffic.sent(to, data.byteSize()); // before it can have arrived
    requests.send(data, to);
  }

  Request receiveRequest(int from) {
    MemorySegment numbers = MemorySegment.ofArray(new long[4]);
    receiveRequestBody(from, numbers);
    long kind = at(numbers, 0);
    if (kind == PUSH) {
      return new Request.Push(
          at(numbers, 1), Double.longBitsToDouble(at(numbers, 2)), at(numbers, 3));
    }
    return kind == LEAVE
        ? new Request.Leave()
        : new Request.Ask(Request.What.of(kind), at(numbers, 1), (int) at(numbers, 2));
  }

  void receiveRequestBody(int from, MemorySegment target) {
    requests.receive(target, from);
  }

  void answer(int to, Request.Answer answer, MemorySegment data) {
    long[] numbers = {answer.version(), answer.stopAt(), answer.notices()};
    traffic.sent(to, ANSWER_BYTES + data.byteSize());
    answers.send(MemorySegment.ofArray(numbers), to);
    answers.send(data, to);
  }

  Request.Answer receiveAnswer(int from, MemorySegment target) {
    MemorySegment numbers = MemorySegment.ofArray(new long[3]);
    answers.receive(numbers, from);
    answers.receive(target, from);
    return new Request.Answer(at(numbers, 0), at(numbers, 1), at(numbers, 2));
  }

  private static long at(MemorySegment numbers, int index) {
    return numbers.getAtIndex(ValueLayout.JAVA_LONG, index);
  }
}
