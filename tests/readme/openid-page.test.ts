import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import * as oidc from 'openid-client'
import { SCOPE_CLAIMS } from '../../adapters/http/openid/claims.ts'
import { type BrowserDesk, browserDesk } from '../account-pages/browser-desk.ts'
import { type PageClient, pageClient } from '../account-pages/pages-service.ts'
import { ROOT } from '../architecture/root.ts'
import { follow, relyingParty } from '../openid/relying-party.ts'
import { freePort } from '../support/command.ts'
import { type ForeignProject, foreignProject } from '../support/foreign-project.ts'
import { type ServingHere, workplace } from '../support/workplace.ts'
import { codeIn, partOf } from './page.ts'

const PAGE = readFileSync(join(ROOT, 'docs/openid.md'), 'utf8')
const TWO = partOf(PAGE, '## Two applications in five minutes')
const GRAFANA = partOf(PAGE, '## Let Grafana sign in')
const SINGLE = partOf(PAGE, '## A single-page application')
const BY_HAND = partOf(PAGE, '## Refresh, userinfo and logout by hand')
const MOBILE = partOf(PAGE, '## A mobile or desktop application')

/** The options that let the code of the page use a provider without TLS. */
const WITHOUT_TLS = ['client.None()', 'client.None(), { execute: [client.allowInsecureRequests] }'] as const

