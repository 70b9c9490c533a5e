-- Housekeeping finds expired rows by these, however many others there are. Their lifetimes may differ.
CREATE INDEX sessions_by_expiry ON portcullis.sessions (expires_at, id);
CREATE INDEX one_time_tokens_by_expiry ON portcullis.one_time_tokens (expires_at, id);
CREATE INDEX revoked_tokens_by_expiry ON portcullis.revoked_tokens (expires_at, id);
