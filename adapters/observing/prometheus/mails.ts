import { right } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import { Gauge, type Registry } from 'prom-client'
import type { MailOutcome } from '../../../application/mail/mail-parts.ts'
import type { Clock } from '../../../application/ports/environment.ts'
import type { MailCounts, Outbox } from '../../../application/ports/outbox.ts'
import { MAIL_KINDS, type MailKind } from '../../../domain/mail.ts'
import type { Meters } from './meters.ts'
import { readAtScrape } from './read-at-scrape.ts'
import { counter, histogram } from './series.ts'

/** The metrics of mails. Without mail there are none. */
export const mailMeters =
  (registry: Registry): Meters['mails'] =>
  (outbox, clock) => {
    const count = counter(registry, {
      name: 'portcullis_mails_total',
      help: 'Attempts to send mails of this instance, by kind and outcome.',
      labelNames: ['kind', 'outcome'],
    })
    const increments = new Map(
      Object.keys(MAIL_KINDS).flatMap((kind) =>
        OUTCOMES.map((outcome) => [`${kind} ${outcome}`, count({ kind, outcome })] as const),
      ),
    )
    const answered = histogram(
      registry,
      { name: 'portcullis_mail_seconds', help: 'How long the relay takes to answer.', labelNames: [] },
      BUCKETS,
    )({})
    let downSince: number | undefined
    waitingMails(registry, { outbox, clock, downSince: () => downSince })
    return {
      ended: (kind: MailKind, outcome: MailOutcome) => increments.get(`${kind} ${outcome}`)?.(),
      answered,
      relayDown: (since) => {
        downSince = since?.atMilliseconds
      },
    }
  }

const OUTCOMES = [
  'sent',
  'later',
  'failed',
  'expired',
  'dropped',
] as const satisfies ReadonlyArray<MailOutcome>

const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Gauges of the outbox, read at a scrape. They keep their values while the store does not answer. */
const waitingMails = (
  registry: Registry,
  {
    outbox,
    clock,
    downSince,
  }: Readonly<{ outbox: Counted; clock: Clock; downSince: () => number | undefined }>,
): void => {
  let readAt = Number.NEGATIVE_INFINITY
  const counts = readAtScrape<MailCounts>((known) => async () => {
    if (known !== undefined && Math.abs(clock() - readAt) < READ_AGAIN_MS) return right(known)
    const counted = await outbox.counts()()
    readAt = clock()
    return counted
  })

  const gauge = (title: string, help: string, amount: (counts: MailCounts) => number): void => {
    const metric = new Gauge({
      name: title,
      help,
      registers: [registry],
      collect: async () => {
        const current = await counts()
        if (current !== undefined) metric.set(amount(current))
      },
    })
    metric.remove() // prom-client starts at 0, which would be a number of mails
  }

  gauge('portcullis_mails_waiting', 'Mails that wait, of all instances.', ({ waiting }) => waiting)
  gauge(
    'portcullis_mails_failed',
    'Mails that failed and were kept, of all instances.',
    ({ failed }) => failed,
  )
  gauge(
    'portcullis_mail_oldest_seconds',
    'For how long the oldest waiting mail is due, or for how long the relay is down while mails wait.',
    ({ waiting, oldestDueAtSeconds }) => {
      if (waiting === 0) return 0
      const now = clock() / 1000
      // A mail that the relay was too broken to take is due again a little later.
      const down = (downSince() ?? clock()) / 1000
      return Math.max(0, now - down, isSome(oldestDueAtSeconds) ? now - oldestDueAtSeconds.value : 0)
    },
  )
}

type Counted = Pick<Outbox, 'counts'>

/** The metrics can be on the public port. Each read counts rows. */
const READ_AGAIN_MS = 5_000
