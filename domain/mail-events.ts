import { event } from './event-row.ts'
import { MAIL_KINDS } from './mail.ts'

const MAIL = { mail_id: 'text', kind: 'kind of mail' } as const

/** What became of a mail. `code` is that of SMTP or of the connection, or says why the mail was given up. */
export const MAIL_EVENTS = {
  MailSent: event(
    'user',
    { ...MAIL, attempts: 'integer' },
    'none',
    ({ kind }) => `${MAIL_KINDS[kind].words} was sent`,
  ),
  MailFailed: event(
    'user',
    { ...MAIL, code: 'text', attempts: 'integer' },
    'none',
    ({ kind, code }) => `${MAIL_KINDS[kind].words} was not sent: ${code}`,
  ),
}
