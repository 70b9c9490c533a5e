import { expect } from 'chai'
import { type Fact, toChange } from '../../application/recording/facts.ts'
import { EVENTS } from '../../domain/event.ts'
import { AT, AT_SECONDS, anApplication, aSession, aUser, DIGEST, signedIn } from '../testkit/builders.ts'
import { everyEvent } from '../testkit/store/every-event.ts'
import { FACT_VARIANTS, type Variant } from './facts-variants.ts'
import { countingRandom, uuid } from './fakes.ts'

const TABLE: ReadonlyArray<Variant> = [
  ...everyEvent().map((one) => ({ ...one, what: one.event.type })),
  ...FACT_VARIANTS,
]

const circumstances = (requestId?: string) => ({
  actor: { kind: 'operator' } as const,
  requestId,
  atMilliseconds: Date.parse(AT),
  uuid: countingRandom().uuid,
  sha256: () => DIGEST,
})

const WRITTEN = { id: uuid(1), at: AT, actor: { kind: 'operator' }, request_id: 'request-1' }

/** The password record of a fact, whose digest is in the event. */
const recordIn = (fact: Fact): string | undefined => {
  if ('password' in fact) return fact.password.record
  return 'user' in fact ? fact.user.passwordRecord : undefined
}

describe('a fact', () => {
  for (const { what, fact, event, rows, compared = [], withdrawn } of TABLE) {
    it(`${what} becomes its event and ${rows.length} rows`, () => {
      const hashed: Array<string> = []
      const sha256 = (text: string) => {
        hashed.push(text)
        return DIGEST
      }
      expect(toChange([fact], { ...circumstances('request-1'), sha256 })).to.deep.equal({
        id: uuid(1),
        events: [{ ...event, ...WRITTEN }],
        compared,
        rows,
        ...(withdrawn && { withdrawn }),
      })
      expect(hashed).to.deep.equal('password_digest' in event.data ? [recordIn(fact)] : [])
    })
  }

  it('without an effect writes no row: its entry may be pruned, and the row would follow from nothing', () => {
    const without = TABLE.filter(({ event }) => EVENTS[event.type].effect === 'none')
    expect(without.filter(({ rows }) => rows.length > 0).map(({ what }) => what)).to.deep.equal([])
  })

  it('without a request has no request_id', () => {
    const { events } = toChange([signedIn()], circumstances())
    expect(events[0]).to.not.have.property('request_id')
  })
})

describe('a session', () => {
  it('records the application that acts', () => {
    const { rows } = toChange([signedIn()], {
      ...circumstances(),
      actor: { kind: 'application', id: 'shop' },
    })
    expect(rows[0]?.row).to.deep.include({ applicationId: 'shop' })
  })

  it('is never authenticated after the entry, also if the clock was set back since its token was signed', () => {
    const stepUp = {
      _tag: 'SessionSteppedUp',
      session: aSession(),
      user: aUser(),
      application: anApplication(),
      methods: 'password',
      authenticatedAtSeconds: AT_SECONDS + 60,
    } as const
    for (const fact of [signedIn(aSession({ authenticatedAtSeconds: AT_SECONDS + 60 })), stepUp])
      expect(toChange([fact], circumstances()).rows[0]?.row).to.deep.include({
        authenticatedAtSeconds: AT_SECONDS,
      })
  })
})

describe('several facts', () => {
  it('make one change: all events in their order, each with its own id, and all rows', () => {
    const of = (type: Fact['_tag']) => TABLE.find(({ fact }) => fact._tag === type)
    const [signedOut, changed] = [of('UserSignedOut'), of('PasswordChanged')]
    if (signedOut === undefined || changed === undefined) throw new Error('the table has neither')
    const change = toChange([changed.fact, signedOut.fact], circumstances())
    expect(change.id).to.equal(uuid(1))
    expect(change.events.map(({ id, type }) => [id, type])).to.deep.equal([
      [uuid(1), 'PasswordChanged'],
      [uuid(2), 'UserSignedOut'],
    ])
    expect(change.rows).to.deep.equal([...changed.rows, ...signedOut.rows])
  })

  it('compare the rows of each', () => {
    const [first, ...others] = TABLE.filter(({ compared }) => compared !== undefined)
    if (first === undefined) throw new Error('no sample compares rows')
    const { compared } = toChange([first.fact, ...others.map(({ fact }) => fact)], circumstances())
    expect(compared).to.deep.equal([first, ...others].flatMap((one) => one.compared ?? []))
  })
})

/** The fields of facts that no event may contain. Names of factors are private, too. */
const SECRET = ['email', 'passwordRecord', 'record', 'keyDigest', 'digest', 'material', 'label']

/** The texts in these fields, at any depth. */
const textsIn = (value: unknown, isSecret = false): ReadonlyArray<string> => {
  if (typeof value === 'string') return isSecret && value !== '' ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    textsIn(inner, isSecret || SECRET.includes(name) || (name === 'name' && 'material' in value)),
  )
}

describe('the log', () => {
  for (const { what, fact } of TABLE) {
    it(`learns no secret and no e-mail of ${what}`, () => {
      const text = JSON.stringify(toChange([fact], { ...circumstances(), sha256: () => '5ha256' }).events)
      for (const secret of textsIn(fact)) expect(text).to.not.include(secret)
      expect(text).to.not.match(/secret|record|@/)
    })
  }
})
