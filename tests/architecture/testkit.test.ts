import { expect } from 'chai'
import { importsFrom, isOfTestkit } from './reach.ts'
import { sourcesIn } from './sources.ts'

const TESTKIT = 'tests/testkit/testkit.ts'

describe('the testkit', () => {
  const sources = [...sourcesIn('tests/testkit'), ...sourcesIn('application'), ...sourcesIn('domain')]

  it('imports only node:assert, fp-ts, the domain and the ports, directly and indirectly', () => {
    const imports = importsFrom(TESTKIT, sources)
    const reached = new Set(imports.map(({ from }) => from))
    for (const contract of [
      'store',
      'failure-counts',
      'password-hasher',
      'application-tokens',
      'user-tokens',
    ])
      expect(reached).to.include(`tests/testkit/${contract}.ts`)
    expect(reached.size).to.be.greaterThan(40)
    expect(
      imports
        .filter((found) => !isOfTestkit(found))
        .map(({ from, specifier }) => `${from} imports ${specifier}`),
    ).to.deep.equal([])
  })

  for (const specifier of [
    'chai',
    'mocha',
    'fast-check',
    'node:fs',
    'node:assert',
    'fp-ts',
    'fp-ts/Either',
    '../../adapters/stores/memory/store.ts',
    '../contracts/broken/broken.ts',
    '../contracts/stores.test.ts',
    '../support/outcome.ts',
  ]) {
    it(`must not import ${specifier}, even through another file`, () => {
      const imports = importsFrom('tests/testkit/testkit.ts', [
        { path: TESTKIT, text: "export * from './store.ts'\nexport type { A } from './types.ts'" },
        { path: 'tests/testkit/store.ts', text: 'export const a = 1' },
        {
          path: 'tests/testkit/types.ts',
          text: `import type { B } from '${specifier}'\nexport type A = B`,
        },
        { path: 'tests/contracts/broken/broken.ts', text: '' },
        { path: 'tests/contracts/stores.test.ts', text: '' },
      ])
      expect(imports.filter((found) => !isOfTestkit(found)).map((found) => found.specifier)).to.deep.equal([
        specifier,
      ])
    })
  }

  it('exports exactly these names', async () => {
    expect(Object.keys(await import('../testkit/testkit.ts')).sort()).to.deep.equal([
      'announcementsContract',
      'applicationTokensContract',
      'backgroundContract',
      'clockContract',
      'digestsContract',
      'failureCountsContract',
      'idTokenKeysContract',
      'identityProviderContract',
      'keyWrappingContract',
      'leakedPasswordsContract',
      'logLinesContract',
      'logTreeContract',
      'mailerContract',
      'memoryIdentityProvider',
      'outboxContract',
      'passkeyVerifierContract',
      'passwordEstimatorContract',
      'passwordHasherContract',
      'protocolStateContract',
      'randomContract',
      'sealingContract',
      'softwareAuthenticator',
      'someChange',
      'storeContract',
      'storeCopyContract',
      'timerContract',
      'userJwtsContract',
      'userTokensContract',
    ])
  })
})
