package dev.tandem.sync.agent;

import java.util.List;

/** Tells several observers; as thread-safe as they are. */
record ManyObservers(List<SyncObserver> observers) implements SyncObserver {

  @Override
  public void began() {
    observers.forEach(SyncObserver::began);
  }

  @Override
  public void requested(String name, long nanos) {
    observers.forEach(observer -> observer.requested(name, nanos));
  }

  @Override
  public void slept(long wantedNanos, long beginNanos, long endNanos) {
    observers.forEach(observer -> observer.slept(wantedNanos, beginNanos, endNanos));
  }

  @Override
  public void agreed(long beginNanos, long endNanos) {
    observers.forEach(observer -> observer.agreed(beginNanos, endNanos));
  }

  @Override
  public void transferred(Transfer transfer) {
    observers.forEach(observer -> observer.transferred(transfer));
  }

  @Override
  public void remark(String line) {
    observers.forEach(observer -> observer.remark(line));
  }
}