describe('docs/openid.md', function () {
  this.timeout(120_000)
  const { portcullis, serve, remove } = workplace()
  const programs: Array<ChildProcess> = []
  let project: ForeignProject
  let server: ServingHere
  let client: PageClient
  let ada: Readonly<{ id: string; email: string; password: string }>
  let browser: BrowserDesk
  before(async () => {
    project = foreignProject()
    symlinkSync(join(ROOT, 'node_modules/openid-client'), join(project.folder, 'node_modules/openid-client'))
    server = await serve('serve --first-run')
    await server.prints('-changed"')
    const printed = (name: string) => new RegExp(`${name} +(\\S+)`).exec(server.printed())?.[1] ?? ''
    ada = { id: '', email: printed('email'), password: printed('password') }
    client = pageClient(server.url)
  })
  beforeEach(() => {
    browser = browserDesk({ ...client, ada })
  })
  after(async () => {
    for (const program of programs) program.kill()
    await client.close()
    await server.end()
    await remove()
    project.remove()
  })

  /** Runs a command of the page that makes a client, and returns what it needs. */
  const made = async (command: string) => {
    const words = command.trim().replace(/^portcullis /, '')
    const { out, err, status } = await portcullis(`${words} --json`)
    expect(status, err).to.equal(0)
    const { id, private_api_key: secret } = JSON.parse(out)
    return { id: String(id), secret: String(secret) }
  }
  const commandIn = (part: string): string => codeIn(part, 'sh')[0] ?? ''
  const ours = (text: string, id: string): string =>
    text
      .replaceAll('https://auth.example.com', server.url)
      .replaceAll(/\bID\b/g, id)
      .replaceAll(...WITHOUT_TLS)
  /** The exports of a module as the page has it, where `page` stands for the page that a browser shows. */
  const moduleOf = async (name: string, code: string, page: object = {}) => {
    const names = Object.keys(page)
    const [first = '', ...rest] = code.split(/(?<=^import .*\n)(?!import)/m)
    Object.assign(globalThis, { pageOfTest: page })
    project.write(
      `${name}.mjs`,
      `${first}const { ${names.join(', ')} } = globalThis.pageOfTest\n${rest.join('')}`,
    )
    return import(pathToFileURL(join(project.folder, `${name}.mjs`)).href)
  }

  describe('two applications', () => {
    /** Follows the browser from one server to another, as a person who signs in where a page asks for that. */
    const open = async (cookies: Map<string, string>, first: string) => {
      let url = first
      let signIns = 0
      for (let steps = 0; steps < 15; steps += 1) {
        const { searchParams, pathname } = new URL(url)
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const isForm = pathname === '/account/sign-in'
        if (isForm) signIns += 1
        const answer = await fetch(url, {
          redirect: 'manual',
          headers: { cookie, ...(isForm && { origin: server.url }) },
          ...(isForm && {
            method: 'POST',
            body: new URLSearchParams({ ...ada, continue: searchParams.get('continue') ?? '' }),
          }),
        })
        for (const line of answer.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          cookies.set(name, value)
        }
        const next = answer.headers.get('location') ?? answer.headers.get('refresh')?.slice('0; url='.length)
        if (next === undefined) return { text: await answer.text(), signIns }
        url = String(new URL(next.replaceAll('&amp;', '&'), url))
      }
      throw new Error('The pages lead round and round.')
    }

    const start = async (name: string): Promise<string> => {
      const port = String(await freePort())
      const [create = '', run = ''] = codeIn(TWO, 'sh').map((one) =>
        one.replaceAll('3000', port).replaceAll('shop', name),
      )
      const { id, secret } = await made(create)
      const words = run.replace('=ID', `=${id}`).replace('=PRIVATE_API_KEY', `=${secret}`)
      const [, settings = '', program = ''] = /^((?:\w+=\S+ )+)node (\S+)/.exec(words) ?? []
      const given = Object.fromEntries(
        settings
          .trim()
          .split(' ')
          .map((one) => one.split('=')),
      )
      const child = spawn(process.execPath, [join(ROOT, program)], {
        env: { PATH: process.env.PATH, ISSUER: server.url, ...given },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      programs.push(child)
      await once(child.stdout ?? child, 'data')
      return `http://127.0.0.1:${port}/`
    }

    it('share one sign-in, and one sign-out', async () => {
      const [shop, blog] = [await start('shop'), await start('blog')]
      const cookies = new Map<string, string>()
      const first = await open(cookies, shop)
      expect(first.text).to.include(`Signed in as ${ada.email}.`)
      const second = await open(cookies, blog)
      expect([first.signIns, second.signIns]).to.deep.equal([1, 0])
      expect(second.text).to.include(`Signed in as ${ada.email}.`)
      const left = await open(cookies, `${shop}sign-out`)
      expect(left.text).to.include('All applications that you opened in this browser')
      expect((await open(new Map(), blog)).signIns).to.equal(1)
    })
  })

  it('lets Grafana sign in with the settings that the page shows', async () => {
    const { id, secret } = await made(commandIn(GRAFANA))
    const ini = ours(codeIn(GRAFANA, 'ini')[0] ?? '', id).replace('PRIVATE_API_KEY', secret)
    const lines = [...ini.matchAll(/^(\w+) = (.*)$/gm)]
    const grafana: Record<string, string> = Object.fromEntries(lines.map(([, name, value]) => [name, value]))
    const redirectUri = `${grafana.root_url}login/generic_oauth`
    const config = new oidc.Configuration(
      {
        issuer: server.url,
        authorization_endpoint: grafana.auth_url ?? '',
        token_endpoint: grafana.token_url ?? '',
        userinfo_endpoint: grafana.api_url ?? '',
        jwks_uri: `${server.url}/.well-known/openid-jwks.json`,
        authorization_response_iss_parameter_supported: true,
      },
      grafana.client_id ?? '',
      undefined,
      oidc.ClientSecretBasic(grafana.client_secret),
    )
    oidc.allowInsecureRequests(config)
    const roles = ['user', 'roles', ada.email, '--add', 'grafana:admin']
    expect((await portcullis(roles)).status).to.equal(0)
    const [pkceCodeVerifier, expectedState] = [oidc.randomPKCECodeVerifier(), oidc.randomState()]
    const asked = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: grafana.scopes ?? '',
      state: expectedState,
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    const callback = await follow(browser, server.url, `${asked.pathname}${asked.search}`)
    expect(callback.startsWith(redirectUri)).to.equal(true)
    const tokens = await oidc.authorizationCodeGrant(config, new URL(callback), {
      pkceCodeVerifier,
      expectedState,
    })
    const userinfo = await oidc.fetchUserInfo(config, tokens.access_token, oidc.skipSubjectCheck)
    expect(userinfo).to.include({ [grafana.login_attribute_path ?? '']: ada.email })
    expect(userinfo.roles).to.deep.equal([/'(\S+)'\)/.exec(grafana.role_attribute_path ?? '')?.[1]])
    expect(await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).to.have.property('access_token')
    const { pathname, search } = new URL(grafana.signout_redirect_url ?? '')
    const page = await browser.get(`${pathname}${search}`)
    const confirm = new URL(String(page.headers.location), server.url)
    expect((await browser.get(`${confirm.pathname}${confirm.search}`)).status).to.equal(200)
  })

  it('signs people in to a single-page application', async () => {
    const { id } = await made(commandIn(SINGLE))
    const stored = new Map<string, string>()
    const location = { href: '', assign: (url: URL) => Object.assign(location, { href: String(url) }) }
    const sessionStorage = {
      setItem: (name: string, value: string) => stored.set(name, value),
      getItem: (name: string) => stored.get(name),
      removeItem: (name: string) => stored.delete(name),
    }
    const app = await moduleOf('app', ours(codeIn(SINGLE, 'js')[0] ?? '', id), { location, sessionStorage })
    await app.signIn()
    const { pathname, search } = new URL(location.href)
    location.href = await follow(browser, server.url, `${pathname}${search}`)
    expect(location.href.startsWith('https://app.example.com/?')).to.equal(true)
    const tokens = await app.complete()
    expect(await app.whoIs(tokens, tokens.claims().sub)).to.include({ email: ada.email })
    expect(await app.refresh(tokens)).to.have.property('refresh_token')
    expect(stored.size).to.equal(0)
  })

  it('signs people in to a mobile application', async () => {
    const { id } = await made(commandIn(MOBILE))
    const values = JSON.parse(ours(codeIn(MOBILE, 'json')[0] ?? '', id))
    const mobile = await relyingParty(values.issuer, {
      id: values.client_id,
      secret: undefined,
      redirectUri: values.redirect_uri,
    })
    const callback = await follow(browser, server.url, await mobile.begin({ scope: values.scope }))
    expect(callback.startsWith('com.example.app:/callback?')).to.equal(true)
    const tokens = await mobile.complete(callback)
    expect(tokens.claims()).to.include({ email: ada.email, aud: id })
    expect(tokens.expires_in).to.equal(900)
    const renewed = await oidc.refreshTokenGrant(mobile.config, tokens.refresh_token ?? '')
    expect(renewed.refresh_token).not.to.equal(tokens.refresh_token)
  })

  it('signs people in to a desktop application, on any port', async () => {
    const [, option = ''] = /registers `(--redirect-uri \S+)`/.exec(MOBILE) ?? []
    const { id } = await made(`portcullis application create --name desktop --client public ${option}`)
    const desktop = await moduleOf('desktop', ours(codeIn(MOBILE, 'js')[0] ?? '', id))
    const tokens = await desktop.signIn(async ({ pathname, search }: URL) => {
      await fetch(await follow(browser, server.url, `${pathname}${search}`))
    })
    expect(tokens.claims()).to.include({ email: ada.email, aud: id })
  })

  it('lets a server refresh, read userinfo and log out by hand', async () => {
    const [uris, shop] = ['https://shop.example.com/callback', 'https://shop.example.com/']
    const { id, secret } = await made(
      `portcullis application create --name hand --redirect-uri ${uris} --logout-uri ${shop}`,
    )
    const party = await relyingParty(server.url, { id, secret, redirectUri: uris })
    const first = await party.complete(await follow(browser, server.url, await party.begin()))
    const [refresh = '', userinfo = ''] = codeIn(BY_HAND, 'sh')
    const paste = async (commands: string, environment: Readonly<Record<string, string | undefined>>) => {
      const env = { PATH: process.env.PATH, CLIENT_ID: id, CLIENT_SECRET: secret, ...environment }
      const { stdout } = await promisify(execFile)('sh', ['-e', '-c', ours(commands, id)], { env })
      return JSON.parse(stdout)
    }
    const shownBy = (commands: string) => Object.keys(JSON.parse(/^# (\{.*\})$/m.exec(commands)?.[1] ?? '{}'))
    const tokens = await paste(refresh, { REFRESH_TOKEN: first.refresh_token })
    expect(tokens).to.have.all.keys(...shownBy(refresh))
    expect(tokens.refresh_token).not.to.equal(first.refresh_token)
    const claims = await paste(userinfo, { ACCESS_TOKEN: tokens.access_token })
    expect(claims).to.have.all.keys(...shownBy(userinfo))
    expect(claims.email).to.equal(ada.email)

    const [url = ''] = codeIn(BY_HAND, 'text').map((one) =>
      ours(one, id).replace('ID_TOKEN', tokens.id_token),
    )
    const { pathname, search } = new URL(url.trim())
    const start = await browser.get(`${pathname}${search}`)
    const page = await browser.get(String(start.headers.location))
    const hidden = [...page.html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
    const done = await browser.post(
      '/oauth2/end_session/confirm',
      Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')])),
    )
    expect(done.headers.refresh).to.equal(`0; url=${shop}?state=STATE`)
    const after = await oidc.refreshTokenGrant(party.config, tokens.refresh_token).catch((error) => error)
    expect(after).to.include({ error: 'invalid_grant' })
  })

  it('lists the claims of each scope', () => {
    const rows = partOf(PAGE, '## Scopes and claims').matchAll(/^\| `(\w+)` \|(.*)\|$/gm)
    const listed = [...rows].map(([, scope = '', cells = '']) => [
      scope,
      [...cells.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    ])
    const ofJwt = ['iss', 'aud', 'exp', 'iat', 'nonce']
    for (const [scope, claims] of listed)
      expect(
        [...new Set(claims)].filter((name) => !ofJwt.includes(name)),
        String(scope),
      ).to.have.members(SCOPE_CLAIMS[scope as keyof typeof SCOPE_CLAIMS])
    expect(listed).to.have.lengthOf(Object.keys(SCOPE_CLAIMS).length)
  })
})
