import { MAIL_ROW } from '../records/mail-row.ts'

const { columns } = MAIL_ROW

/** A known id is left alone, because a caller repeats a mail of which it has lost the answer. */
export const INSERT_MAIL = `
  INSERT INTO mails (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})
  ON CONFLICT (id) DO NOTHING`

export const MAILS_AFTER = `SELECT ${columns.join(', ')} FROM mails WHERE id > ? ORDER BY id LIMIT ?`
