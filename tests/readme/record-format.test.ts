import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import { ownRecordReader } from '../../adapters/credentials/scrypt/own-record.ts'
import { scryptPasswordHasher } from '../../adapters/credentials/scrypt/password-hasher.ts'
import { ROOT } from '../architecture/root.ts'
import { succeed } from '../support/outcome.ts'
import { codeIn, partOf } from './page.ts'

const part = partOf(readFileSync(join(ROOT, 'docs/import.md'), 'utf8'), '### The record format')
const [, program = ''] = /\((\.\.\/tests\/.*\.py)\)/.exec(part) ?? []
const python = readFileSync(join(ROOT, 'docs', program), 'utf8')
const VECTORS = codeIn(part, 'text')[0]?.trim().split('\n') ?? []
const [, PASSWORD = ''] = /of the password `([^`]+)`/.exec(part) ?? []
const [, ID = '', SECRET = ''] = /secret of the pepper `([^`]+)` is `([^`]+)`/.exec(part) ?? []

const PEPPERS = [
  { id: ID, secret: SECRET },
  { id: 'a-B_9', secret: 'another pepper with \u00e9' },
]

/** Asks the program of the page, in Python with nothing but its standard library. */
const answers = (
  cases: ReadonlyArray<readonly [record: string, password: string]>,
): ReadonlyArray<unknown> => {
  const { status, stdout, stderr } = spawnSync('python3', ['-I', '-c', `${python}${HARNESS}`], {
    input: JSON.stringify({
      cases,
      peppers: Object.fromEntries(PEPPERS.map(({ id, secret }) => [id, secret])),
    }),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const HARNESS = `
import json, sys

def answer(record, password, peppers):
    try:
        return matches(record, password, peppers)
    except Exception as error:
        return type(error).__name__

given = json.load(sys.stdin)
print(json.dumps([answer(record, password, given["peppers"]) for record, password in given["cases"]]))
`

const hasherWith = (peppers: typeof PEPPERS) =>
  scryptPasswordHasher({ logN: 4, r: 8, p: 2 }, { concurrency: 1, maxWaitMs: 600_000 }, peppers)
const REQUEST = { share: ['tests'] } as const

describe('docs/import.md, The record format', function () {
  this.timeout(60_000)

  it('has two records, without and under a pepper, that its code verifies', () => {
    expect(VECTORS.map((record) => record.split('$')[1])).to.deep.equal(['', ID])
    const cases = VECTORS.flatMap((record) => [[record, PASSWORD] as const, [record, 'another'] as const])
    expect(answers(cases)).to.deep.equal([true, false, true, false])
  })

  it('has records that this service verifies, and that an import takes', async () => {
    for (const record of VECTORS) {
      const hasher = hasherWith(PEPPERS)
      expect(await succeed(hasher.verify(PASSWORD, some(record), REQUEST))).to.equal(true)
      expect(isRight(ownRecordReader({ logN: 1, r: 1, p: 1 })(record))).to.equal(true)
    }
  })

  it('has code that verifies the records of this service, for any password', async () => {
    const passwords = ['', 'abc', 'abc\0', 'ABC', '\u00e9 🛒', 'x'.repeat(200)]
    const cases: Array<readonly [string, string]> = []
    for (const peppers of [[], PEPPERS.slice(0, 1), PEPPERS.slice(1)])
      for (const password of passwords) {
        const { record } = await succeed(hasherWith(peppers).hash(password, REQUEST))
        for (const other of passwords) cases.push([record, other])
      }
    expect(answers(cases)).to.deep.equal(cases.map((_, index) => sameAt(index, passwords.length)))
  })

  it('has code that refuses damaged records, and those under an unknown pepper', () => {
    const [record = ''] = VECTORS
    const salted = Buffer.from(record.slice(3), 'base64')
    salted.writeUInt8(salted.readUInt8(20) ^ 1, 20)
    expect(
      answers([
        [record.replace('1$', '2$'), PASSWORD],
        [record.slice(0, -4), PASSWORD],
        [`1$$${salted.toString('base64')}`, PASSWORD],
        [record.replace('1$', '1$unknown'), PASSWORD],
      ]),
    ).to.deep.equal(['ValueError', 'ValueError', 'ValueError', 'KeyError'])
  })
})

/** Each record is followed by all passwords in turn: the n-th record is that of the n-th password. */
const sameAt = (index: number, many: number): boolean => index % many === Math.floor(index / many) % many
