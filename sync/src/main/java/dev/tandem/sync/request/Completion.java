package dev.tandem.sync.request;

/**
 * Told once what became of a request, by the background thread: it must neither wait nor throw. The
 * same name may be requested again from within.
 */
@FunctionalInterface
public interface Completion {

  void done(Outcome outcome);
}
