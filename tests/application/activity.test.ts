import { expect } from 'chai'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import {
  type Activity,
  activityIn,
  activityOf,
  HOUR_MS,
  mayBeGuessing,
} from '../../application/log/activity.ts'
import type { ModelTally, ReadModel } from '../../application/ports/read-model.ts'
import { onFile } from '../sqlite/folder.ts'
import { append, aRefusal, aSummary, modelIn } from '../support/modelled-log.ts'
import { succeed } from '../support/outcome.ts'
import { renewByStore } from '../support/renew-by-store.ts'
import { AT } from '../testkit/builders.ts'

const SINCE = Date.parse('2026-01-01T00:00:00Z')
const SPAN = { since: SINCE, until: SINCE + 3 * HOUR_MS }
const NOTHING = { signedIn: 0, refused: 0, registered: 0, tokens: 0 }

const hoursOf = (tally: Partial<ModelTally>): Activity =>
  activityOf({ hours: [], reasons: [], ...tally }, SPAN)

describe('activityOf', () => {
  it('has each hour of the time, also one in which nothing happened', () => {
    expect(hoursOf({})).to.deep.equal({
      hours: [0, 1, 2].map((hour) => ({ at: SINCE + hour * HOUR_MS, ...NOTHING })),
      totals: NOTHING,
      refusals: [],
    })
  })

  const COUNTED = {
    UserSignedIn: 'signedIn',
    SignInRefused: 'refused',
    SecondFactorRefused: 'refused',
    UserRegistered: 'registered',
    UserImported: 'registered',
    ApplicationTokenIssued: 'tokens',
    RegistrationRefused: undefined,
    SessionRenewed: undefined,
  } as const
  for (const [type, kind] of Object.entries(COUNTED))
    it(`counts ${type} ${kind === undefined ? 'nowhere' : `as ${kind}`}`, () => {
      const hour = SINCE + HOUR_MS
      const { hours, totals } = hoursOf({ hours: [{ hour, type: type as keyof typeof COUNTED, count: 3 }] })
      const counted = kind === undefined ? NOTHING : { ...NOTHING, [kind]: 3 }
      expect([hours[1], totals]).to.deep.equal([{ at: hour, ...counted }, counted])
    })

  it('adds types of one kind, and leaves out hours before and after the time', () => {
    const { hours, totals } = hoursOf({
      hours: [
        { hour: SINCE - HOUR_MS, type: 'SignInRefused', count: 100 },
        { hour: SINCE, type: 'SignInRefused', count: 1 },
        { hour: SINCE, type: 'SecondFactorRefused', count: 2 },
        { hour: SPAN.until, type: 'SignInRefused', count: 100 },
      ],
    })
    expect([hours.map(({ refused }) => refused), totals.refused]).to.deep.equal([[3, 0, 0], 3])
  })

  it('lists the most frequent refusal first', () => {
    const reasons = ([1, 3, 2] as const).map((count) => ({
      type: 'SignInRefused' as const,
      reason: 'wrong_password' as const,
      count,
    }))
    expect(hoursOf({ reasons }).refusals.map(({ count }) => count)).to.deep.equal([3, 2, 1])
  })
})

describe('mayBeGuessing', () => {
  const refused = (...counts: ReadonlyArray<number>) =>
    hoursOf({
      hours: counts.map((count, hour) => ({ hour: SINCE + hour * HOUR_MS, type: 'SignInRefused', count })),
    })
  const CASES = [
    ['nothing was refused', [0], [0], false],
    ['one a minute was refused in an hour', [0, 60], [0], true],
    ['fewer were refused in each hour', [59, 59, 59], [0], false],
    ['five times as many were refused as in the busiest hour before', [100], [3, 20], true],
    ['fewer were refused than that', [99], [3, 20], false],
  ] as const
  for (const [what, now, before, answer] of CASES)
    it(`says ${answer ? 'yes' : 'no'} if ${what}`, () => {
      expect(mayBeGuessing(refused(...now), refused(...before))).to.equal(answer)
    })
})

describe('activityIn', () => {
  const day = Date.parse(AT) - (Date.parse(AT) % HOUR_MS)
  const span = { since: day, until: day + HOUR_MS }
  const scene = (test: (store: ReturnType<typeof memoryStore>, model: ReadModel) => Promise<void>) =>
    onFile(async (path) => {
      const [store, model] = [memoryStore(), modelIn(path)]
      await append(store, aRefusal('wrong_password'), aSummary({ wrong_password: 40, unknown_email: 2 }))
      try {
        await test(store, model)
      } finally {
        await model.close()
      }
    })

  /** The same model, which another process changes so often before it is counted. */
  const changed = (model: ReadModel, act: () => Promise<unknown>, times = 1): ReadModel => {
    let count = 0
    return {
      ...model,
      tally: (of) => async () => {
        count += 1
        if (count <= times) await act()
        return model.tally(of)()
      },
    }
  }
  const begunAnew = (model: ReadModel) => async () => model.begin('00000000', await succeed(model.state()))()

  it(
    'counts what was appended just before, and the refusals of summaries',
    scene(async (store, model) => {
      const { totals, refusals } = await succeed(async () => activityIn({ store, model }, span))
      expect(totals).to.deep.equal({ ...NOTHING, refused: 43 })
      expect(refusals).to.deep.equal([
        { type: 'SignInRefused', reason: 'wrong_password', count: 41 },
        { type: 'SignInRefused', reason: 'unknown_email', count: 2 },
      ])
    }),
  )

  it(
    'counts again if another process begins the model anew, or the log has a new epoch',
    scene(async (store, model) => {
      const emptied = changed(model, begunAnew(model))
      const renewed = changed(model, async () => {
        await renewByStore(store)
        await model.begin(await succeed(store.readEpoch()), await succeed(model.state()))()
      })
      for (const one of [emptied, renewed]) {
        const { totals } = await succeed(async () => activityIn({ store, model: one }, span))
        expect(totals.refused).to.equal(43)
      }
    }),
  )
})
