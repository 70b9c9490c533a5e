import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { some, toUndefined } from 'fp-ts/lib/Option.js'
import { succeed } from '../support/outcome.ts'
import { newMailDesk } from './mail-desk.ts'
import { FULL } from './world.ts'

type Desk = Awaited<ReturnType<typeof newMailDesk>>
type Answer = 'is_away' | 'loses_answer' | 'takes'

const HOUR = 3_600

/** Lets time pass in steps, and looks after each of them. */
const lookEvery = async ({ clock, look }: Desk, stepSeconds: number, seconds: number): Promise<void> => {
  for (let passed = 0; passed < seconds; passed += stepSeconds) {
    await look()
    clock.passSeconds(stepSeconds)
  }
}

const typesOf = async ({ settledEvents }: Desk) => (await settledEvents()).map(({ type }) => type)
const copiesOf = ({ mailer }: Desk, id: string) =>
  mailer.received.filter(({ messageId }) => messageId.startsWith(id)).length

describe('the sender of mails, while the relay is down', () => {
  it('for a day, uses no attempt, asks it once a minute, and then sends what has not expired', async () => {
    let answer: Answer = 'is_away'
    let asked = 0
    const desk = await newMailDesk((to) => {
      if (to === '') asked += 1
      return answer
    })
    for (let each = 0; each < 900; each += 1) await desk.put('password_changed')
    for (let each = 0; each < 100; each += 1) await desk.put('recovery')
    await lookEvery(desk, 60, 24 * HOUR)
    const waiting = await desk.waiting()
    expect(waiting.map(({ attempts, state }) => `${attempts} ${state}`)).to.deep.equal(
      Array(1_000).fill('0 waiting'),
    )
    expect(asked).to.be.within(24 * 59, 24 * 60 + 4)
    answer = 'takes'
    await lookEvery(desk, 60, 60)
    expect(desk.mailer.received).to.have.lengthOf(900)
    expect(new Set(desk.mailer.received.map(({ messageId }) => messageId)).size).to.equal(900)
    expect((await desk.waiting()).map(({ kind, code }) => [kind, toUndefined(code)])).to.deep.equal(
      Array(100).fill(['recovery', 'expired']),
    )
  })

  it('makes no one-time token, because it asks the relay first', async () => {
    const desk = await newMailDesk(() => 'is_away')
    await desk.put('recovery')
    await lookEvery(desk, 10, 3 * HOUR)
    expect(await typesOf(desk)).to.deep.equal(['RecoveryStarted']) // of the attempt that has found it out
    expect((await desk.waiting()).map(({ attempts }) => attempts)).to.deep.equal([0])
  })

  it('asks nothing more once it answers, although no mail waits', async () => {
    let answer: Answer = 'is_away'
    let asked = 0
    const desk = await newMailDesk((to) => {
      if (to === '') asked += 1
      return answer
    })
    const { id } = await desk.put('password_changed')
    await desk.look()
    await succeed(desk.outbox.drop([id]))
    answer = 'takes'
    await lookEvery(desk, 1, 100)
    expect(asked).to.equal(2)
    expect(desk.pauses).to.deep.equal(['ECONNREFUSED', undefined])
  })

  it('that takes each letter and loses its answer, sends some 80 copies in three days, and others at once', async () => {
    const desk = await newMailDesk((to) => (to.startsWith('lost') ? 'loses_answer' : 'takes'))
    const lost = await desk.put('password_changed', { address: 'lost@example.com' })
    await desk.look()
    const good = await desk.put('password_changed')
    await lookEvery(desk, 1, 1)
    desk.clock.passSeconds(1)
    await desk.look()
    expect(copiesOf(desk, good.id)).to.equal(1)
    await lookEvery(desk, 60, 73 * HOUR)
    expect(copiesOf(desk, lost.id)).to.be.within(60, 85)
    expect(await desk.waiting()).to.have.nested.property('[0].code.value', 'expired')
  })
})

