import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { importSentence } from '../../adapters/cli/import-report.ts'
import { readForeignRecord } from '../../adapters/credentials/foreign-passwords/record.ts'
import type { ImportProblem } from '../../domain/user-import.ts'
import { normalized, runExamples } from './cli-examples.ts'
import { codeIn, partOf } from './page.ts'

/** The tests run from the root of the project, whether compiled or not. */
const page = readFileSync('docs/import.md', 'utf8')

describe('docs/import.md', () => {
  it('shows the output that each example has (else run: make docs)', async function () {
    this.timeout(60_000) // doctor hashes a password at the cost of production
    const examples = await runExamples(page)
    expect(examples.length).to.be.least(5)
    for (const { command, shown, actual } of examples)
      expect(normalized(shown), command).to.equal(normalized(actual))
  })

  it('has records of the password of the examples', async () => {
    const lines = codeIn(page, 'json')[0]?.trim().split('\n') ?? []
    expect(lines).to.have.lengthOf(2)
    for (const line of lines) {
      const record = readForeignRecord(JSON.parse(line).password_hash)
      expect(isRight(record) && (await record.right.matches('nine purple otters sing')), line).to.equal(true)
    }
  })

  it('explains every reason of a bad line', () => {
    const part = partOf(page, '## Bad lines')
    const tags = [
      'EmailMissing',
      'EmailMalformed',
      'RecordMissing',
      'IdMalformed',
      'IdTaken',
      'IdOfRemovedUser',
    ] as const
    const more = [
      'EmailVerifiedMalformed',
      'CreatedAtMalformed',
      'CreatedAtOutOfRange',
      'StatusUnknown',
      'NameMalformed',
      'GivenNameMalformed',
      'FamilyNameMalformed',
      'PictureMalformed',
      'LocaleMalformed',
      'ZoneinfoMalformed',
      'MetadataMalformed',
      'MetadataTooLarge',
    ] as const
    const problems: ReadonlyArray<ImportProblem> = [
      ...[...tags, ...more].map((_tag) => ({ _tag })),
      { _tag: 'RecordRefused', reason: 'A reason.' },
      ...(['TotpMalformed', 'TotpTooMany', 'TotpUnverified'] as const).map((_tag) => ({ _tag })),
      { _tag: 'TotpSecretMalformed', index: 0 },
      { _tag: 'IdentitiesMalformed' },
      { _tag: 'IdentityIssuerMalformed', index: 0 },
    ]
    for (const problem of problems) {
      const [field = ''] = /^"[a-z_.[\]\d]+"/.exec(importSentence(problem)) ?? []
      expect(part, problem._tag).to.include(`\`${field}\``)
    }
  })
})
