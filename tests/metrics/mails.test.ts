import { expect } from 'chai'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import type { Outbox } from '../../application/ports/outbox.ts'
import { type Mail, type MailKind, newMail } from '../../domain/mail.ts'
import { eventually } from '../support/eventually.ts'
import { startRelay } from '../support/mail-relay.ts'
import { succeed } from '../support/outcome.ts'
import { scrape } from '../support/scrape.ts'
import { withService } from '../support/with-service.ts'
import type { RelayAnswer } from '../testkit/mailer.ts'

const MAIL = { MAIL_FROM: 'noreply@example.com', MAIL_CONTACT: 'help@example.com' }

/** Longer than a scrape keeps the counts of mails, and shorter than a claim lasts. */
const A_WHILE_MS = 6_000

describe('the metrics of mails', () => {
  it('tell what becomes of mails, what waits, and for how long', async () => {
    let now = Date.now()
    const clock = () => now
    const storage = memoryStorage(clock)
    const answers = new Map<string, RelayAnswer>([
      ['ada@relay.example', 'takes'],
      ['bob@relay.example', 'refuses_recipient'],
      ['cyd@relay.example', 'postpones_letter'],
    ])
    const relay = await startRelay({}, (to) => answers.get(to) ?? 'takes')
    const environment = { ...MAIL, MAIL_URL: `smtp://127.0.0.1:${relay.port}` }
    await withService(
      environment,
      async ({ port, user }) => {
        const metrics = async () => {
          const { value } = await scrape(`http://127.0.0.1:${port}`)
          return {
            outcome: (kind: MailKind, outcome: string) =>
              value(`portcullis_mails_total{kind="${kind}",outcome="${outcome}"}`),
            waiting: value('portcullis_mails_waiting'),
            failed: value('portcullis_mails_failed'),
            oldest: value('portcullis_mail_oldest_seconds'),
            answers: value('portcullis_mail_seconds_count'),
          }
        }
        const put = async (kind: MailKind, of: Partial<Mail>) => {
          const mail = { id: crypto.randomUUID(), kind, userId: some(user.id), address: '', language: none }
          const made = { ...newMail(mail, Math.floor(now / 1000)), ...of }
          await succeed(storage.outbox.put({ mail: made, unseenAtMost: 10 }))
        }

        const before = await metrics()
        expect([before.waiting, before.failed, before.oldest, before.answers]).to.deep.equal([0, 0, 0, 0])
        expect(before.outcome('password_changed', 'sent')).to.equal(0)

        const past = Math.floor(now / 1000) - 1
        await put('password_changed', { address: 'ada@relay.example' })
        await put('factor_added', { address: 'bob@relay.example' })
        await put('email_entered', { address: 'cyd@relay.example' })
        await put('factor_removed', { address: 'ada@relay.example', expiresAtSeconds: past })
        await put('recovery', { userId: none, address: 'unknown@relay.example' })
        for (const [kind, outcome] of [
          ['password_changed', 'sent'],
          ['factor_added', 'failed'],
          ['email_entered', 'later'],
          ['factor_removed', 'expired'],
          ['recovery', 'dropped'],
        ] as const)
          await eventually(`a ${kind} that is ${outcome}`, async () =>
            (await metrics()).outcome(kind, outcome) === 1 ? true : undefined,
          )
        now += A_WHILE_MS
        const { waiting, failed, oldest, answers: answered } = await metrics()
        expect({ waiting, failed, oldest, answered }).to.deep.equal({
          waiting: 1,
          failed: 2,
          oldest: 0,
          answered: 3,
        })

        await relay.stop()
        await put('password_recovered', { address: 'ada@relay.example' })
        await eventually('an attempt in vain', async () => {
          const mails = await succeed(storage.outbox.list({ state: some('waiting'), after: '', limit: 9 }))
          return mails.find(({ kind, code }) => kind === 'password_recovered' && isSome(code))
        })
        now += 20 * 60_000
        const late = await metrics()
        expect([late.waiting, late.failed]).to.deep.equal([2, 2])
        expect(late.oldest).to.be.at.least(20 * 60)
        expect((await metrics()).outcome('password_recovered', 'sent')).to.equal(0)
      },
      provide(Dependency.storage, () => storage),
      provide(Dependency.clock, () => clock),
    )
  })

  it('keep the last counts while the outbox throws', async () => {
    const { store, outbox } = memoryStorage()
    let now = Date.now()
    let isBroken = false
    const counts: Outbox['counts'] = () => {
      if (isBroken) throw new Error('broken')
      return outbox.counts()
    }
    await withService(
      { ...MAIL, MAIL_URL: 'smtp://127.0.0.1:1' },
      async ({ port }) => {
        const waiting = async () =>
          (await scrape(`http://127.0.0.1:${port}`)).value('portcullis_mails_waiting')
        expect(await waiting()).to.equal(0)
        isBroken = true
        for (let again = 0; again < 2; again += 1) {
          now += A_WHILE_MS
          expect(await waiting()).to.equal(0)
        }
      },
      provide(Dependency.storage, () => ({ store, outbox: { ...outbox, counts } })),
      provide(Dependency.clock, () => () => now),
    )
  })
})
