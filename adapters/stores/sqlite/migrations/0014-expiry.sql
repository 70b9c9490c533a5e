-- Housekeeping finds expired rows by these, however many others there are. Their lifetimes may differ.
CREATE INDEX sessions_by_expiry ON sessions (expires_at, id);
CREATE INDEX one_time_tokens_by_expiry ON one_time_tokens (expires_at, id);
CREATE INDEX revoked_tokens_by_expiry ON revoked_tokens (expires_at, id);
