import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { digestLines } from '../leaked-list/digest-lines.ts'
import { contents } from '../sqlite/raw.ts'
import type { Ended } from '../support/command.ts'
import { workplace } from '../support/workplace.ts'

const NIST = { PASSWORD_POLICY: 'nist' }
const CREATE = 'user create --email ada.lovelace@example.com --password-stdin'
const SET = 'user set-password bob@example.com --password-stdin'

const refused = (...sentences: ReadonlyArray<string>): Ended => ({
  status: 1,
  out: '',
  err: sentences.map((sentence) => `${sentence}\n`).join(''),
})

const SHORT = 'The password has fewer than 15 characters.'
const LEAKED = 'The password is on the list of leaked passwords.'
const NAMES = 'The password is built from the e-mail address or the name of the service.'
const COMMON = 'The password is built from passwords or words that many people choose.'
const PATTERN = 'The password is built from patterns that are easy to guess.'

describe('the command line with PASSWORD_POLICY=nist', () => {
  const { folder, database, portcullis, remove } = workplace()
  const digests = join(folder, 'leaked-digests.txt')
  const withDigests = { ...NIST, PASSWORD_LEAKED_FILE: digests }
  before(async () => {
    writeFileSync(digests, digestLines(['leaked but good otherwise', 'another leaked one'], ':12', '\r\n'))
    await portcullis('user create --email bob@example.com --password-stdin', { input: 'x' })
  })
  after(remove)

  const WEAK: ReadonlyArray<readonly [words: string, input: string, sentence: string]> = [
    [CREATE, 'x\n', SHORT],
    [CREATE, 'leaked but good otherwise', LEAKED],
    [CREATE, 'ada.lovelace2026\n', NAMES],
    [CREATE, 'passwordpassword\n', COMMON],
    [CREATE, 'abcdefghijklmnop\n', PATTERN],
    [SET, 'portcullis-portcullis', NAMES],
  ]
  for (const [words, input, sentence] of WEAK) {
    it(`refuses ${input.trim()} with status 1 and one sentence, and changes nothing: ${words}`, async () => {
      const before = contents(database)
      expect(await portcullis(words, { input, environment: withDigests })).to.deep.equal(refused(sentence))
      expect(contents(database)).to.deep.equal(before)
    })
  }

  it('shows the policy in doctor', async () => {
    const { out } = await portcullis('doctor --json', { environment: withDigests })
    const [settings] = JSON.parse(out).checks
    expect(settings.detail).to.include(`policy nist (at least 15 characters, leaked passwords in ${digests})`)
  })

  it('exits with 78 if the list does not exist', async () => {
    const list = join(folder, 'nothing')
    const environment = { ...NIST, PASSWORD_LEAKED_FILE: list }
    for (const words of ['serve', SET])
      expect(await portcullis(words, { environment })).to.deep.equal({
        status: 78,
        out: '',
        err: `These settings are wrong:\n  PASSWORD_LEAKED_FILE="${list}": the file it names cannot be read (ENOENT)\n`,
      })
  })
})
