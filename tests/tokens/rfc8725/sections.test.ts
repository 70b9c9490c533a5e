import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../../architecture/root.ts'

/** RFC 8725, JSON Web Token Best Current Practices: the threats (section 2) and the practices against them (section 3). */
const THREATS = [
  ['2.1', 'Weak Signatures and Insufficient Signature Validation', ['3.1', '3.2']],
  ['2.2', 'Weak Symmetric Keys', ['3.5']],
  ['2.3', 'Incorrect Composition of Encryption and Signature', ['3.3']],
  ['2.4', 'Plaintext Leakage through Analysis of Ciphertext Length', ['3.6']],
  ['2.5', 'Insecure Use of Elliptic Curve Encryption', ['3.4']],
  ['2.6', 'Multiplicity of JSON Encodings', ['3.7']],
  ['2.7', 'Substitution Attacks', ['3.8', '3.9']],
  ['2.8', 'Cross-JWT Confusion', ['3.8', '3.9', '3.11', '3.12']],
  ['2.9', 'Indirect Attacks on the Server', ['3.10']],
] as const

const PRACTICES = [
  ['3.1', 'Perform Algorithm Verification'],
  ['3.2', 'Use Appropriate Algorithms'],
  ['3.3', 'Validate All Cryptographic Operations'],
  ['3.4', 'Validate Cryptographic Inputs'],
  ['3.5', 'Ensure Cryptographic Keys Have Sufficient Entropy'],
  ['3.6', 'Avoid Compression of Encryption Inputs'],
  ['3.7', 'Use UTF-8'],
  ['3.8', 'Validate Issuer and Subject'],
  ['3.9', 'Use and Validate Audience'],
  ['3.10', 'Do Not Trust Received Claims'],
  ['3.11', 'Use Explicit Typing'],
  ['3.12', 'Use Mutually Exclusive Validation Rules for Different Kinds of JWTs'],
] as const

const FOLDER = join(ROOT, 'tests/tokens/rfc8725')

/** The subjects of the tests in this folder, from their titles. */
const subjects = readdirSync(FOLDER).flatMap((file) =>
  Array.from(
    readFileSync(join(FOLDER, file), 'utf8').matchAll(/^describe\(\s*'([^']+)'/gm),
    ([, subject = '']) => ({
      file,
      subject,
    }),
  ),
)

describe('the tests of RFC 8725', () => {
  for (const [section, title] of PRACTICES) {
    it(`have §${section} ${title} in the files of its number`, () => {
      const [, number = ''] = section.split('.')
      const found = subjects.filter(({ subject }) => subject.startsWith(`RFC 8725 §${section} ${title}`))
      expect(found).to.have.length.above(0)
      for (const { file } of found) expect(file).to.match(new RegExp(`^3-${number.padStart(2, '0')}-`))
    })
  }

  for (const [section, title, practices] of THREATS) {
    it(`answer §${section} ${title} with §${practices.join(', §')}`, () => {
      for (const practice of practices) {
        const answers = subjects.filter(
          ({ subject }) =>
            subject.startsWith(`RFC 8725 §${practice} `) && new RegExp(`§${section}[,)]`).test(subject),
        )
        expect(answers, practice).to.have.length.above(0)
      }
    })
  }
})
