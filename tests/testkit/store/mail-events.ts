import { none } from 'fp-ts/lib/Option.js'
import { newId } from '../builders.ts'
import type { CasesOf } from './event-case.ts'

/** The events of mails. Without a claim, no mail is taken from an outbox, which a store need not have. */
export const mailEvents = (): CasesOf<'MailSent' | 'MailFailed'> => {
  const userId = newId()
  const subject = { kind: 'user', id: userId } as const
  const [sent, refused] = [newId(), newId()]
  return {
    MailSent: {
      before: [],
      fact: {
        _tag: 'MailSent',
        mail: { id: sent, kind: 'password_changed', attempts: 1, claim: none },
        userId,
      },
      event: {
        type: 'MailSent',
        version: 1,
        subject,
        data: { mail_id: sent, kind: 'password_changed', attempts: 1 },
      },
      rows: [],
    },
    MailFailed: {
      before: [],
      fact: {
        _tag: 'MailFailed',
        mail: { id: refused, kind: 'recovery', attempts: 10, claim: none },
        userId,
        failed: { code: '550', keptUntilSeconds: 1_772_971_200 },
      },
      event: {
        type: 'MailFailed',
        version: 1,
        subject,
        data: { mail_id: refused, kind: 'recovery', code: '550', attempts: 10 },
      },
      rows: [],
    },
  }
}
