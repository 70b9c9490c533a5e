import pg from 'pg'
import { processWorkplace } from '../support/command.ts'
import type { MailRelay } from '../support/mail-relay.ts'
import type { StoreKind } from '../support/store-kind.ts'
import { listed } from '../testkit/outbox/steps.ts'
import type { Mailing } from '../testkit/outbox.ts'
import { wholeLog } from '../testkit/outcome.ts'
import { lockStore } from './lock.ts'

/** How many mails an instance sends at once, so that a `kill -9` repeats at most so many. */
export const CONNECTIONS = 4

/** A store from which processes of the service send mails, and which the test reads itself. */
export const mailPlace = async (kind: StoreKind, relayPort: number) => {
  const place = await kind.layOut()
  const { portcullis, serve, remove } = processWorkplace()
  const mailing: Mailing = await kind.openCopyable(place.url)
  const isOnPostgres = kind.name === 'PostgreSQL'
  const store = { DATABASE_URL: place.url }
  const mails = {
    MAIL_URL: `smtp://127.0.0.1:${relayPort}`,
    MAIL_FROM: 'Otterworks <noreply@example.com>',
    MAIL_CONTACT: 'help@example.com',
    MAIL_CONNECTIONS: `${CONNECTIONS}`,
  }
  return {
    ...mailing,

    portcullis: (
      words: Parameters<typeof portcullis>[0],
      options: Parameters<typeof portcullis>[1] = {},
    ): ReturnType<typeof portcullis> =>
      portcullis(words, { ...options, environment: { ...options.environment, ...store } }),

    start: (environment: Record<string, string> = {}) =>
      serve('serve', { PUBLIC_URL: 'http://service.test', ...environment, ...store, ...mails }),

    /** Lets no one commit until the result is called. */
    holdCommits: async (): Promise<() => Promise<void>> => {
      if (!isOnPostgres) return (await lockStore(place.url.slice('sqlite:'.length))).release
      const client = new pg.Client(place.url)
      await client.connect()
      await client.query('BEGIN; SELECT 1 FROM portcullis.head FOR UPDATE')
      return () => client.end()
    },

    /** Lets the time of all claims pass. Only for claims of dead processes: living ones would lose theirs. */
    endLeases: async (): Promise<void> => {
      if ((await listed(mailing.outbox)).length === 0) return
      const table = isOnPostgres ? 'portcullis.mails' : 'mails'
      await kind.spoil(place.url, `UPDATE ${table} SET leased_until = leased_until - 120000`)
    },

    remove: async (): Promise<void> => {
      remove()
      await mailing.store.close()
      await place.remove()
    },
  }
}

export type MailPlace = Awaited<ReturnType<typeof mailPlace>>

/** The ids of the mails that a relay took, ascending. */
export const idsTaken = ({ taken }: Pick<MailRelay, 'taken'>): ReadonlyArray<string> =>
  taken.map(({ headers }) => headers['message-id']?.replace(/^<(.*)@example\.com>$/, '$1') ?? '').toSorted()

/** The ids of the mails that the log calls sent, ascending. */
export const sentIn = async ({ store }: Pick<MailPlace, 'store'>): Promise<ReadonlyArray<string>> =>
  (await wholeLog(store))
    .flatMap(({ type, data }) => (type === 'MailSent' ? [String(data.mail_id)] : []))
    .toSorted()