describe('the sender of mails, while the store is away', () => {
  it('sends nothing more until the outcomes of the sent mails are written, and nothing twice', async () => {
    const desk = await newMailDesk()
    for (let each = 0; each < 20; each += 1) await desk.put('password_changed')
    const { commit } = desk.store
    let refusals = 100
    let sentMeanwhile = 0
    desk.store.commit = (change) => async () => {
      if (refusals <= 0) return commit(change)()
      refusals -= 1
      sentMeanwhile = desk.mailer.received.length
      return left(FULL)
    }
    await desk.look()
    expect(sentMeanwhile).to.equal(4)
    await desk.look()
    expect(desk.mailer.received).to.have.lengthOf(20)
    expect(await typesOf(desk)).to.deep.equal(Array(20).fill('MailSent'))
  })

  it('gives up a mail that another sender has sent meanwhile', async () => {
    const desk = await newMailDesk()
    const { id } = await desk.put('password_changed')
    const { commit } = desk.store
    let isAway = true
    desk.store.commit = (change) => async () => {
      if (!isAway) return commit(change)()
      isAway = false
      await succeed(desk.outbox.drop([id]))
      return left(FULL)
    }
    await desk.look()
    expect(await desk.waiting()).to.deep.equal([])
    expect(await typesOf(desk)).to.deep.equal([])
  })

  it('tries a mail whose user cannot be read after 1, 2, 4 … seconds, and others meanwhile', async () => {
    const desk = await newMailDesk()
    const { findUser } = desk.store
    const looks: Array<number> = []
    const begin = desk.clock.read()
    desk.store.findUser = (id) => {
      if (id !== 'unreadable') return findUser(id)
      looks.push((desk.clock.read() - begin) / 1_000)
      return async () => left(FULL)
    }
    await desk.put('password_changed', { userId: some('unreadable') })
    await desk.put('password_changed')
    await lookEvery(desk, 1, 70)
    expect(looks).to.deep.equal([0, 1, 3, 7, 15, 31, 63])
    expect(desk.mailer.received).to.have.lengthOf(1)
    expect((await desk.waiting()).map(({ attempts }) => attempts)).to.deep.equal([0])
  })
})

describe('the sender of mails', () => {
  /** Does something while the sender reads the user of its first mail. */
  const whileItReads = ({ store }: Desk, doIt: () => void): void => {
    const { findUserByEmail } = store
    store.findUserByEmail = (email) => async () => {
      store.findUserByEmail = findUserByEmail
      doIt()
      return findUserByEmail(email)()
    }
  }

  for (const [seconds, what, codes] of [
    [60, 'sends within half of its claim', []],
    [61, 'claims a mail anew after half of its claim, because another sender could soon do so', ['late']],
  ] as const)
    it(what, async () => {
      const desk = await newMailDesk()
      const { postpone } = desk.outbox
      const postponed: Array<string> = []
      desk.outbox.postpone = (query) => {
        postponed.push(query.code)
        return postpone(query)
      }
      await desk.put('recovery')
      whileItReads(desk, () => desk.clock.passSeconds(seconds))
      await desk.look()
      expect(postponed).to.deep.equal(codes)
      expect(desk.mailer.received).to.have.lengthOf(1)
    })

  it('begins no letter and makes no token once it is stopped, and gives the attempt back', async () => {
    const desk = await newMailDesk()
    await desk.put('recovery')
    whileItReads(desk, () => void desk.sender.stop())
    await desk.look()
    expect([desk.mailer.received, await typesOf(desk)]).to.deep.equal([[], []])
    expect((await desk.waiting()).map(({ attempts, code }) => [attempts, toUndefined(code)])).to.deep.equal([
      [0, 'stopped'],
    ])
  })
  it('waits ten seconds at most for a letter on its way when it is stopped, and leaves the mail to its lease', async () => {
    const desk = await newMailDesk()
    desk.mailer.send = () => () => new Promise(() => {})
    await desk.put('password_changed')
    void desk.look()
    await setImmediate()
    const stopping = desk.sender.stop()
    expect(desk.timers.map(({ milliseconds }) => milliseconds)).to.deep.equal([10_000])
    desk.timers[0]?.work()
    await stopping
    expect((await desk.waiting()).map(({ attempts, state }) => [attempts, state])).to.deep.equal([
      [1, 'waiting'],
    ])
  })
})
