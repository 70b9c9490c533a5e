import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type PagesService, startPages } from './pages-service.ts'

const BACK = 'https://shop.example/back'
const OF_ANOTHER = 'https://blog.example/back'

onMemory('the pages behind mailed links', (stores) => {
  let running: PagesService
  const setReturnUrls = (name: string, returnUrls: ReadonlyArray<string>) =>
    succeed(running.service.setApplication(CONTEXT, name, { returnUrls }))
  beforeEach(async () => {
    running = await startPages(await stores.fresh())
    await succeed(running.service.registerApplication(CONTEXT, { name: 'blog', scope: 'users:recover' }))
    await setReturnUrls('desk', [BACK])
    await setReturnUrls('blog', [OF_ANOTHER])
  })
  afterEach(() => running.stop())

  /** What an e-mail program opens and a person sends: the fields that the form has, with a new password if it asks for one. */
  const PAGES: ReadonlyArray<readonly [string, () => Promise<string>, Readonly<Record<string, string>>]> = [
    ['recovery', () => running.recoveryToken(), { new_password: 'new', new_password_check: 'new' }],
    ['email', () => running.confirmationToken(), {}],
  ]

  for (const [page, makeToken, typed] of PAGES) {
    const open = async (returnTo: string | undefined) => {
      const query = new URLSearchParams({ token: await makeToken() })
      if (returnTo !== undefined) query.set('return_to', returnTo)
      return (await running.get(`/account/${page}?${query}`)).html
    }
    /** The link on the page that the person reads after the form. */
    const linkAfter = async (form: Readonly<Record<string, string>>) => {
      const answer = await running.post(`/account/${page}`, { ...form, ...typed })
      const shown = page === 'recovery' ? await running.get(`${answer.headers.location}`) : answer
      expect([answer.status, shown.status]).to.deep.equal([page === 'recovery' ? 303 : 200, 200])
      expect(shown.html).to.include('role="status"')
      return linkIn(shown.html)
    }

    for (const [what, returnTo, link] of [
      ['a return URL', BACK, BACK],
      ['one with a query', `${BACK}?order=7&a="b`.replace('"', '%22'), `${BACK}?order=7&a=%22b`],
      ['no URL', undefined, undefined],
      ['an empty one', '', undefined],
      ['the URL of another application', OF_ANOTHER, undefined],
      ['another host', 'https://evil.example/back', undefined],
      ['another scheme', 'http://shop.example/back', undefined],
      ['another port', 'https://shop.example:8443/back', undefined],
      ['another path', `${BACK}/../evil`, undefined],
      ['a user name before another host', 'https://shop.example@evil.example/back', undefined],
      ['a fragment', `${BACK}#evil`, undefined],
      ['no scheme', '//evil.example/back', undefined],
      ['a backslash', '/\\evil.example', undefined],
      ['a path of this service', '/account', undefined],
      ['an escaped slash', 'https://shop.example/%2f/evil', undefined],
      ['a tab', `${BACK}\t`, undefined],
      ['a line break', `${BACK}\r\nLocation: https://evil.example`, undefined],
      ['3,000 bytes', `${BACK}?${'a'.repeat(3_000)}`, undefined],
      ['a script', 'javascript:alert(1)', undefined],
      ['mark-up behind a return URL', `${BACK}?"><script>`, undefined],
    ] as const)
      it(`/account/${page} with ${what} in its link ${link === undefined ? 'leads nowhere' : 'leads there'}`, async () => {
        expect(await linkAfter(hiddenIn(await open(returnTo)))).to.equal(link)
      })

    it(`/account/${page} leads nowhere if the URL was removed after the mail`, async () => {
      const hidden = hiddenIn(await open(BACK))
      await setReturnUrls('desk', [])
      expect(await linkAfter(hidden)).to.equal(undefined)
    })

    it(`/account/${page} reads the URL from the form, not from the address of the request`, async () => {
      const path = `${page}?return_to=${encodeURIComponent(BACK)}`
      const { html, headers } = await running.post(`/account/${path}`, { token: await makeToken(), ...typed })
      expect(`${html}${headers.location}`).to.match(/role="status"|notice=recovered$/)
      expect(html).not.to.include('shop.example')
    })

    it(`/account/${page} shows no link with a token that cannot be used`, async () => {
      const { html } = await running.post(`/account/${page}`, { token: 'wrong', return_to: BACK, ...typed })
      expect(html).to.include('This link cannot be used').and.not.include('shop.example')
    })
  }

  it('keep the URL while the person corrects the form', async () => {
    const hidden = { token: await running.recoveryToken(), return_to: BACK }
    const { status, html } = await running.post('/account/recovery', { ...hidden, new_password: 'new' })
    const { once, ...kept } = hiddenIn(html)
    expect(once).to.match(/^[\w-]{22}$/)
    expect([status, kept]).to.deep.equal([422, hidden])
  })

  for (const returnTo of [OF_ANOTHER, 'https://evil.example/back', `${BACK}#evil`, '//evil.example', ''])
    it(`show no link at the sign-in that is made by hand and leads to ${JSON.stringify(returnTo)}`, async () => {
      const token = await running.recoveryToken()
      const form = { token, return_to: BACK, new_password: 'new', new_password_check: 'new' }
      const { headers } = await running.post('/account/recovery', form)
      const to = new URL(`${headers.location}`, running.baseUrl)
      expect(to.searchParams.get('return_to')).to.equal(BACK)
      to.searchParams.set('return_to', returnTo)
      const { html } = await running.get(`${to.pathname}${to.search}`)
      expect(linkIn(html)).to.equal(undefined)
    })

  it('show no link at the sign-in once the URL was removed, or without the notice', async () => {
    const token = await running.recoveryToken()
    const form = { token, return_to: BACK, new_password: 'new', new_password_check: 'new' }
    const { headers } = await running.post('/account/recovery', form)
    const to = `${headers.location}`
    expect(linkIn((await running.get(to.replace('notice=recovered', 'notice=expired'))).html)).to.equal(
      undefined,
    )
    expect(linkIn((await running.get(to)).html)).to.equal(BACK)
    await setReturnUrls('desk', [])
    expect(linkIn((await running.get(to)).html)).to.equal(undefined)
  })
})

/** The hidden fields of the form, as a browser reads them. */
const hiddenIn = (html: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="([a-z_]+)" value="([^"]*)">/g)].map(
      ([, name = '', value = '']) => [name, text(value)],
    ),
  )

/** Where the link of the page leads, if it has one. */
const linkIn = (html: string): string | undefined => {
  const [, link] = /<a href="([^"]*)">Return to the application<\/a>/.exec(html) ?? []
  const others = html.match(/<a href="(?!\/account)[^"]*"/g) ?? []
  expect(others.length, 'another link').to.equal(link === undefined ? 0 : 1)
  return link === undefined ? undefined : text(link)
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

const text = (html: string): string =>
  html.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => ENTITIES[name] ?? '')
