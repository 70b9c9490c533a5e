import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { fromNullable, none } from 'fp-ts/lib/Option.js'
import { memoryStorage } from '../../adapters/stores/memory/store-copy.ts'
import { operateMails } from '../../application/mail/operate-mails.ts'
import type { Outbox } from '../../application/ports/outbox.ts'
import { expiryOf, type Mail, type MailKind, newMail } from '../../domain/mail.ts'
import { succeed } from '../support/outcome.ts'
import { NOW } from './world.ts'

const NOW_SECONDS = Date.parse(NOW) / 1000
const LATER = NOW_SECONDS + 100_000

/** Ids that differ in their last digits only. */
const idOf = (index: number): string => `20000000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`

const aDesk = async (outbox: Outbox, failed: ReadonlyArray<MailKind>, waiting = 0) => {
  const put = (index: number, kind: MailKind) => {
    const mail = { id: idOf(index), kind, userId: none, address: 'ada@example.com', language: none }
    return succeed(outbox.put({ mail: newMail(mail, NOW_SECONDS), unseenAtMost: 10_000 }))
  }
  for (const [index, kind] of failed.entries()) await put(index, kind)
  const query = { claim: 'one', nowSeconds: NOW_SECONDS, leaseSeconds: 60, limit: failed.length }
  for (const { id } of await succeed(outbox.claim(query)))
    await succeed(outbox.settle({ id, claim: 'one', failed: { code: '550', keptUntilSeconds: LATER } }))
  for (let index = failed.length; index < failed.length + waiting; index += 1) await put(index, 'recovery')
  return operateMails({ outbox, clock: () => LATER * 1000 + 999 })
}

const memoryOutbox = (): Outbox => memoryStorage(() => Date.parse(NOW)).outbox

const statesIn = async (outbox: Outbox): Promise<ReadonlyArray<Mail['state']>> =>
  (await succeed(outbox.list({ state: none, after: '', limit: 10_000 }))).map(({ state }) => state)

/** An outbox whose reads fail from a page on. */
const failingAfter = (outbox: Outbox, pages: number): Outbox => {
  let read = 0
  return {
    ...outbox,
    list: (query) => {
      read += 1
      return read > pages
        ? async () => left({ _tag: 'StoreUnavailable', reason: 'SQLITE_IOERR' })
        : outbox.list(query)
    },
  }
}

describe('mails of operators', () => {
  for (const [kind, life] of [
    ['recovery', 4 * 3_600],
    ['password_changed', 72 * 3_600],
  ] as const)
    it(`a failed ${kind} waits again as a new one: due now, and for ${life} seconds`, async () => {
      const outbox = memoryOutbox()
      const mails = await aDesk(outbox, ['welcome', kind, 'welcome'])
      expect(await mails.retry(idOf(1))()).to.deep.equal(right(1))
      const [, retried] = await succeed(mails.list({ state: none, after: '', limit: 9 }))
      expect(retried).to.deep.include({
        id: idOf(1),
        state: 'waiting',
        attempts: 0,
        code: none,
        dueAtSeconds: LATER,
      })
      expect(retried?.expiresAtSeconds)
        .to.equal(expiryOf(kind, LATER))
        .and.equal(LATER + life)
      expect(await statesIn(outbox)).to.deep.equal(['failed', 'waiting', 'failed'])
    })

  it('one mail is found among all ids that begin like its own', async () => {
    const outbox = memoryOutbox()
    const mails = await aDesk(outbox, Array(18).fill('welcome'))
    for (const index of [0, 15, 16, 17]) expect(await mails.retry(idOf(index))()).to.deep.equal(right(1))
    expect((await statesIn(outbox)).filter((state) => state === 'waiting').length).to.equal(4)
  })

  it('a waiting or an unknown mail is not tried again', async () => {
    const mails = await aDesk(memoryOutbox(), ['welcome'], 1)
    expect(await mails.retry(idOf(1))()).to.deep.equal(left({ _tag: 'MailWaits', dueAtSeconds: NOW_SECONDS }))
    for (const id of [idOf(2), idOf(0).slice(0, -1), `${idOf(0)}0`, '', 'x'])
      expect(await mails.retry(id)(), id).to.deep.equal(left({ _tag: 'MailUnknown' }))
  })

  it('a mail in any state is dropped, and only once', async () => {
    const outbox = memoryOutbox()
    const mails = await aDesk(outbox, ['welcome', 'welcome'], 2)
    expect(await mails.drop(idOf(0))()).to.deep.equal(right(1))
    expect(await mails.drop(idOf(2))()).to.deep.equal(right(1))
    expect(await mails.drop(idOf(2))()).to.deep.equal(left({ _tag: 'MailUnknown' }))
    expect(await statesIn(outbox)).to.deep.equal(['failed', 'waiting'])
  })

  it('more than a thousand failed mails wait again, page by page, and no waiting one changes', async () => {
    const outbox = memoryOutbox()
    const mails = await aDesk(outbox, Array(1_100).fill('welcome'), 1)
    const limits: Array<number> = []
    const watched = operateMails({
      outbox: {
        ...outbox,
        retry: (page) => {
          limits.push(page.length)
          return outbox.retry(page)
        },
      },
      clock: () => LATER * 1000,
    })
    expect(await watched.retryAll()).to.deep.equal(right(1_100))
    expect(limits).to.deep.equal([1_000, 100])
    const all = await succeed(mails.list({ state: none, after: '', limit: 10_000 }))
    expect(all.filter(({ dueAtSeconds }) => dueAtSeconds === LATER).length).to.equal(1_100)
    expect(await mails.retryAll()).to.deep.equal(right(0))
  })

  for (const [state, kept] of [
    [undefined, []],
    ['failed', ['waiting']],
    ['waiting', Array(1_200).fill('failed')],
  ] as const)
    it(`all mails are dropped that are ${state ?? 'there'}`, async () => {
      const outbox = memoryOutbox()
      const mails = await aDesk(outbox, Array(1_200).fill('welcome'), 1)
      expect(await mails.dropAll(fromNullable(state))()).to.deep.equal(right(1_201 - kept.length))
      expect(await statesIn(outbox)).to.deep.equal(kept)
    })

  it('a store that fails in between says how many were done, and a repetition does the others', async () => {
    const outbox = memoryOutbox()
    const mails = await aDesk(outbox, Array(1_100).fill('welcome'))
    const interrupted = operateMails({ outbox: failingAfter(outbox, 1), clock: () => LATER * 1000 })
    const failure = { _tag: 'Interrupted', reason: 'SQLITE_IOERR' }
    expect(await interrupted.retryAll()).to.deep.equal(left({ ...failure, done: 1_000 }))
    expect(await mails.retryAll()).to.deep.equal(right(100))
    const failing = operateMails({ outbox: failingAfter(outbox, 0), clock: () => LATER * 1000 })
    expect(await failing.retry(idOf(0))()).to.deep.equal(left({ ...failure, done: 0 }))
    expect(await failing.dropAll(none)()).to.deep.equal(left({ ...failure, done: 0 }))
  })
})
