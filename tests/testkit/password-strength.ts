import assert from 'node:assert/strict'
import type { LeakedPasswords, PasswordEstimator } from '../../application/ports/password-strength.ts'
import { casesOn } from './frames.ts'
import { ok } from './outcome.ts'
import type { Runner } from './runner.ts'

/** Opens a list of these passwords. None of them contains a line break. The suite calls `close` at the end of a case. */
export type OpenLeakedPasswords = (passwords: ReadonlyArray<string>) => Promise<OpenedLeakedPasswords>
export type OpenedLeakedPasswords = Readonly<{ leaked: LeakedPasswords; close?: () => Promise<void> }>

/**
 * The contract suite of `LeakedPasswords`.
 *
 * @param open is called once for each case
 */
export const leakedPasswordsContract = (runner: Runner, open: OpenLeakedPasswords): void => {
  const check = casesOn(runner, async () => {
    const { leaked, ...opened } = await open(LISTED)
    return { ...opened, adapter: leaked }
  })

  for (const password of LISTED) {
    check(`finds ${JSON.stringify(password)}`, async (leaked) => {
      assert.equal(await ok(leaked(password)), true)
    })
  }

  for (const password of UNLISTED) {
    check(`does not find ${JSON.stringify(password)}`, async (leaked) => {
      assert.equal(await ok(leaked(password)), false)
    })
  }

  check('keeps answers apart that are asked for at once', async (leaked) => {
    const asked = [...LISTED, ...UNLISTED]
    const found = await Promise.all(asked.map((password) => ok(leaked(password))))
    assert.deepEqual(
      asked.filter((_, index) => found[index]),
      LISTED,
    )
  })
}

export const LISTED = [
  'correct horse battery staple',
  'Passwort mit Umlauten: äöü',
  ' begins and ends with spaces ',
  'caf\u00e9 au lait for breakfast',
  '💥💥💥💥💥💥💥💥💥💥💥💥💥💥💥',
  'tab\tand quotes "\' in it',
  'the last one of all there are',
]

export const UNLISTED = [
  'Correct horse battery staple',
  'correct horse battery staple ',
  'correct horse battery stapl',
  'correct horse battery staple\0',
  'begins and ends with spaces',
  'cafe\u0301 au lait for breakfast',
  'c86cebd0ba5c5e2eb75b0a8bed28c83a1e63d4a1',
  'another one altogether',
]

/** Opens an estimator. The suite calls `close` at the end of a case, after it has closed the estimator. */
export type OpenPasswordEstimator = () => Promise<OpenedPasswordEstimator>
export type OpenedPasswordEstimator = Readonly<{ estimator: PasswordEstimator; close?: () => Promise<void> }>

/**
 * The contract suite of `PasswordEstimator`. Its texts are those on which all estimators should agree.
 *
 * @param open is called once for each case
 */
export const passwordEstimatorContract = (runner: Runner, open: OpenPasswordEstimator): void => {
  const opening = async () => {
    const { estimator, ...opened } = await open()
    return { ...opened, adapter: estimator }
  }
  const check = casesOn(runner, opening, (estimator) => estimator.close())

  for (const [text, estimate] of ESTIMATES) {
    check(`calls ${JSON.stringify(text)} ${estimate}`, async (estimator) => {
      assert.equal(await ok(estimator.estimate(text)), estimate)
    })
  }

  check('keeps estimates apart that are asked for at once', async (estimator) => {
    const found = await Promise.all(ESTIMATES.map(([text]) => ok(estimator.estimate(text))))
    assert.deepEqual(
      found,
      ESTIMATES.map(([, estimate]) => estimate),
    )
  })

  for (const [what, text] of LONG) {
    check(`has an answer for 16 KiB of ${what}`, async (estimator) => {
      assert.ok(['strong', 'common', 'guessable'].includes(await ok(estimator.estimate(text))))
    })
  }

  check('may be closed twice, and before it was asked for anything', async (estimator) => {
    await estimator.close()
    await estimator.close()
  })
}

export const ESTIMATES = [
  ['', 'guessable'],
  ['aaaaaaaaaaaaaaa', 'guessable'],
  ['💥💥💥💥💥💥💥💥💥💥💥💥💥💥💥', 'guessable'],
  ['passwordpassword', 'common'],
  ['PASSWORDpassword', 'common'],
  ['7f3a91c04be85d26a07dfe3619b8c4f2', 'strong'],
  ['trombone gravel sunlit', 'strong'],
  ['мы читаем вслух по средам', 'strong'],
] as const

export const LONG: ReadonlyArray<readonly [what: string, text: string]> = [
  ['one character', 'x'.repeat(16_384)],
  ['digits and signs that stand for letters', '4@8({[</\\361!|0$5+7%2'.repeat(800)],
  ['common words', 'p@ssw0rd1monkey'.repeat(1_100)],
  ['dates', '1.1.2011'.repeat(2_048)],
  ['NULs', '\0'.repeat(16_384)],
  ['pictures', '💥👩‍🚀'.repeat(1_200)],
]
