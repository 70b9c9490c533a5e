import assert from 'node:assert/strict'
import type { Check, KnownRecord, PasswordHasherCapabilities } from '../password-hasher.ts'
import { hash, verify } from './steps.ts'

/** A record that could be better is as good as any, until it is replaced. */
export const outdatedCases = (check: Check, { password, record }: KnownRecord): void => {
  check('an outdated record fits its own password and no other', async (hasher) => {
    assert.equal(await verify(hasher, password, record), true)
    assert.equal(await verify(hasher, `${password} `, record), false)
  })

  check('an outdated record is outdated for its own password', async (hasher) => {
    assert.equal(hasher.assess(record, password), 'outdated')
  })

  check(
    'an outdated record is assessed as outdated, and a new one of its password as current',
    async (hasher) => {
      assert.equal(hasher.assess(record), 'outdated')
      assert.equal(hasher.assess(await hash(hasher, password)), 'current')
    },
  )
}

/** A new record after a sign-in would be of the sent password, which may not be the user's. */
export const inexactCases = (
  check: Check,
  { password, record, other }: NonNullable<PasswordHasherCapabilities['inexact']>,
): void => {
  check('a record that two passwords fit is outdated for neither', async (hasher) => {
    for (const one of [password, other]) {
      assert.equal(await verify(hasher, one, record), true)
      assert.equal(hasher.assess(record, one), 'current')
    }
  })
}

/** A record that was made with something that is not there fits nothing. */
export const unreadableCases = (check: Check, { password, record }: KnownRecord): void => {
  check('an unreadable record fits no password, not even its own', async (hasher) => {
    for (const any of [password, '', 'another']) assert.equal(await verify(hasher, any, record), false)
  })

  check('a known unreadable record is assessed as unreadable', async (hasher) => {
    assert.equal(hasher.assess(record), 'unreadable')
  })
}
