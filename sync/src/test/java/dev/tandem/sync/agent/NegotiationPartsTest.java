package dev.tandem.sync.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.sync.agent.ResponseCache.Lookup;
import dev.tandem.sync.plan.RequestGraph.Tensor;
import dev.tandem.sync.request.Signature;
import java.util.List;
import org.junit.jupiter.api.Test;

class NegotiationPartsTest {

  private static Tensor tensor(String name, DType dtype, long elements) {
    return new Tensor(name, Signature.sum(dtype, Shape.of(elements)));
  }

  private static Tensor tensor(String name) {
    return tensor(name, DType.FLOAT32, 1);
  }

  @Test
  void theCacheForgetsWhatWasUsedLongestAgoAndReusesItsNumber() {
    ResponseCache cache = new ResponseCache(2);
    cache.put(tensor("a"));
    cache.put(tensor("b"));
    cache.use(cache.number("a"));
    int freed = cache.number("b");
    cache.put(tensor("c"));
    assertEquals(Lookup.HIT, cache.lookup(tensor("a")));
    assertEquals(Lookup.MISS, cache.lookup(tensor("b")));
    assertEquals(freed, cache.number("c"));
    assertEquals(Lookup.INVALID, cache.lookup(tensor("c", DType.FLOAT64, 1)));
    cache.erase(cache.number("c"));
    assertEquals(Lookup.MISS, cache.lookup(tensor("c")));
    assertEquals(1, cache.taken().cardinality());
    assertEquals(2, cache.end());
  }

  @Test
  void fusionLooksAheadWithinTheThreshold() {
    List<Response> responses =
        List.of(
            Response.of(tensor("f1", DType.FLOAT32, 10)), // 40 bytes
            Response.of(tensor("d1", DType.FLOAT64, 1)), // 8 bytes, skipped
            Response.of(tensor("f2", DType.FLOAT32, 10)),
            Response.of(tensor("f3", DType.FLOAT32, 10)),
            new Response(tensor("bad"), "refused"),
            Response.of(tensor("d2", DType.FLOAT64, 1)));
    List<List<String>> groups =
        Fusion.fuse(responses, 100).stream()
            .map(group -> group.stream().map(each -> each.tensor().name()).toList())
            .toList();
    assertEquals(
        List.of(List.of("f1", "f2"), List.of("d1", "d2"), List.of("f3"), List.of("bad")), groups);
  }

  @Test
  void theCoordinatorWaitsForAllButTheJoined() {
    Coordinator coordinator = new Coordinator(3);
    coordinator.receive(0, false, List.of(tensor("x"), tensor("y")));
    coordinator.receive(1, false, List.of(tensor("y", DType.FLOAT64, 1)));
    assertTrue(coordinator.ready().isEmpty());
    coordinator.receive(2, true, List.of());
    List<Response> ready = coordinator.ready();
    assertEquals(1, ready.size());
    assertTrue(ready.getFirst().failed());
    assertTrue(ready.getFirst().error().contains("rank 0 asks for SUM of FLOAT32"));
    coordinator.receive(1, false, List.of(tensor("x")));
    assertEquals(List.of(Response.of(tensor("x"))), coordinator.ready());
  }

  @Test
  void messagesSurviveTheWay() {
    Tensor odd = new Tensor("ü", Signature.sum(DType.BFLOAT16, Shape.of()));
    Messages.Wanted wanted = new Messages.Wanted(true, List.of(odd, tensor("b")));
    assertEquals(wanted, Messages.wanted(Messages.encode(wanted)));
    List<Response> responses = List.of(new Response(odd, "why"), Response.of(tensor("b")));
    assertEquals(responses, Messages.responses(Messages.encodeResponses(responses)));
    List<Recorder.Line> lines = List.of(new Recorder.Line("a", odd.signature(), 3, true));
    assertEquals(lines, Messages.steps(Messages.encodeSteps(lines)));
  }
}
