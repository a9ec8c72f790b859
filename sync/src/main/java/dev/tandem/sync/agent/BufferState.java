package dev.tandem.sync.agent;

/** Whether an awaited buffer can be transferred, or why its plan must be left. */
enum BufferState {
  COMPLETE,
  UNPLANNED_REQUEST,
  MISSING_REQUEST,
  OTHER_PLANS,
  SHUTDOWN
}
