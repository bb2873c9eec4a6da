import Persistence

/// The tables of conversations.
enum ConversationSchema {
  static let tables: Schema = """
    CREATE TABLE conversations
      (id TEXT PRIMARY KEY, pair TEXT UNIQUE, listing_id TEXT, last_sequence BIGINT NOT NULL,
       created_at BIGINT NOT NULL, closed_at BIGINT);

    CREATE TABLE conversation_participants
      (conversation_id TEXT NOT NULL REFERENCES conversations (id), user_id TEXT NOT NULL, folder TEXT NOT NULL,
       is_hidden BIGINT NOT NULL, delivered_to BIGINT NOT NULL, read_to BIGINT NOT NULL, last_at BIGINT NOT NULL,
       pushed_at BIGINT NOT NULL, PRIMARY KEY (conversation_id, user_id));
    CREATE INDEX conversation_participants_by_activity
      ON conversation_participants (user_id, folder, last_at, conversation_id);
    CREATE INDEX conversation_participants_by_user ON conversation_participants (user_id, conversation_id);

    CREATE TABLE messages
      (id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL REFERENCES conversations (id), sequence BIGINT NOT NULL,
       author_id TEXT, kind TEXT NOT NULL, text TEXT, media TEXT NOT NULL, reply_to TEXT, fingerprint TEXT,
       sent_at BIGINT NOT NULL, edited_at BIGINT, deleted_at BIGINT, UNIQUE (conversation_id, sequence));
    -- What unread counts leave out.
    CREATE INDEX messages_uncounted ON messages (conversation_id, sequence)
      WHERE deleted_at IS NOT NULL OR kind = 'offer';

    CREATE TABLE message_reactions
      (message_id TEXT NOT NULL REFERENCES messages (id), user_id TEXT NOT NULL, emoji TEXT NOT NULL,
       created_at BIGINT NOT NULL, PRIMARY KEY (message_id, user_id, emoji));
    CREATE INDEX message_reactions_by_user ON message_reactions (user_id);

    CREATE TABLE offer_cards
      (message_id TEXT PRIMARY KEY REFERENCES messages (id), offer_id TEXT NOT NULL UNIQUE, listing_id TEXT NOT NULL,
       status TEXT NOT NULL, amount BIGINT NOT NULL, currency TEXT NOT NULL, made_by TEXT NOT NULL,
       expires_at BIGINT NOT NULL);

    CREATE TABLE conversation_settings
      (user_id TEXT PRIMARY KEY, show_typing BIGINT NOT NULL, show_presence BIGINT NOT NULL,
       show_read BIGINT NOT NULL);

    CREATE TABLE message_reports
      (id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL, reporter_id TEXT NOT NULL, reported_id TEXT NOT NULL,
       reason TEXT NOT NULL, content TEXT NOT NULL, state TEXT NOT NULL, created_at BIGINT NOT NULL,
       version BIGINT NOT NULL);
    CREATE INDEX message_reports_by_state ON message_reports (state, id);
    CREATE INDEX message_reports_by_reporter ON message_reports (reporter_id);
    CREATE INDEX message_reports_by_reported ON message_reports (reported_id);
    """
}
