import { execFile } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { identityProvidersIn } from '../../adapters/config/identity-providers.ts'
import { IDENTITY_REASONS } from '../../domain/refusal-reasons.ts'
import { ROOT } from '../architecture/root.ts'
import { allRoutes } from '../client/all-routes.ts'
import { type IdentityDesk, startIdentityDesk } from '../identity/identity-desk.ts'
import { type ForeignProject, foreignProject } from '../support/foreign-project.ts'
import { expectListed } from '../support/listed.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { codeIn, partOf } from './page.ts'

const PAGE = readFileSync(join(ROOT, 'docs/identities.md'), 'utf8')
const OWN = partOf(PAGE, '## Your own application')
const REDIRECT_URIS = [...(codeIn(OWN, 'sh')[0] ?? '').matchAll(/--redirect-uri (\S+)/g)].map(
  ([, uri = '']) => uri,
)

onMemory('docs/identities.md', (stores) => {
  let desk: IdentityDesk
  let project: ForeignProject
  before(async () => {
    desk = await startIdentityDesk(stores)
    project = foreignProject()
  })
  after(async () => {
    project.remove()
    await desk.expectAgreement()
    await desk.stop()
  })

  const [google, lost] = [{ id: 71, email: 'ada@gmail.example' }, { id: 72 }]
  const keysOf = async (scope: string) => {
    const made = await succeed(
      desk.running.service.registerApplication(CONTEXT, { name: 'shop', scope, redirectUris: REDIRECT_URIS }),
    )
    return { publicApiKey: made.publicApiKey, privateApiKey: made.privateApiKey }
  }

  it('has settings of providers that the service takes', () => {
    const blocks = codeIn(partOf(PAGE, '## Providers'), 'json')
    expect(blocks).to.have.lengthOf(4)
    const all = blocks.flatMap((block) => JSON.parse(block))
    const file = join(project.folder, 'identity-providers.json')
    project.write('identity-providers.json', JSON.stringify(all).replaceAll('…', 'x'))
    chmodSync(file, 0o600)
    const read = identityProvidersIn(file)
    expect(read).to.have.nested.property('right.length', 4)
  })

  it('has requests that sign a user in', async () => {
    const [start = '', complete = ''] = (codeIn(OWN, 'sh')[1] ?? '').split('\n\n')
    const { publicApiKey, privateApiKey } = await keysOf('users:sign_in users:register')
    const body = { public_api_key: publicApiKey, private_api_key: privateApiKey }
    const { body: issued } = await desk.running.send({
      method: 'POST',
      path: '/api/v1/auth/application/token',
      body,
    })
    const run = async (request: string) => {
      const real = request.replace('127.0.0.1:8080', `127.0.0.1:${desk.running.port}`)
      const env = { ...process.env, APP_TOKEN: issued.token }
      return JSON.parse((await promisify(execFile)('sh', ['-e', '-c', real], { env })).stdout)
    }
    const { url, transaction } = await run(start)
    const answer = desk.google.signIn(url, google)
    const signedIn = await run(complete.replace('TRANSACTION', transaction).replace('QUERY', answer))
    expect(signedIn).to.deep.include({ amr: ['fed'], acr: 'aal1', is_new: true })
  })

  it('has a server that signs users in with two providers, in several tabs', async () => {
    const keys = { url: `http://127.0.0.1:${desk.running.port}`, ...(await keysOf('users:sign_in')) }
    const [imported = '', ...rest] = (codeIn(OWN, 'js')[0] ?? '').split('\n')
    const constants = `const { url, publicApiKey, privateApiKey } = ${JSON.stringify(keys)}`
    project.write('shop.mjs', [imported, constants, ...rest].join('\n'))
    const { begin, finish } = await import(pathToFileURL(join(project.folder, 'shop.mjs')).href)
    const session: Record<string, unknown> = {}
    const [one, other] = [await begin(session, 'google'), await begin(session, 'github')]
    const answer = desk.google.signIn(one, google)
    const again = { page: 'sign-in', message: 'Please start again.' }
    expect(await finish(session, 'github', answer, '192.0.2.1'), 'of another provider').to.deep.equal(again)
    expect(await finish(session, 'google', answer, '192.0.2.1')).to.deep.equal({ page: 'home' })
    expect(session.token).to.be.a('string')
    const unlinked = await finish(session, 'github', desk.github.signIn(other, lost), '192.0.2.1')
    expect(unlinked).to.include({ page: 'sign-in', link: false })
    expect(unlinked.message).to.include('vouches for no e-mail')
    expect(await finish(session, 'google', answer, '192.0.2.1')).to.deep.equal(again)
    expect(await begin(session, 'nobody')).to.equal('/sign-in')
    const { email } = await desk.register({ emailVerified: false })
    const needsLink = await finish(
      session,
      'google',
      desk.google.signIn(await begin(session, 'google'), { id: 73, email }),
    )
    expect(needsLink).to.include({ page: 'sign-in', link: true })
  })

  it('lists every code of its routes', async () => {
    const routes = (await allRoutes()).flatMap(({ methods }) => Object.values(methods))
    const ids = ['startIdentitySignIn', 'completeIdentitySignIn', 'startIdentityLink', 'completeIdentityLink']
    const codes = ids.flatMap((id) =>
      Object.values(routes.find(({ spec }) => spec.id === id)?.spec.codes ?? {}).map(({ code }) =>
        String(code),
      ),
    )
    const listed = [...partOf(PAGE, '## Codes').matchAll(/^\| (\d[\d, ]*) \|/gm)].flatMap(([, cell = '']) =>
      cell.split(', '),
    )
    expectListed(listed, [...new Set(codes)], 'the codes of docs/identities.md')
  })

  it('lists every reason of a refusal', () => {
    const cells = partOf(PAGE, '## Find out why').matchAll(/^\| (`.*?) \|/gm)
    const listed = [...cells].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    )
    expectListed(
      listed.filter((name) => name !== 'reason'),
      Object.keys(IDENTITY_REASONS),
      'the reasons of docs/identities.md',
    )
  })
})
