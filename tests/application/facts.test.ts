import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Change } from '../../application/ports/store.ts'
import { EVENT_TYPES } from '../../application/recording/events/table.ts'
import { type Fact, toChange } from '../../application/recording/facts.ts'
import { EFFECTS } from '../../domain/retention.ts'
import { expectListed } from '../support/listed.ts'
import { ADA, NEW_SESSION, OLD_SHOP, SESSION } from './facts-entities.ts'
import { FACTS_OF_FACTORS } from './facts-of-factors.ts'
import { FACTS_OF_OTHERS } from './facts-of-others.ts'
import { FACTS_OF_SESSIONS } from './facts-of-sessions.ts'
import { FACTS_OF_USERS } from './facts-of-users.ts'
import { countingRandom, uuid } from './fakes.ts'

const TABLE = [...FACTS_OF_USERS, ...FACTS_OF_FACTORS, ...FACTS_OF_SESSIONS, ...FACTS_OF_OTHERS]

const circumstances = (requestId?: string) => ({
  actor: { kind: 'application', id: 'shop' } as const,
  requestId,
  atMilliseconds: 1_772_366_400_123,
  uuid: countingRandom().uuid,
  sha256: (text: string) => `digest of ${text}`,
})

const WRITTEN = {
  id: uuid(1),
  at: '2026-03-01T12:00:00.123Z',
  actor: { kind: 'application', id: 'shop' },
  request_id: 'request-1',
}

const USER_AND_SHOP: Change['compared'] = [
  { table: 'users', id: 'ada', version: 7 },
  { table: 'applications', id: 'shop', version: 4 },
]

/** The rows that a fact compares and does not write. The others compare none. */
const COMPARED: Partial<Record<Fact['_tag'], Change['compared']>> = {
  PasswordRecovered: [{ table: 'applications', id: 'shop', version: 4 }],
  EmailConfirmed: [{ table: 'applications', id: 'shop', version: 4 }],
  SessionRenewed: USER_AND_SHOP,
  SessionSteppedUp: USER_AND_SHOP,
}

/** Returns the name of a fact in the titles. Some facts have two rows in the table. */
const nameOf = (fact: Fact): string => {
  if ('factors' in fact && fact._tag === 'UserRemoved' && fact.factors.length > 0)
    return `${fact._tag} with factors`
  if ('token' in fact && fact._tag === 'UserSignedIn') return `${fact._tag} with a second factor`
  if (fact._tag === 'FactorUsed' && fact.factor.kind === 'recovery_codes')
    return `${fact._tag} of recovery codes`
  if ('superseded' in fact && fact.superseded.length > 0) return `${fact._tag} with an older key`
  if ('applicationId' in fact && fact.applicationId === undefined) return `${fact._tag} of an unknown caller`
  if ('userId' in fact && fact.userId === undefined) return `${fact._tag} of an unknown user`
  return fact._tag
}

describe('the table of facts', () => {
  it('has every type of event', () => {
    const types = new Set(TABLE.map(([, { type }]) => type))
    expectListed(
      [...types],
      EVENT_TYPES,
      'tests/application/facts-of-users.ts, facts-of-factors.ts, facts-of-sessions.ts and facts-of-others.ts',
    )
  })
})

describe('a fact', () => {
  for (const [fact, event, rows] of TABLE) {
    it(`${nameOf(fact)} becomes its event and ${rows.length} rows`, () => {
      expect(toChange([fact], circumstances('request-1'))).to.deep.equal({
        id: uuid(1),
        events: [{ ...event, ...WRITTEN }],
        compared: COMPARED[fact._tag] ?? [],
        rows,
      })
    })
  }

  it('without an effect writes no row: its entry may be pruned, and the row would follow from nothing', () => {
    const without = TABLE.filter(([, { type }]) => EFFECTS[type] === 'none')
    expect(without.filter(([, , rows]) => rows.length > 0).map(([fact]) => nameOf(fact))).to.deep.equal([])
  })

  it('without a request has no request_id', () => {
    const { events } = toChange([{ _tag: 'UserSignedOut', session: SESSION }], circumstances())
    expect(events[0]).to.not.have.property('request_id')
  })
})

describe('a session', () => {
  it('records no application if the actor is none', () => {
    const { rows } = toChange([{ _tag: 'UserSignedIn', session: NEW_SESSION }], {
      ...circumstances(),
      actor: { kind: 'operator' },
    })
    expect(rows[0]?.row).to.deep.include({ applicationId: none })
  })

  it('is never authenticated after the entry, also if the clock was set back since its token was signed', () => {
    const atSeconds = 1_772_366_400
    const later = { authenticatedAtSeconds: some(atSeconds + 60) }
    const stepUp = {
      _tag: 'SessionSteppedUp',
      session: SESSION,
      user: ADA,
      application: OLD_SHOP,
      methods: 'password',
      authenticatedAtSeconds: atSeconds + 60,
    } as const
    for (const fact of [{ _tag: 'UserSignedIn', session: { ...NEW_SESSION, ...later } } as const, stepUp])
      expect(toChange([fact], circumstances()).rows[0]?.row).to.deep.include({
        authenticatedAtSeconds: some(atSeconds),
      })
  })
})

describe('several facts', () => {
  it('make one change: all events in their order, each with its own id, and all rows', () => {
    const of = (type: Fact['_tag']) => TABLE.find(([fact]) => fact._tag === type)
    const [signedOut, changed] = [of('UserSignedOut'), of('PasswordChanged')]
    if (signedOut === undefined || changed === undefined) throw new Error('the table has neither')
    const change = toChange([changed[0], signedOut[0]], circumstances())
    expect(change.id).to.equal(uuid(1))
    expect(change.events.map(({ id, type }) => [id, type])).to.deep.equal([
      [uuid(1), 'PasswordChanged'],
      [uuid(2), 'UserSignedOut'],
    ])
    expect(change.rows).to.deep.equal([...changed[2], ...signedOut[2]])
  })

  it('compare the rows of each', () => {
    const both = TABLE.filter(([fact]) => fact._tag in COMPARED).map(([fact]) => fact)
    const [first, ...others] = both
    if (first === undefined) throw new Error('the table has neither')
    const { compared } = toChange([first, ...others], circumstances())
    expect(compared).to.deep.equal(both.flatMap(({ _tag }) => COMPARED[_tag] ?? []))
  })
})

describe('the log', () => {
  for (const [fact] of TABLE) {
    it(`learns no secret and no e-mail of ${nameOf(fact)}`, () => {
      const text = JSON.stringify(toChange([fact], { ...circumstances(), sha256: () => '5ha256' }).events)
      expect(text).to.not.match(/secret|record|@/)
    })
  }
})
