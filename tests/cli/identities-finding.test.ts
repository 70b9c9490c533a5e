import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { identitiesFinding } from '../../adapters/cli/identities-finding.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { identityFactor } from '../../application/factors/identity-factor.ts'
import { aFactor } from '../testkit/builders.ts'

const [GOOGLE, GITHUB] = ['https://accounts.google.com', 'https://github.com']

describe('the check of identities by doctor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-providers-'))
  const file = join(folder, 'identity-providers.json')
  before(() => {
    writeFileSync(
      file,
      JSON.stringify([{ name: 'github', kind: 'github', client_id: 'a', client_secret: 'b' }]),
    )
    chmodSync(file, 0o600)
  })
  after(() => rmSync(folder, { recursive: true }))

  const identity = (issuer: string, subject: string, fields: object = {}) =>
    aFactor({
      ...identityFactor(
        { digests: nodeDigests },
        { userId: 'ada', identity: { issuer, subject, name: 'Google' }, former: undefined },
      ),
      ...fields,
    })
  const found = (factors: ReadonlyArray<ReturnType<typeof aFactor>>, identityProvidersFile?: string) => {
    const { take, findings } = identitiesFinding({
      digests: nodeDigests,
      settings: { identityProvidersFile },
    })
    take(factors)
    return findings().map(({ ok, detail }) => [ok, detail])
  }
  const some = [identity(GOOGLE, '1'), identity(GOOGLE, '2'), identity(GITHUB, '1')]

  it('says nothing without them, and counts no removed ones', () => {
    const removed = identity(GOOGLE, '3', { removed: true, material: '' })
    expect(found([removed, aFactor({ kind: 'totp' })], file)).to.deep.equal([])
  })

  it('counts them, and warns of issuers that no provider of the file has', () => {
    const count = 'Identities at other providers: 3.'
    expect(found(some)).to.deep.equal([[true, count]])
    expect(found(some, file)).to.deep.equal([
      [
        true,
        `${count} Warning: 2 of ${GOOGLE}, which no provider has. Add it to IDENTITY_PROVIDERS_FILE, as the file had it. Else these users need another way in.`,
      ],
    ])
  })

  it('fails if an id does not follow from issuer and subject, also if these cannot be read', () => {
    const [moved, damaged] = [
      identity(GOOGLE, '4', { material: identity(GOOGLE, '5').material }),
      identity(GOOGLE, '6', { material: 'damaged' }),
    ]
    const [[ok, detail] = []] = found([...some, moved, damaged])
    expect(ok).to.equal(false)
    expect(detail).to.include(
      `2 have ids that do not follow from issuer and subject: ${moved.id}, ${damaged.id}.`,
    )
  })
})
