import assert from 'node:assert/strict'
import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import { ok } from '../outcome.ts'
import type { Check } from '../password-hasher.ts'
import { REQUEST, verify } from './steps.ts'

/** What a hasher says of how it makes records, and how long those take. */
export const schemeCases = (check: Check): void => {
  check('a scheme is a public text that a store can hold', async (hasher) => {
    const password = 'correct horse battery staple'
    const { record, scheme } = await ok(hasher.hash(password, REQUEST))
    assert.equal(await verify(hasher, password, record), true)
    assert.ok(typeof scheme === 'string' && scheme !== '' && scheme.length <= 200)
    assert.ok(scheme.isWellFormed() && !scheme.includes('\0'))
    assert.ok(!scheme.includes(password) && !scheme.includes(record.slice(-16)))
  })

  check('verifyMs knows its own scheme', async (hasher) => {
    const { scheme } = await ok(hasher.hash('correct horse', REQUEST))
    assert.ok(isDuration(hasher.verifyMs(some(scheme))))
  })

  check('verifyMs knows the time without a record from the beginning', async (hasher) => {
    assert.ok(isDuration(hasher.verifyMs(none)))
    await ok(hasher.verify('correct horse', none, REQUEST))
    assert.ok(isDuration(hasher.verifyMs(none)))
  })

  check('verifyMs is none for an unknown scheme', async (hasher) => {
    for (const scheme of ['', ' ', 'correct horse', '$2b$10$', '\0', '\ud800', 'A'.repeat(2 ** 20)])
      assert.deepEqual(hasher.verifyMs(some(scheme)), none, scheme.slice(0, 20))
  })
}

const isDuration = (found: Option<number>): boolean =>
  isSome(found) && Number.isFinite(found.value) && found.value > 0
