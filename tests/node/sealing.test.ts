import { createDecipheriv, hkdfSync } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import { composeOperations } from '../../adapters/composition/compose.ts'
import { Dependency } from '../../adapters/composition/dependencies.ts'
import { provide } from '../../adapters/composition/provide.ts'
import { aesKeyWrapping } from '../../adapters/node/key-wrapping.ts'
import { aesSealing } from '../../adapters/node/sealing.ts'
import type { Sealing } from '../../application/ports/sealing.ts'
import { anyCharacter } from '../support/code-points.ts'
import { settings } from '../support/settings.ts'

const OF_2026 = { id: '2026', secret: `${'s'.repeat(31)}1` }
const OF_2027 = { id: '2027', secret: `${'s'.repeat(31)}2` }
const AT_ONCE = { now: () => 0 }
const LIFE = 600
const ABOUT = ['totp_enrolment', 'a user', 'a session', '1']

describe('sealing under the key-encryption keys', () => {
  const sealing = aesSealing([OF_2026], AT_ONCE)

  it('returns what was sealed, for any text and anything that it is for', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 300 })
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 5 }), (state, about) => {
        expect(sealing.open(sealing.seal(state, about, LIFE), about, LIFE)).to.deep.equal(some(state))
      }),
    )
  })

  it('opens for nothing else, for any two', () => {
    const parts = fc.array(fc.string({ unit: fc.constantFrom(...'a,"[]\\ '), maxLength: 4 }), {
      maxLength: 3,
    })
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const isSame = one.length === other.length && one.every((part, at) => part === other[at])
        expect(sealing.open(sealing.seal('state', one, LIFE), other, LIFE)).to.deep.equal(
          isSame ? some('state') : none,
        )
      }),
    )
  })

  it('is AES-256-GCM under a key of HKDF-SHA-256, with a random nonce and a tag of 128 bits', () => {
    const bytes = Buffer.from(sealing.seal('state', ABOUT, LIFE), 'base64url')
    expect(bytes).to.have.lengthOf(12 + 5 + 16)
    const key = Buffer.from(hkdfSync('sha256', OF_2026.secret, '', 'portcullis sealing v1', 32))
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
    decipher.setAAD(Buffer.from('[600,"totp_enrolment","a user","a session","1"]'))
    decipher.setAuthTag(bytes.subarray(-16))
    const state = decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
    expect(state).to.equal('state')
  })

  it('shares no key with the wrapping of keys', () => {
    const about = { kid: 'ada', purpose: 'totp' } as const
    const wrapped = aesKeyWrapping([OF_2026]).wrap('secret', about)
    const ciphertext = wrapped.split('$')[2] ?? ''
    for (const other of [['wrapped.v1', '2026', 'ada', 'totp'], [], ABOUT])
      expect(sealing.open(ciphertext, other, LIFE)).to.deep.equal(none)
  })

  it('opens under each of its keys with any ids', () => {
    const sealed = aesSealing([OF_2027, OF_2026], AT_ONCE).seal('state', ABOUT, LIFE)
    expect(aesSealing([OF_2026, OF_2027], AT_ONCE).open(sealed, ABOUT, LIFE)).to.deep.equal(some('state'))
    const renamed = { ...OF_2027, id: 'renamed' }
    expect(aesSealing([renamed], AT_ONCE).open(sealed, ABOUT, LIFE)).to.deep.equal(some('state'))
    expect(aesSealing([OF_2026], AT_ONCE).open(sealed, ABOUT, LIFE)).to.deep.equal(none)
  })
})

describe('the sealing of a service', () => {
  let nowMs = 0
  const sealingOf = async (KEY_ENCRYPTION_KEY: string): Promise<Option<Sealing>> => {
    let found: Option<Sealing> = none
    const looking = provide(Dependency.passwordRules, { sealing: Dependency.sealing }, ({ sealing }) => {
      found = sealing
      return []
    })
    const operations = await composeOperations(
      settings({ DATABASE_URL: 'memory:', KEY_ENCRYPTION_KEY }),
      looking,
      provide(Dependency.timer, () => ({ now: () => nowMs, until: () => async () => undefined })),
    )
    await operations.close()
    return found
  }

  it('has the keys of KEY_ENCRYPTION_KEY', async () => {
    const keys = [OF_2027, OF_2026].map(({ id, secret }) => `${id}:${secret}`)
    const sealing = await sealingOf(keys.join(' '))
    if (!isSome(sealing)) throw new Error('there is none')
    expect(
      aesSealing([OF_2027], AT_ONCE).open(sealing.value.seal('state', ABOUT, LIFE), ABOUT, LIFE),
    ).to.deep.equal(some('state'))
    const former = aesSealing([OF_2026], AT_ONCE).seal('state', ABOUT, LIFE)
    expect(sealing.value.open(former, ABOUT, LIFE)).to.deep.equal(some('state'))
  })

  it('lets the former keys open nothing more, ten minutes after the start', async () => {
    const [former, current] = [OF_2026, OF_2027].map((key) => aesSealing([key], AT_ONCE))
    const sealing = await sealingOf(`2027:${OF_2027.secret} 2026:${OF_2026.secret}`)
    if (!isSome(sealing)) throw new Error('there is none')
    nowMs += 600_001
    const opened = [former, current].map((one) =>
      sealing.value.open(one?.seal('state', ABOUT, LIFE) ?? '', ABOUT, LIFE),
    )
    expect(opened).to.deep.equal([none, some('state')])
  })

  it('does not exist without KEY_ENCRYPTION_KEY', async () => {
    expect(await sealingOf('')).to.deep.equal(none)
  })
})
