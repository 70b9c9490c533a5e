import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { policyText } from '../../adapters/cli/settings-finding.ts'
import { settingsFrom } from '../../adapters/config/settings.ts'
import { settings } from '../support/settings.ts'

const NIST = { PASSWORD_POLICY: 'nist' }

describe('the settings of a password policy', () => {
  it('are a minimum of 15 and no list by default', () => {
    for (const environment of [NIST, { ...NIST, PASSWORD_MIN_LENGTH: '', PASSWORD_LEAKED_FILE: '' }]) {
      const { passwordPolicy, leakedPasswordsFile } = settings(environment)
      expect(passwordPolicy).to.deep.equal({ kind: 'nist', minCodePoints: 15 })
      expect(leakedPasswordsFile).to.equal(undefined)
    }
  })

  for (const minimum of [8, 15, 64]) {
    it(`accept a minimum of ${minimum}`, () => {
      const { passwordPolicy } = settings({ ...NIST, PASSWORD_MIN_LENGTH: String(minimum) })
      expect(passwordPolicy).to.deep.equal({ kind: 'nist', minCodePoints: minimum })
    })
  }

  for (const minimum of ['7', '65', '0', '-8', '8.5', 'eight', ' 8']) {
    it(`refuse a minimum of ${JSON.stringify(minimum)}`, () => {
      expect(settingsFrom({ ...NIST, PASSWORD_MIN_LENGTH: minimum })).to.deep.equal(
        left([`PASSWORD_MIN_LENGTH must be a whole number from 8 to 64, got "${minimum}"`]),
      )
    })
  }

  it('accept a list', () => {
    const { leakedPasswordsFile } = settings({ ...NIST, PASSWORD_LEAKED_FILE: './leaked.txt' })
    expect(leakedPasswordsFile).to.equal('./leaked.txt')
  })

  for (const [name, value] of [
    ['PASSWORD_MIN_LENGTH', '15'],
    ['PASSWORD_LEAKED_FILE', './leaked.txt'],
  ] as const) {
    for (const policy of ['', 'contract']) {
      it(`refuse ${name} if the policy is ${policy || 'not set'}`, () => {
        expect(settingsFrom({ PASSWORD_POLICY: policy, [name]: value })).to.deep.equal(
          left([`${name} requires PASSWORD_POLICY=nist. Set that, or remove ${name}`]),
        )
      })
    }
  }

  const TOLD: ReadonlyArray<readonly [environment: Record<string, string>, text: string]> = [
    [{}, 'contract'],
    [NIST, 'nist (at least 15 characters, no list of leaked passwords)'],
    [
      { ...NIST, PASSWORD_MIN_LENGTH: '8', PASSWORD_LEAKED_FILE: '/srv/leaked' },
      'nist (at least 8 characters, leaked passwords in /srv/leaked)',
    ],
  ]
  for (const [environment, text] of TOLD) {
    it(`are shown as ${text}`, () => {
      expect(policyText(settings(environment))).to.equal(text)
    })
  }
})
