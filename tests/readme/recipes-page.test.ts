import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { portcullis as connected, type Portcullis } from '../../adapters/client/client.ts'
import { ROOT } from '../architecture/root.ts'
import { type ForeignProject, foreignProject } from '../support/foreign-project.ts'
import { type ServingHere, workplace } from '../support/workplace.ts'
import { codeIn, partOf } from './page.ts'

const page = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8')
const PAGE = page('recipes.md')

const ADA = { email: 'ada@example.com', password: 'correct horse' }
const EVE = { email: 'eve@example.com', password: 'correct horse' }

/** A table in memory, and a mailer that keeps what it gets. `time.passed` is in milliseconds. */
const AROUND_LINKS = `
export const [sent, time] = [[], { passed: 0 }]
const rows = new Map()
const links = {
  save: async ({ key, email, ends }) => {
    if ([...rows.values()].filter((row) => row.email === email).length >= 5) return false
    rows.set(key, { email, ends })
    return true
  },
  take: async (key) => {
    const row = rows.get(key)
    rows.delete(key)
    return row !== undefined && row.ends.getTime() > Date.now() + time.passed ? row.email : undefined
  },
}
const transport = { sendMail: async (mail) => void sent.push(mail) }
`

describe('docs/recipes.md', () => {
  const { portcullis, serve, folder, remove } = workplace()
  let server: ServingHere
  let project: ForeignProject
  let keys: Readonly<{ url: string; publicApiKey: string; privateApiKey: string; issuer: string }>
  let auth: Portcullis
  before(async () => {
    const issuer = 'http://127.0.0.1:8080'
    server = await serve('serve', { PUBLIC_URL: issuer })
    const created = async (name: string, scope: string) => {
      const words = ['application', 'create', '--name', name, '--scope', scope, '--json']
      const { public_api_key, private_api_key } = JSON.parse((await portcullis(words)).out)
      return { url: server.url, issuer, publicApiKey: public_api_key, privateApiKey: private_api_key }
    }
    keys = await created('shop', 'users:sign_in users:register')
    auth = connected(keys)
    const owner = connected(await created('registration', 'users:register users:confirm_email'))
    expect(await owner.registerUser({ ...ADA, emailVerified: true })).to.include({ ok: true })
    expect(await owner.registerUser(EVE)).to.include({ ok: true })
    project = foreignProject()
  })
  after(async () => {
    project.remove()
    expect(await server.end()).to.equal(0)
    await remove()
  })

  /** Runs the command lines of a recipe. */
  const type = async (commands = '') => {
    for (const line of commands.trim().split('\n')) {
      const words = line.replace(/^portcullis /, '')
      const typed = /^(.*) --scope "(.*)"$/.exec(words)
      const ended = await portcullis(
        typed === null ? words : [...(typed[1] ?? '').split(' '), '--scope', typed[2] ?? ''],
      )
      expect(ended.status, ended.err).to.equal(0)
    }
  }
  const commandsBelow = (heading: string) => codeIn(partOf(PAGE, heading), 'sh')
  /** The functions of a recipe. */
  const programBelow = async (heading: string, around = '') => {
    const [block = ''] = codeIn(partOf(PAGE, heading), 'js')
    const client = `import { portcullis } from 'portcullis-client'
const auth = portcullis(${JSON.stringify(keys)})`
    const name = `${heading.replaceAll(/\W/g, '')}.mjs`
    project.write(name, `${client}${around}${block}`)
    return import(pathToFileURL(join(project.folder, name)).href)
  }

  it('has no code besides that of these tests', () => {
    const count = (language: string) => codeIn(PAGE, language).length
    expect([count('sh'), count('js'), count('json'), count('ts')]).to.deep.equal([6, 3, 0, 0])
  })

  it('remembers a user who ticked the box', async () => {
    await type(commandsBelow('## Remember me')[0])
    const { signIn, cookieOf } = await programBelow('## Remember me')
    expect(await cookieOf(await signIn({ ...ADA, remember: 'on' }, '192.0.2.1'))).to.match(
      /; Max-Age=2592000$/,
    )
    const ordinary = await signIn(ADA, '192.0.2.1')
    expect(await cookieOf(ordinary)).to.match(/; Max-Age=43200$/)
    expect(ordinary.expiresIn).to.equal(600)
  })

  it('knows an administrator by the role, and at once that there is none any more', async () => {
    const [give, take] = commandsBelow('## Roles')
    const { isAdmin, isAdminNow } = await programBelow('## Roles')
    const signIn = async () => {
      const signedIn = await auth.signIn(ADA)
      return signedIn.ok ? signedIn.token : ''
    }
    const before = await signIn()
    expect([await isAdmin(before), await isAdminNow(before)]).to.deep.equal([false, false])
    await type(give)
    expect([await isAdmin(before), await isAdminNow(before)], 'the former token').to.deep.equal([false, true])
    const token = await signIn()
    expect([await isAdmin(token), await isAdmin('')]).to.deep.equal([true, false])
    await type(take)
    expect([await isAdmin(token), await isAdminNow(token)], 'after the end').to.deep.equal([true, false])
    expect(await isAdmin(await signIn())).to.equal(false)
  })

  it('has settings with which the pages show the button of Google', async () => {
    const [settings = '', register] = commandsBelow('## Google')
    await type(register)
    const [providers = ''] = codeIn(partOf(page('identities.md'), '### Google'), 'json')
    const file = join(folder, 'identity-providers.json')
    writeFileSync(file, providers.replaceAll('…', 'x'))
    chmodSync(file, 0o600)
    const lines = [...settings.matchAll(/^([A-Z_]+)=(\S+)/gm)]
    expect(lines).to.have.lengthOf(6)
    const environment = Object.fromEntries(
      lines.map(([, name, value]): [string, string] => [name ?? '', value ?? '']),
    )
    const pages = await serve('serve', {
      ...environment,
      DATABASE_URL: 'sqlite:./pages.db', // another store, because this key encrypts its signing keys
      KEY_ENCRYPTION_KEY: `2026:${'ab'.repeat(32)}`,
      IDENTITY_PROVIDERS_FILE: join(folder, environment.IDENTITY_PROVIDERS_FILE ?? ''),
    })
    const answer = await fetch(`${pages.url}/account/sign-in`)
    expect(await answer.text()).to.include('Sign in with Google')
    expect(await pages.end()).to.equal(0)
  })

  describe('with a link by mail', () => {
    let recipe: Awaited<ReturnType<typeof programBelow>>
    before(async () => {
      await type(commandsBelow('## Magic link')[0])
      recipe = await programBelow('## Magic link', AROUND_LINKS)
    })

    /** Asks for a link: what is in the mail, and what the browser keeps. */
    const ask = async (email: string) => {
      const cookie = await recipe.askForLink(email)
      const { to, text } = recipe.sent.at(-1)
      expect(to.address).to.equal(email)
      expect(cookie).to.match(/^__Host-link=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/)
      const [, link = ''] = /\?link=([\w-]{43})$/.exec(text) ?? []
      const [, browser = ''] = /=([\w-]+);/.exec(cookie) ?? []
      return { link, browser }
    }

    it('signs a user in once', async () => {
      const { link, browser } = await ask(ADA.email)
      const [first, second] = await Promise.all(
        [1, 2].map(() => recipe.followLink(link, browser, '192.0.2.1')),
      )
      expect(first).to.deep.include({ ok: true, acr: 'aal1', amr: ['vouched', 'email'] })
      expect(second).to.equal(undefined)
    })

    it('takes no link without the cookie of its browser', async () => {
      const [one, other] = [await ask(ADA.email), await ask(ADA.email)]
      for (const browser of [other.browser, '', undefined])
        expect(await recipe.followLink(one.link, browser)).to.equal(undefined)
      expect(await recipe.followLink(one.link, one.browser)).to.include({ ok: true })
    })

    it('takes no link after ten minutes', async () => {
      const { link, browser } = await ask(ADA.email)
      recipe.time.passed = 600_000
      expect(await recipe.followLink(link, browser)).to.equal(undefined)
      recipe.time.passed = 0
    })

    it('refuses whom the page says: an e-mail that no account has, and one that is not confirmed', async () => {
      for (const [email, reason] of [
        ['bob@example.com', 'unknown'],
        [EVE.email, 'email_not_verified'],
      ] as const) {
        const { link, browser } = await ask(email)
        const refused = await recipe.followLink(link, browser)
        expect(refused.problems[0]).to.include({ reason })
        expect(partOf(PAGE, '## Magic link')).to.include(`| the reason \`${reason}\` |`)
      }
    })

    it('mails no more than the table permits, and answers the same', async () => {
      for (let each = 0; each < 5; each += 1) await ask('cleo@example.com')
      const mails = recipe.sent.length
      expect(await recipe.askForLink('cleo@example.com')).to.include('__Host-link=')
      expect(recipe.sent).to.have.lengthOf(mails)
    })
  })
})
