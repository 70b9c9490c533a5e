import { expect } from 'chai'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { leakedAre, plainEstimator } from '../support/fake-passwords.ts'
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
  let recovery: string | undefined
  before(async () => {
    running = await startPages(
      { PASSWORD_POLICY: 'nist', PASSWORD_MIN_LENGTH: '15' },
      provide(Dependency.leakedPasswords, () => leakedAre(LEAKED)),
      provide(Dependency.passwordEstimator, () => plainEstimator),
      provide(Dependency.passwordRules, () => [NO_OTTERS]),
    )
  })
  after(() => running.stop())

  const EMAIL = 'ada@example.com'
  const OLD = 'correct horse battery'

  for (const [name, fields, codes] of [
    ['no field', ['', '', '', ''], { email: 12, old_password: 1, new_password: 2, new_password_check: 3 }],
    ['a wrong current password', [EMAIL, 'wrong', NEW, NEW], { email: 4, old_password: 4 }],
    ['an unknown e-mail', ['eve@example.com', OLD, NEW, NEW], { email: 4, old_password: 4 }],
    ['no new password', [EMAIL, OLD, '', ''], { new_password: 2, new_password_check: 3 }],
    ['a short new password', [EMAIL, OLD, 'fourteen chars', 'fourteen chars'], { new_password: 7 }],
    [
      'a weak new password and a wrong current one',
      [EMAIL, 'wrong', 'a', 'a'],
      { email: 4, old_password: 4 },
    ],
    [
      'a new password that a rule refuses',
      [EMAIL, OLD, 'nine purple otters', 'nine purple otters'],
      { new_password: 6 },
    ],
  ] as const) {
    it(`/account/password with ${name}: ${JSON.stringify(codes)}`, async () => {
      const [email, old_password, new_password, new_password_check] = fields
      const form = { email, old_password, new_password, new_password_check }
      const { status, html } = await running.post('/account/password', form)
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
      email: EMAIL,
      old_password: OLD,
      new_password: 'nine purple otters',
      new_password_check: '',
    }
    const { html } = await running.post('/account/password', form)
    expect(html).to.include('data-code="6">Error: The new password names an otter.</p>')
  })

  it('in the order of the fields, with one link for each message', async () => {
    const { html } = await running.post('/account/password', {})
    const [, list = ''] = /<ul>(.*?)<\/ul>/s.exec(html) ?? []
    const links = [...list.matchAll(/<a href="#([a-z_]+)">([^<]+)<\/a>/g)].map(([, to, words]) => [to, words])
    expect(links).to.deep.equal([
      ['email', 'Enter your e-mail address.'],
      ['old_password', 'Enter your current password.'],
      ['new_password', 'Enter a new password.'],
      ['new_password_check', 'Enter the new password again.'],
    ])
  })

  it('keep the e-mail after a mistake, and never a password', async () => {
    const form = {
      email: EMAIL,
      old_password: 'typed-old',
      new_password: 'typed-new',
      new_password_check: 'typed-again',
    }
    const { html } = await running.post('/account/password', form)
    expect(html).to.include(`value="${EMAIL}"`)
    expect(html).not.to.include('typed-')
  })
})
