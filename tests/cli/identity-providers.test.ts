import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Hostile, startHostile } from '../support/identity-providers/hostile.ts'
import { FOR_PAGES } from '../support/settings.ts'
import { workplace } from '../support/workplace.ts'

type Variables = Readonly<Record<string, string>>

describe('the commands with IDENTITY_PROVIDERS_FILE', () => {
  const place = workplace()
  let honest: Hostile
  before(async () => {
    honest = await startHostile()
    await place.portcullis('application create --name shop')
  })
  afterEach(() => honest.behave({}))
  after(async () => {
    await honest.stop()
    place.remove()
  })

  const file = join(place.folder, 'identity-providers.json')
  const provider = (name: string, issuer = honest.issuer) => ({
    ...{ name, issuer, client_id: 'portcullis', client_secret: 'this-is-secret' },
  })
  const withProviders = (providers: ReadonlyArray<object>, mode = 0o600): Variables => {
    writeFileSync(file, JSON.stringify(providers))
    chmodSync(file, mode)
    return { ...(FOR_PAGES as Variables), IDENTITY_PROVIDERS_FILE: file }
  }

  it('are refused with status 78 if the file is wrong, with all that is wrong and no secret', async () => {
    const environment = withProviders([{ ...provider('Idp'), client_id: '', extra: 1 }])
    for (const words of ['serve', 'doctor', 'application list']) {
      const { status, err } = await place.portcullis(words, { environment })
      expect(status, words).to.equal(78)
      expect(
        err.split('\n').map((line) => line.replace(/^ {2}IDENTITY_PROVIDERS_FILE="[^"]+": /, '')),
      ).to.deep.equal([
        'These settings are wrong:',
        '[0].extra is no member of a provider of the kind openid: name, label, client_id, client_secret, issuer, trusts_email',
        '[0].name must be 1 to 32 of a-z 0-9 -, not beginning with -, got "Idp"',
        '[0].client_id must be 1 to 1,024 printable ASCII characters, got ""',
        '',
      ])
    }
  })

  it('are refused with status 78 if others may read the file', async () => {
    const { status, err } = await place.portcullis('serve', {
      environment: withProviders([provider('idp')], 0o644),
    })
    expect(status).to.equal(78)
    expect(err).to.include('others may read or write it')
  })

  const findingOf = async (environment: Variables) => {
    const { out } = await place.portcullis('doctor --json', { environment })
    const { checks } = JSON.parse(out) as {
      checks: ReadonlyArray<{ name: string; ok: boolean; detail: string }>
    }
    return checks.find(({ name }) => name === 'identity providers')
  }

  it('doctor reads metadata and keys of each', async () => {
    const before = honest.requests.length
    expect(await findingOf(withProviders([provider('one'), provider('two')]))).to.deep.equal({
      ...{ name: 'identity providers', ok: true, detail: 'They answer: one, two.' },
    })
    expect(honest.requests.slice(before).filter((request) => request === 'GET /keys')).to.have.lengthOf(2)
  })

  it('doctor names those that are away, and those that answer otherwise', async () => {
    honest.behave({ metadata: { issuer: 'https://other.example' } })
    const found = await findingOf(withProviders([provider('one'), provider('away', 'http://127.0.0.1:1')]))
    expect(found).to.deep.equal({
      name: 'identity providers',
      ok: false,
      detail: [
        `one answers at ${honest.issuer}, but its metadata names another issuer. Set issuer to the one that it names.`,
        'away does not answer at http://127.0.0.1:1: users cannot sign in with it. Check the network, or its proxy.',
      ].join(' '),
    })
    honest.behave({ answers: { keys: (_, response) => void response.writeHead(404).end() } })
    expect(await findingOf(withProviders([provider('one')]))).to.have.property(
      'detail',
      `one answers at ${honest.issuer}, but not as the settings say. Check issuer or base_url, client_id and client_secret.`,
    )
  })

  it('doctor has no such check without the file', async () => {
    expect(await findingOf({})).to.equal(undefined)
  })
})
