import { MAIL_ROW } from '../records/mail-row.ts'

const { columns } = MAIL_ROW

/** A known id is left alone, because a caller repeats a mail of which it has lost the answer. */
export const INSERT_MAILS = `
  INSERT INTO portcullis.mails (${columns.join(', ')})
  SELECT ${columns.join(', ')} FROM pg_catalog.json_populate_recordset(NULL::portcullis.mails, $1)
  ORDER BY id
  ON CONFLICT (id) DO NOTHING`

export const MAILS_AFTER = 'SELECT * FROM portcullis.mails WHERE id > $1 ORDER BY id LIMIT $2'
