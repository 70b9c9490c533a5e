import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import { newMail } from '../../domain/mail.ts'
import { eventually } from '../support/eventually.ts'
import { startRelay } from '../support/mail-relay.ts'
import { SHARED_STORES } from '../support/stores.ts'
import { aUser, change, newId, registered } from '../testkit/builders.ts'
import type { RelayAnswer } from '../testkit/mailer.ts'
import { listed } from '../testkit/outbox/steps.ts'
import { commitAll } from '../testkit/outcome.ts'
import { CONNECTIONS, idsTaken, type MailPlace, mailPlace, sentIn } from './mail-place.ts'

const MAILS = 6

/** Where the relay stops, and how many mails are then sent twice. */
const STEPS = [
  ['before the relay greets', 'connection', 0],
  ['while the relay looks at the recipient', 'RCPT', 0],
  ['after the letter, before the relay answers', 'DATA', 0],
  ['after the answer, before the commit', 'commit', CONNECTIONS],
] as const

type Step = (typeof STEPS)[number][1]

/** A relay that stops at a step with the first mails, as many as one instance sends at once. */
const stoppingRelay = async (step: Step) => {
  let stopped = 0
  let goOn = (): void => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const stop = async (): Promise<void> => {
    stopped += 1
    if (stopped <= CONNECTIONS) await gate
  }
  const seen = new Set<string>()
  const relay = await startRelay(
    {
      onConnect: async (_, done) => {
        if (step === 'connection') await stop()
        done()
      },
    },
    async (to): Promise<RelayAnswer> => {
      if (to === '' || step === 'connection') return 'takes'
      const at = seen.has(to) ? 'DATA' : 'RCPT'
      seen.add(to)
      if (at === (step === 'RCPT' ? 'RCPT' : 'DATA')) await stop()
      return 'takes'
    },
  )
  return {
    relay,
    /** Resolves when it has stopped with all of them. */
    stopped: () => eventually('the relay stops', async () => (stopped >= CONNECTIONS ? true : undefined)),
    goOn,
  }
}

/** Adds notices of a change, each to its own user. */
const putNotices = async ({ store }: MailPlace): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let each = 0; each < MAILS; each += 1) {
    const user = aUser({ passwordRecord: '', passwordScheme: '' })
    const of = { id: newId(), kind: 'password_changed', userId: some(user.id), address: user.email } as const
    const mail = newMail({ ...of, language: some('en') }, Math.floor(Date.now() / 1000))
    await commitAll(store, { ...change(registered(user)), mails: [mail] })
    ids.push(mail.id)
  }
  return ids.toSorted()
}

for (const kind of SHARED_STORES)
  describe(`mails on ${kind.name}, whose sender is killed`, () => {
    for (const [when, step, twice] of STEPS)
      it(`${when}, are sent by the next one: ${twice} twice, none lost`, async () => {
        const { relay, stopped, goOn } = await stoppingRelay(step)
        const place = await mailPlace(kind, relay.port)
        try {
          const ids = await putNotices(place)
          const victim = await place.start()
          await stopped()
          const release = step === 'commit' ? await place.holdCommits() : undefined
          if (release !== undefined) {
            goOn()
            await eventually('the relay answers', async () => relay.taken[CONNECTIONS - 1])
          }
          await victim.end('SIGKILL')
          await release?.()
          const taken = idsTaken(relay)
          expect([taken.length, await sentIn(place)]).to.deep.equal([twice, []])
          expect((await listed(place.outbox)).map(({ attempts }) => attempts)).to.have.members([
            ...Array(CONNECTIONS).fill(1),
            ...Array(MAILS - CONNECTIONS).fill(0),
          ])

          await place.endLeases()
          const next = await place.start()
          await eventually('all mails', async () =>
            (await listed(place.outbox)).length === 0 ? true : undefined,
          )
          expect(await next.end()).to.equal(0)
          expect(idsTaken(relay)).to.deep.equal([...ids, ...taken].toSorted())
          expect(await sentIn(place)).to.deep.equal(ids)
        } finally {
          await place.remove()
          await relay.stop()
        }
      })
  })
