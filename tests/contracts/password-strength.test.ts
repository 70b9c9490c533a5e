import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLeft } from 'fp-ts/lib/Either.js'
import { leakedList } from '../../adapters/credentials/leaked-list/list.ts'
import { zxcvbnEstimator } from '../../adapters/credentials/zxcvbn/estimator.ts'
import { digestLines } from '../leaked-list/digest-lines.ts'
import { leakedAre, plainEstimator } from '../support/fake-passwords.ts'
import {
  leakedPasswordsContract,
  type OpenLeakedPasswords,
  passwordEstimatorContract,
} from '../testkit/password-strength.ts'

const inFile =
  (textOf: (passwords: ReadonlyArray<string>) => string): OpenLeakedPasswords =>
  async (passwords) => {
    const folder = await mkdtemp(join(tmpdir(), 'portcullis-leaked-'))
    const path = join(folder, 'leaked.txt')
    await writeFile(path, textOf(passwords))
    const list = leakedList(path, { kind: 'nist', minCodePoints: 8 })
    if (isLeft(list)) throw new Error(list.left)
    return { leaked: list.right, close: () => rm(folder, { recursive: true }) }
  }

const LISTS: ReadonlyArray<readonly [string, OpenLeakedPasswords]> = [
  ['a file of digests', inFile((passwords) => digestLines(passwords))],
  ['a file of digests with counts', inFile((passwords) => digestLines(passwords, ':7', '\r\n'))],
  ['a file of passwords', inFile((passwords) => passwords.join('\n'))],
  ['a file of passwords with CRLF', inFile((passwords) => `${passwords.join('\r\n')}\r\n`)],
  ['the stand-in', async (passwords) => ({ leaked: leakedAre(...passwords) })],
]
for (const [name, open] of LISTS) {
  describe(`the contract of LeakedPasswords, kept by ${name}`, () =>
    leakedPasswordsContract({ describe, it }, open))
}

describe('the contract of PasswordEstimator, kept by zxcvbn', () => {
  const warm = zxcvbnEstimator() // each loads a quarter of a million words before its first estimate
  after(() => warm.close())
  passwordEstimatorContract({ describe, it }, async () => ({
    estimator: { ...zxcvbnEstimator(), estimate: warm.estimate },
  }))
})

describe('the contract of PasswordEstimator, kept by the stand-in', () =>
  passwordEstimatorContract({ describe, it }, async () => ({ estimator: plainEstimator })))
