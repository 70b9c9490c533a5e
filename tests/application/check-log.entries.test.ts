import { expect } from 'chai'
import type { LogEntry, Store } from '../../application/ports/store.ts'
import { check, eventfulWorld } from './eventful-world.ts'
import { recordsOf } from './records.ts'
import { allEvents, type World } from './world.ts'

const missing = (position: number): string =>
  `position ${position} is missing, and no LogPruned that EVENT_LOG_KEY has signed names it`

describe('checkLog, given a log that was changed', () => {
  let world: World
  before(async () => {
    world = await eventfulWorld()
  })

  const rewritten = (rewrite: (entries: ReadonlyArray<LogEntry>) => ReadonlyArray<LogEntry>): Store => ({
    ...world.store,
    readEvents:
      ({ after, limit }) =>
      async () => ({
        _tag: 'Right',
        right: rewrite(await allEvents(world.store))
          .filter(({ position }) => position > after)
          .slice(0, limit),
      }),
  })

  it('when any entry but the last is missing, then a gap is reported', async () => {
    const entries = await allEvents(world.store)
    for (const { position } of entries.slice(0, -1)) {
      const store = rewritten((all) => all.filter((one) => one.position !== position))
      expect(await check(world, store)).to.include(missing(position))
    }
  })

  it('when an entry without rows is missing, then only the gap is reported', async () => {
    const entries = await allEvents(world.store)
    const issued = entries.find(({ type }) => type === 'ApplicationTokenIssued')?.position ?? 0
    const store = rewritten((all) => all.filter(({ position }) => position !== issued))
    expect(await check(world, store)).to.deep.equal([missing(issued)])
  })

  it('when its end is missing, then the rows are ahead of it', async () => {
    const entries = await allEvents(world.store)
    const retired = entries.findLastIndex(({ type }) => type === 'SigningKeyRetired')
    const found = await check(
      world,
      rewritten((all) => all.slice(0, retired)),
    )
    const { keys } = await recordsOf(world.store)
    const key = keys.find((one) => one.retired)
    expect(found).to.deep.equal([
      `keys ${key?.id} (version 2): retired differs from the log`,
      `keys ${key?.id} (version 2): secret differs from the log`,
    ])
  })

  it('when a key is re-encrypted after its secret was erased, then it is reported', async () => {
    const { keys } = await recordsOf(world.store)
    const kid = keys.find(({ retired }) => retired)?.kid ?? ''
    const found = await check(
      world,
      rewritten((all) =>
        all.map((entry) =>
          entry.type === 'SignInRefused'
            ? {
                ...entry,
                type: 'SigningKeyReencrypted',
                subject: { kind: 'key', id: kid },
                data: { key_encryption_key_id: '2026' },
              }
            : entry,
        ),
      ),
    )
    expect(found).to.have.lengthOf(1)
    expect(found[0]).to.match(/\(SigningKeyReencrypted\): the secret of key \S+ was already erased$/)
  })

  it('when a type of event is unknown, then it is reported', async () => {
    const entries = await allEvents(world.store)
    const issued = entries.find(({ type }) => type === 'ApplicationTokenIssued')?.position ?? 0
    const unheardOf = (entry: LogEntry) => ({ ...entry, type: 'PasswordGuessed' }) as unknown as LogEntry
    const store = rewritten((all) => all.map((one) => (one.position === issued ? unheardOf(one) : one)))
    expect(await check(world, store)).to.deep.equal([
      `the log at position ${issued} (PasswordGuessed): unknown event type`,
    ])
  })

  const FIRST = 'no earlier entry creates'
  const REWRITES: ReadonlyArray<
    readonly [name: string, rewrite: (entry: LogEntry) => LogEntry, said: RegExp]
  > = [
    [
      'a password version is skipped',
      (entry) =>
        entry.type === 'PasswordChanged' ? { ...entry, data: { ...entry.data, password_version: 7 } } : entry,
      /\(PasswordChanged\): password_version is 7, expected 2/,
    ],
    [
      'a key before the rotation is another',
      (entry) =>
        entry.type === 'ApplicationKeyRotated'
          ? { ...entry, data: { ...entry.data, previous_key_id: 'forged' } }
          : entry,
      /\(ApplicationKeyRotated\): previous_key_id is not the current key/,
    ],
    [
      'an unknown user is disabled',
      (entry) => (entry.type === 'UserDisabled' ? { ...entry, subject: { kind: 'user', id: 'eve' } } : entry),
      new RegExp(`\\(UserDisabled\\): ${FIRST} user eve`),
    ],
  ]
  for (const [name, rewrite, said] of REWRITES) {
    it(`when ${name}, then it is reported with its position`, async () => {
      const found = await check(
        world,
        rewritten((all) => all.map(rewrite)),
      )
      expect(found.some((sentence) => said.test(sentence))).to.equal(true)
    })
  }
})
