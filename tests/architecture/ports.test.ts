import { expect } from 'chai'
import { sourcesIn } from './sources.ts'

/** The contracts of each file of application/ports. Every other file says in a comment why it has none. */
const CONTRACTS: Readonly<Record<string, ReadonlyArray<string>>> = {
  'announcements.ts': ['announcementsContract'],
  'background.ts': ['backgroundContract'],
  'environment.ts': ['clockContract', 'digestsContract', 'randomContract', 'timerContract'],
  'failure-counts.ts': ['failureCountsContract'],
  'id-token-keys.ts': ['idTokenKeysContract'],
  'identity-provider.ts': ['identityProviderContract'],
  'key-wrapping.ts': ['keyWrappingContract'],
  'log-lines.ts': ['logLinesContract'],
  'log-tree.ts': ['logTreeContract'],
  'mail.ts': ['mailerContract'],
  'outbox.ts': ['outboxContract'],
  'passkey-verifier.ts': ['passkeyVerifierContract'],
  'password-hasher.ts': ['passwordHasherContract'],
  'password-strength.ts': ['leakedPasswordsContract', 'passwordEstimatorContract'],
  'protocol-state.ts': ['protocolStateContract'],
  'sealing.ts': ['sealingContract'],
  'store.ts': ['storeContract'],
  'store-copy.ts': ['storeCopyContract'],
  'token-format.ts': ['applicationTokensContract', 'userJwtsContract', 'userTokensContract'],
}

const SAYS_WHY_NOT = /\* The testkit has no contract for (?:this|these) (?:port|types?)[:.,] /

describe('each port', () => {
  for (const { path, text } of sourcesIn('application/ports')) {
    const name = path.split('/').at(-1) ?? ''
    it(`has a contract in the testkit or says why not: ${name}`, () => {
      expect(CONTRACTS[name] !== undefined, 'one of the two').not.to.equal(SAYS_WHY_NOT.test(text))
    })
  }

  it('of the table exists, and its contracts are those of the testkit', async () => {
    const ports = sourcesIn('application/ports').map(({ path }) => path.split('/').at(-1))
    expect(ports).to.include.members(Object.keys(CONTRACTS))
    const contracts = Object.keys(await import('../testkit/testkit.ts')).filter((name) =>
      /Contract$/.test(name),
    )
    expect(Object.values(CONTRACTS).flat()).to.have.members(contracts)
  })
})
