/// The tables of events: ``Outbox``.
enum EventMigrations {
  static let lanes = Migration(
    "platform-020-event-lanes",
    why: "delivering a batch of events costs one row, whatever waits; one failing event delays its subject only",
    [
      // The number of the last event of each subject, incremented in the transaction that records one.
      """
      CREATE TABLE event_subjects (subject TEXT PRIMARY KEY, sequence BIGINT NOT NULL, used_on BIGINT NOT NULL)
      """,
      "CREATE INDEX event_subjects_by_day ON event_subjects (used_on)",
      // `sequence` orders the events of a subject. `position` is the place in the lane, NULL until the relay assigns it.
      "ALTER TABLE outbox ADD COLUMN sequence BIGINT NOT NULL DEFAULT 0",
      "ALTER TABLE outbox ADD COLUMN lane BIGINT NOT NULL DEFAULT 0",
      "ALTER TABLE outbox ADD COLUMN position BIGINT",
      // The last assigned position of each lane.
      "CREATE TABLE event_lanes (lane BIGINT PRIMARY KEY, head BIGINT NOT NULL)",
      """
      INSERT INTO event_lanes (lane, head) VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0),
        (8, 0), (9, 0), (10, 0), (11, 0), (12, 0), (13, 0), (14, 0), (15, 0)
      """,
      // Until where a subscriber has received a lane. `claim` is that of the relay that delivers the next events.
      """
      CREATE TABLE event_cursors
        (subscriber TEXT NOT NULL, lane BIGINT NOT NULL, position BIGINT NOT NULL, claim TEXT,
         claimed_until BIGINT NOT NULL, PRIMARY KEY (subscriber, lane))
      """,
      // The events that a subscriber has rejected, and later ones of their subjects, which wait behind them.
      """
      CREATE TABLE event_retries
        (subscriber TEXT NOT NULL, event_id TEXT NOT NULL REFERENCES outbox (id), subject TEXT NOT NULL,
         sequence BIGINT NOT NULL, attempts BIGINT NOT NULL, due_at BIGINT NOT NULL, is_dead BIGINT NOT NULL,
         failure TEXT, PRIMARY KEY (subscriber, event_id))
      """,
      // What the relay has distributed so far is history: one lane, in the order in which it was recorded.
      """
      UPDATE outbox SET position = h.place
      FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS place FROM outbox WHERE is_distributed = 1) h
      WHERE outbox.id = h.id
      """,
      "UPDATE event_lanes SET head = (SELECT COUNT(*) FROM outbox WHERE is_distributed = 1) WHERE lane = 0",
      """
      INSERT INTO event_cursors (subscriber, lane, position, claimed_until)
      SELECT s.subscriber, l.lane, l.head, 0 FROM event_subscriptions s CROSS JOIN event_lanes l
      """,
      """
      INSERT INTO event_retries (subscriber, event_id, subject, sequence, attempts, due_at, is_dead, failure)
      SELECT d.subscriber, d.event_id, d.subject, 0, CASE d.is_dead WHEN 1 THEN d.attempts ELSE 0 END,
        CASE WHEN EXISTS (SELECT 1 FROM outbox_deliveries e WHERE e.subscriber = d.subscriber
          AND e.subject = d.subject AND e.is_dead = 0 AND e.event_id < d.event_id)
        THEN 9223372036854775807 ELSE 0 END,
        d.is_dead, d.failure
      FROM outbox_deliveries d
      """,
      "CREATE UNIQUE INDEX outbox_lanes ON outbox (lane, position)",
      "CREATE INDEX outbox_without_position ON outbox (sequence, id) WHERE position IS NULL",
      "CREATE INDEX outbox_by_type ON outbox (type, recorded_at)",
      "DROP INDEX outbox_by_age",
      "CREATE INDEX event_retries_due ON event_retries (subscriber, due_at) WHERE is_dead = 0",
      "CREATE INDEX event_retries_subject ON event_retries (subscriber, subject, sequence, event_id) WHERE is_dead = 0",
      "CREATE INDEX event_retries_event ON event_retries (event_id)",
    ]
  )
}
