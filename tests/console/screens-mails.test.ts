import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { openStorage } from '../../adapters/index.ts'
import { newMail } from '../../domain/mail.ts'
import { succeed } from '../support/outcome.ts'
import { settings } from '../support/settings.ts'
import { answersOf, startScreens } from './screens-here.ts'

const NOW = '2026-03-01T08:00:00.000Z'
const NOW_SECONDS = Date.parse(NOW) / 1000
const MAIL = {
  MAIL_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'noreply@example.com',
  MAIL_CONTACT: 'help@example.com',
}

type Case = Readonly<{
  what: string
  environment?: Readonly<Record<string, string>>
  /** For how many seconds each waiting mail is due. */
  waiting: ReadonlyArray<number>
  failed: number
  says: string | undefined
  isBad?: boolean
}>

const CASES: ReadonlyArray<Case> = [
  { what: 'nothing of mails without MAIL_URL', environment: {}, waiting: [], failed: 0, says: undefined },
  { what: 'that none waits', waiting: [], failed: 0, says: 'Mail: 0 waiting. 0 failed.' },
  {
    what: 'how many wait and failed, and for how long the oldest waits',
    waiting: [60, 130, -300],
    failed: 1,
    says: 'Mail: 3 waiting, the oldest for 2 minutes. 1 failed.',
  },
  {
    what: 'no time for a mail that is not due yet',
    waiting: [-300],
    failed: 0,
    says: 'Mail: 1 waiting. 0 failed.',
  },
  {
    what: 'what waits although MAIL_URL is not set, and that it waits too long',
    environment: {},
    waiting: [1_000],
    failed: 0,
    says: 'Mail: 1 waiting, the oldest for 16 minutes. 0 failed.',
    isBad: true,
  },
]

describe('the console says on Today', () => {
  for (const { what, environment = MAIL, waiting, failed, says, isBad = false } of CASES)
    it(what, async () => {
      const here = await startScreens({ environment, now: NOW })
      const on = settings({ DATABASE_URL: `sqlite:${here.files.store}` })
      const { store, outbox } = await openStorage(on, { clock: here.clock.read })
      if (outbox === undefined) throw new Error('SQLite keeps mails')
      const put = async (dueAtSeconds: number) => {
        const id = crypto.randomUUID()
        const mail = {
          id,
          kind: 'recovery',
          userId: some(id),
          address: 'ada@example.com',
          language: none,
        } as const
        await succeed(outbox.put({ mail: newMail(mail, NOW_SECONDS, dueAtSeconds), unseenAtMost: 10 }))
        return id
      }
      for (let done = 0; done < failed; done += 1) {
        const id = await put(0)
        await succeed(outbox.claim({ claim: 'one', nowSeconds: 0, leaseSeconds: 60, limit: 1 }))
        const failure = { code: '550', keptUntilSeconds: NOW_SECONDS + 60 }
        await succeed(outbox.settle({ id, claim: 'one', failed: failure }))
      }
      for (const seconds of waiting) await put(NOW_SECONDS - seconds)
      await store.close()
      const { html } = await here.get('today')
      expect(answersOf(html).find((answer) => answer.startsWith('Mail'))).to.equal(says)
      expect(html.includes('<strong class="bad">Mail:')).to.equal(isBad)
      expect(html).not.to.include('ada@example.com')
      await here.stop()
    })
})
