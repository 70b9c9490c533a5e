import { expect } from 'chai'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { leakedAre, plainEstimator } from '../support/fake-passwords.ts'
import { type BrowserDesk, browserDesk } from './browser-desk.ts'
import { codeOfLink, codesAtFields, type PagesService, startPages } from './pages-service.ts'

const LEAKED = 'one that is on the list'
const NEW = 'quarrel lantern meadow'

const NO_OTTERS = {
  name: 'no-otters',
  refusal: 'names an otter.',
  refuses: (password: string) => TE.right(password.includes('otter')),
}

describe('the pages for people show the code of each problem at its field', () => {
  let running: PagesService
  let browser: BrowserDesk
  let recovery: string | undefined
  before(async () => {
    running = await startPages(
      { PASSWORD_POLICY: 'nist', PASSWORD_MIN_LENGTH: '15' },
      provide(Dependency.leakedPasswords, () => leakedAre(LEAKED)),
      provide(Dependency.passwordEstimator, () => plainEstimator),
      provide(Dependency.passwordRules, () => [NO_OTTERS]),
    )
    browser = browserDesk(running)
    await browser.signIn()
  })
  after(() => running.stop())

  const OLD = 'correct horse battery'

  for (const [name, fields, codes] of [
    ['no field', ['', '', ''], { old_password: 1, new_password: 2, new_password_check: 3 }],
    ['a wrong current password', ['wrong', NEW, NEW], { old_password: 4 }],
    ['no new password', [OLD, '', ''], { new_password: 2, new_password_check: 3 }],
    ['a short new password', [OLD, 'fourteen chars', 'fourteen chars'], { new_password: 7 }],
    [
      'a weak new password and a wrong current one',
      ['wrong', 'a', 'a'],
      { old_password: 4, new_password: 7 },
    ],
    [
      'a new password that a rule refuses',
      [OLD, 'nine purple otters', 'nine purple otters'],
      { new_password: 6 },
    ],
  ] as const) {
    it(`/account/password with ${name}: ${JSON.stringify(codes)}`, async () => {
      const [old_password, new_password, new_password_check] = fields
      const form = { old_password, new_password, new_password_check }
      const { status, html } = await browser.post('/account/password', form)
      expect(status).to.equal(422)
      expect(codesAtFields(html)).to.deep.equal(codes)
      expect(html).to.include('<title>Error: ')
      expect(await running.accepts(OLD)).to.equal(true)
    })
  }

  for (const [name, [next, check], codes] of [
    ['no new password', ['', ''], { new_password: 2, new_password_check: 3 }],
    ['a short new password', ['short', 'short'], { new_password: 7 }],
    ['a new password that a rule refuses', ['nine purple otters', 'nine purple otters'], { new_password: 6 }],
  ] as const) {
    it(`/account/recovery with ${name}: ${JSON.stringify(codes)}`, async () => {
      recovery ??= await running.recoveryToken() // a refusal does not use it up
      const token = recovery
      const form = { token, new_password: next, new_password_check: check }
      const { status, html } = await running.post('/account/recovery', form)
      expect(status).to.equal(422)
      expect(codesAtFields(html)).to.deep.equal(codes)
      expect(html).to.include(`name="token" value="${token}"`)
    })
  }

  for (const [path, token, code] of [
    ['/account/recovery', '', 1],
    ['/account/recovery', 'ort_unknown', 4],
    ['/account/email', '', 1],
    ['/account/email', 'oct_unknown', 2],
  ] as const) {
    it(`${path} with the token ${JSON.stringify(token)}: ${code}, and no form`, async () => {
      const { status, html } = await running.post(path, { token, new_password: '', new_password_check: NEW })
      expect(status).to.equal(422)
      expect(codeOfLink(html)).to.equal(code)
      expect(html).not.to.include('<form')
    })
  }

  it('with the words of a rule', async () => {
    const form = {
      old_password: OLD,
      new_password: 'nine purple otters',
      new_password_check: '',
    }
    const { html } = await browser.post('/account/password', form)
    expect(html).to.include('data-code="6">Error: The new password names an otter.</p>')
  })

  it('in the order of the fields, with one link for each message', async () => {
    const { html } = await browser.post('/account/password', {})
    const [, list = ''] = /<ul>(.*?)<\/ul>/s.exec(html) ?? []
    const links = [...list.matchAll(/<a href="#([a-z_]+)">([^<]+)<\/a>/g)].map(([, to, words]) => [to, words])
    expect(links).to.deep.equal([
      ['old_password', 'Enter your password.'],
      ['new_password', 'Enter a new password.'],
      ['new_password_check', 'Enter the new password again.'],
    ])
  })

  it('keep the e-mail after a mistake, and never a password', async () => {
    const form = {
      old_password: 'typed-old',
      new_password: 'typed-new',
      new_password_check: 'typed-again',
    }
    const { html } = await browser.post('/account/password', form)
    expect(html).to.include(`value="${running.ada.email}"`)
    expect(html).not.to.include('typed-')
  })
})
