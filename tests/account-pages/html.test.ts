import { expect } from 'chai'
import * as fc from 'fast-check'
import { asciiEmail } from '../../adapters/config/addresses/ascii-domains.ts'
import { html } from '../../adapters/http/operation/html.ts'
import { durationText, failurePage } from '../../adapters/http/pages/failures.ts'
import { layout } from '../../adapters/http/pages/layout.ts'
import { languages } from '../../adapters/texts/languages.ts'
import { anyCharacter } from '../support/code-points.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { SAME_ORIGIN } from './browser-desk.ts'
import { type PagesService, startPages } from './pages-service.ts'

const ENGLISH = languages({}, 'en').find('en')

/** Texts with many special characters of HTML, that are well-formed Unicode. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('<', '>', '&', '"', "'", '`', '=', ' ', '/', '<script>', '">', '&lt;', '{{', '\n'),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
    ),
  )
  .map((parts) => parts.join(''))

const tagsOf = (page: string): ReadonlyArray<string> => page.match(/<[^>]*>/g) ?? []
const withoutValues = (page: string) =>
  tagsOf(page).map((tag) => tag.replace(/ (?:value|href)="[^"<>]*"/, ''))

/** Decodes the entities of the template like a browser. */
const read = (written: string): string =>
  written
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

const RUNS = { numRuns: 100 }

describe('the HTML of pages for people', () => {
  let running: PagesService
  before(async () => {
    running = await startPages({ ...mailLinkSettings(), ...FACTOR_SETTINGS, PAGES_REGISTRATION: 'on' })
  })
  after(() => running.stop())

  const sentBack = (page: string, name: string): string => {
    const [, value = ''] = new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(page) ?? []
    return read(value)
  }

  it('contains any sent e-mail as text only, in the form that the service keeps', async () => {
    const plain = withoutValues(
      (await running.post('/account/sign-in', { email: 'x', password: 'x' }, SAME_ORIGIN)).html,
    )
    await fc.assert(
      fc.asyncProperty(text, async (email) => {
        const form = { email: `x${email}`, password: 'x' }
        const { html: page } = await running.post('/account/sign-in', form, SAME_ORIGIN)
        expect(withoutValues(page)).to.deep.equal(plain)
        expect(sentBack(page, 'email')).to.equal(asciiEmail(`x${email}`))
      }),
      RUNS,
    )
  })

  it('contains any return URL of a link as text only, exactly as in the link', async () => {
    const path = `/account/recovery?token=${await running.recoveryToken()}&return_to=`
    const plain = withoutValues((await running.get(`${path}x`)).html)
    await fc.assert(
      fc.asyncProperty(text, async (url) => {
        const { html: page } = await running.get(`${path}${encodeURIComponent(url)}`)
        expect(withoutValues(page)).to.deep.equal(plain)
        expect(sentBack(page, 'return_to')).to.equal(url)
      }),
      RUNS,
    )
  })

  for (const path of ['/account/recovery', '/account/email'])
    it(`is the same for any token of ${path} that cannot be used, and does not contain it`, async () => {
      const { html: plain } = await running.get(`${path}?token=x`)
      expect(plain).to.include('This link cannot be used')
      await fc.assert(
        fc.asyncProperty(text, async (token) => {
          const { html: page } = await running.get(`${path}?token=x${encodeURIComponent(token)}`)
          expect(page).to.equal(plain)
        }),
        RUNS,
      )
    })

  it('contains any other query not at all', async () => {
    const plain = (await running.get('/account/email')).html
    for (const query of ['?', '?tok=<script>', '?%ff', '?=&&=', '?Token=a'])
      expect((await running.get(`/account/email${query}`)).html).to.equal(plain)
  })

  it('is a page for any bytes of a form', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string({
        unit: fc.constantFrom(
          'token',
          'email',
          'password',
          'step',
          'list',
          '=',
          '&',
          '%',
          '+',
          '?',
          '%00',
          'a',
        ),
      }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('sign-in', 'recovery', 'email', 'register'),
        bytes,
        async (path, body) => {
          const { status, headers, html: page } = await running.post(`/account/${path}`, body, SAME_ORIGIN)
          expect([400, 422]).to.include(status)
          expect(headers['content-type']).to.equal('text/html; charset=utf-8')
          expect(page).to.match(/<\/html>\n$/)
        },
      ),
      RUNS,
    )
  })

  it('contains any product name as text only', () => {
    const pageOf = (name: string) =>
      String(layout(name)(ENGLISH)({ heading: 'h', content: html`<p>c</p>` }).content?.data)
    const plain = tagsOf(pageOf('x'))
    fc.assert(
      fc.property(text, (name) => {
        const page = pageOf(name)
        expect(tagsOf(page)).to.deep.equal(plain)
        expect(read(/<header><p>([^<>]*)<\/p><\/header>/.exec(page)?.[1] ?? '')).to.equal(name)
      }),
    )
  })

  it('says what clears the count after so many wrong codes that waiting does not help', () => {
    const failure = { _tag: 'Throttled', retryAfterSeconds: 86_400, untilCleared: true } as const
    const form = html`<form></form>`
    const { status, content } = failurePage(ENGLISH, layout('x')(ENGLISH), failure, { heading: 'h', form })
    expect(status).to.equal(429)
    expect(String(content?.data)).to.include('until you use a recovery code').and.include('<form>')
    expect(String(content?.data)).not.to.include('Wait')
  })

  for (const [seconds, words] of [
    [1, '1 second'],
    [30, '30 seconds'],
    [90, '90 seconds'],
    [91, '2 minutes'],
    [900, '15 minutes'],
    [7200, '120 minutes'],
    [7201, '3 hours'],
    [86_400, '24 hours'],
  ] as const)
    it(`says ${words} for ${seconds} s`, () => expect(durationText(ENGLISH.say, seconds)).to.equal(words))
})
