import { expect } from 'chai'
import fc from 'fast-check'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  CHALLENGES_FOR,
  passkeyCredential,
  passkeyFlags,
  passkeyId,
  passkeyMaterial,
  readPasskeyFlags,
  userHandleOf,
} from '../../domain/passkey.ts'
import { SEED, withoutIo } from './no-io.ts'

const ADA = '0190f5a2-c4b8-7d11-a1b2-c3d4e5f60718'
const CREDENTIAL = { credentialId: 'AQ', publicKey: 'pQEC', rpId: 'shop.example.com' }

describe('the record of a passkey', () => {
  withoutIo()

  it('has its credential, also of a domain with several labels', () => {
    expect(passkeyCredential(passkeyMaterial(CREDENTIAL))).to.deep.equal(some(CREDENTIAL))
    for (const other of ['', 'a', 'a.b', 'a.b.', '.b.c', 'a..c'])
      expect(passkeyCredential(other), other).to.deep.equal(none)
  })

  it('has its flags, and the transports', () => {
    const text = fc.constantFrom('usb', 'internal', 'hybrid')
    const flags = fc.record({
      verifiesUser: fc.boolean(),
      backupEligible: fc.boolean(),
      backedUp: fc.boolean(),
      transports: fc.uniqueArray(text),
    })
    fc.assert(
      fc.property(flags, (one) => {
        expect(readPasskeyFlags(passkeyFlags(one))).to.deep.equal(one)
      }),
      { seed: SEED },
    )
    expect(readPasskeyFlags('')).to.have.property('transports').deep.equal([])
  })

  it('has an id of version 8', () => {
    expect(passkeyId('0'.repeat(64))).to.equal('00000000-0000-8000-8000-000000000000')
  })

  it('tells of its user the 16 bytes of the id', () => {
    expect(userHandleOf(ADA)).to.equal(Buffer.from(ADA.replaceAll('-', ''), 'hex').toString('base64url'))
    expect(userHandleOf(ADA)).to.have.lengthOf(22)
  })
})

describe('the challenges of passkeys', () => {
  withoutIo()

  it('belong to one ceremony, and to one session, application or sign-in', () => {
    const user = { id: 'a', passwordVersion: 1, allEndedVersion: 1 }
    const all = [
      CHALLENGES_FOR.registration({ user, sessionId: 'x' }),
      CHALLENGES_FOR.registration({ user: { ...user, passwordVersion: 2 }, sessionId: 'x' }),
      CHALLENGES_FOR.registration({ user: { ...user, allEndedVersion: 2 }, sessionId: 'x' }),
      CHALLENGES_FOR.registration({ user: { ...user, id: 'b' }, sessionId: 'x' }),
      CHALLENGES_FOR.registration({ user, sessionId: 'y' }),
      ...['x', 'y'].flatMap((id) => [
        CHALLENGES_FOR.signIn(id),
        CHALLENGES_FOR.secondFactor(id),
        CHALLENGES_FOR.stepUp(id),
      ]),
    ]
    expect(new Set(all.map((about) => JSON.stringify(about))).size).to.equal(all.length)
  })
})
