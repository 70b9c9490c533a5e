import { expect } from 'chai'
import * as fc from 'fast-check'
import { type Either, isRight, left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { type Application, type KeyRefusal, validatePrivateKey, withKey } from '../../domain/application.ts'
import { NO_OWN_LIFETIMES } from '../../domain/lifetimes.ts'
import { NO_CLIENT } from '../../domain/redirect-uris.ts'
import { SEED, withoutIo } from './no-io.ts'

const NEW_SHOP: Application = {
  id: 'shop',
  name: 'shop',
  scope: ['users:sign_in'],
  keyId: 'first',
  keyDigest: 'digest of first',
  previousKey: none,
  lifetimes: NO_OWN_LIFETIMES,
  requiredAssurance: 'aal1',
  requiresVerifiedEmail: false,
  passkeyOrigins: [],
  returnUrls: [],
  ...NO_CLIENT,
  revoked: false,
  version: 1,
}

const SHOP: Application = {
  ...NEW_SHOP,
  keyId: 'second',
  keyDigest: 'digest of second',
  previousKey: some({ id: 'first', digest: 'digest of first', untilSeconds: 1000 }),
  version: 2,
}

describe('a presented private key', () => {
  withoutIo()

  const NEITHER = { current: false, previous: false }
  const CURRENT = { current: true, previous: false }
  const PREVIOUS = { current: false, previous: true }
  const BOTH = { current: true, previous: true }

  const CASES: ReadonlyArray<
    readonly [
      name: string,
      facts: Readonly<{
        application?: Partial<Application>
        equals: Readonly<{ current: boolean; previous: boolean }>
        now?: number
      }>,
      live: Either<KeyRefusal, string>,
    ]
  > = [
    ['is valid if it is the current one', { equals: CURRENT }, right('second')],
    ['is always valid if it is the current one', { equals: CURRENT, now: 1e12 }, right('second')],
    ['is valid during the overlap if it is the previous one', { equals: PREVIOUS }, right('first')],
    ['is valid until the end of its overlap', { equals: PREVIOUS, now: 999.999 }, right('first')],
    ['stops at the end of its overlap', { equals: PREVIOUS, now: 1000 }, left('previous_key_expired')],
    ['is expired long after its overlap', { equals: PREVIOUS, now: 1e9 }, left('previous_key_expired')],
    ['counts as the current one when it is both', { equals: BOTH }, right('second')],
    ['counts as the current one when it is both, at any time', { equals: BOTH, now: 1e9 }, right('second')],
    ['is wrong when it is neither', { equals: NEITHER }, left('wrong_private_key')],
    ['is wrong when it is neither, at any time', { equals: NEITHER, now: 1e9 }, left('wrong_private_key')],
    [
      'is wrong if there is no previous key to equal',
      { application: { previousKey: none }, equals: PREVIOUS },
      left('wrong_private_key'),
    ],
    [
      'is refused if the application is revoked',
      { application: { revoked: true }, equals: CURRENT },
      left('application_revoked'),
    ],
    [
      'is refused as the previous one if the application is revoked',
      { application: { revoked: true }, equals: PREVIOUS },
      left('application_revoked'),
    ],
    [
      'is refused for the revoked application before its own expiry',
      { application: { revoked: true }, equals: PREVIOUS, now: 1000 },
      left('application_revoked'),
    ],
    [
      'is wrong before the application is revoked',
      { application: { revoked: true }, equals: NEITHER },
      left('wrong_private_key'),
    ],
  ]
  for (const [name, { application, equals, now = 999 }, live] of CASES) {
    it(name, () => {
      expect(validatePrivateKey({ ...SHOP, ...application }, equals, now)).to.deep.equal(live)
    })
  }
})

describe('an application that gets a new key', () => {
  withoutIo()

  const SECOND = { id: 'second', digest: 'digest of second' }
  const THIRD = { id: 'third', digest: 'digest of third' }

  it('keeps the current key as the previous one', () => {
    expect(withKey(NEW_SHOP, SECOND, { previousUntilSeconds: 1000, nowSeconds: 400 })).to.deep.equal({
      ...SHOP,
      version: 1,
    })
  })

  it('forgets the key before that, even during its overlap', () => {
    expect(withKey(SHOP, THIRD, { previousUntilSeconds: 500, nowSeconds: 400 })).to.deep.equal({
      ...SHOP,
      keyId: 'third',
      keyDigest: 'digest of third',
      previousKey: some({ id: 'second', digest: 'digest of second', untilSeconds: 500 }),
    })
  })

  it('keeps no previous key without an overlap, so that it stays invalid after the clock goes back', () => {
    for (const now of [500, 501]) {
      expect(withKey(SHOP, THIRD, { previousUntilSeconds: 500, nowSeconds: now }).previousKey).to.deep.equal(
        none,
      )
    }
  })

  it('keeps its revocation', () => {
    for (const revoked of [false, true]) {
      expect(
        withKey({ ...SHOP, revoked }, THIRD, { previousUntilSeconds: 0, nowSeconds: 0 }).revoked,
      ).to.equal(revoked)
    }
  })

  it('has at most two valid keys at any time, including the newest', () => {
    const rotation = fc.record({ at: fc.nat({ max: 1000 }), overlap: fc.nat({ max: 1000 }) })
    fc.assert(
      fc.property(fc.array(rotation), fc.nat({ max: 3000 }), (rotations, now) => {
        const ids = ['first', ...rotations.map((_, index) => `key ${index}`)]
        const application = rotations.reduce(
          (current, { at, overlap }, index) =>
            withKey(
              current,
              { id: `key ${index}`, digest: `digest of key ${index}` },
              { previousUntilSeconds: at + overlap, nowSeconds: at },
            ),
          NEW_SHOP,
        )
        const good = ids.filter((id) => {
          const digest = `digest of ${id}`
          const { keyDigest, previousKey } = application
          const previous = previousKey._tag === 'Some' && previousKey.value.digest === digest
          const live = validatePrivateKey(application, { current: keyDigest === digest, previous }, now)
          if (isRight(live)) expect(live.right).to.equal(id)
          return isRight(live)
        })
        const last = rotations.at(-1)
        const overlaps = last !== undefined && last.overlap > 0 && now < last.at + last.overlap
        expect(good).to.deep.equal(overlaps ? ids.slice(-2) : ids.slice(-1))
      }),
      { seed: SEED },
    )
  })
})
