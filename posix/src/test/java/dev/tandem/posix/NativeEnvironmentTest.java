package dev.tandem.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class NativeEnvironmentTest {

  private static final String NAME = "TANDEM_NATIVE_ENVIRONMENT_TEST";

  @Test
  void nativeCodeSeesWhatWasSetFirst() {
    NativeEnvironment environment =
        switch (NativeEnvironment.capability()) {
          case Capability.Present<NativeEnvironment>(NativeEnvironment present) -> present;
          case Capability.Missing<NativeEnvironment>(String reason) -> abort(reason);
        };
    assertEquals(Optional.empty(), environment.variable(NAME));
    environment.setIfMissing(NAME, "first");
    environment.setIfMissing(NAME, "second");
    assertEquals(Optional.of("first"), environment.variable(NAME));
  }
}
