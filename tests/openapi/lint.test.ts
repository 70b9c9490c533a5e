import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect } from 'chai'
import type { Environment } from '../../adapters/config/settings.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { documentOf } from '../support/open-api.ts'

const SERVICES: Readonly<Record<string, Environment>> = {
  'with default settings': {},
  'under PASSWORD_POLICY=nist': { PASSWORD_POLICY: 'nist' },
  'with mailed links': mailLinkSettings(),
  'behind a prefix': { PUBLIC_URL: 'https://example.com/auth' },
}

const problemsOf = async (source: string): Promise<ReadonlyArray<string>> => {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
}

describe('the OpenAPI document', () => {
  for (const [what, environment] of Object.entries(SERVICES)) {
    it(`passes a strict linter ${what}`, async () => {
      expect(await problemsOf(await documentOf(environment))).to.deep.equal([])
    })
  }
})
