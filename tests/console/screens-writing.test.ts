import { expect } from 'chai'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { enrolUser } from '../support/second-factors.ts'
import { hiddenIn } from './console-here.ts'
import {
  headingOf,
  linkIn,
  type PageHere,
  rowsOf,
  type ScreensHere,
  startScreens,
  textOf,
} from './screens-here.ts'
import { type Story, signIn, tell } from './screens-story.ts'

const GUS = '0b8f6a5e-2f6c-4c5d-9a3e-1d2c3b4a5f60'

describe('the screens of the console with --write', () => {
  let here: ScreensHere
  let story: Story
  before(async () => {
    here = await startScreens({ isWritable: true, environment: FACTOR_SETTINGS })
    story = await tell(here)
    await enrolUser(here.service.store, story.carol)
    await signIn(here, story.shop, 'ada@example.com')
  })
  after(() => here.stop())

  /** Sends the form of a page, and follows where it leads. */
  const confirm = async ({ html }: PageHere): Promise<PageHere> => {
    const answer = await here.post('change', hiddenIn(html))
    return answer.status === 303 ? here.get(String(answer.headers.location)) : answer
  }
  const noteOf = ({ html }: PageHere) =>
    textOf(/<p class="notice" role="status">(.*?)<\/p>/.exec(html)?.[1] ?? '')
  const ofPerson = async (name: 'ada' | 'bob' | 'carol', label: string) =>
    rowsOf((await here.get(`person?id=${story[name]}`)).html, label)

  it('show the sessions and factors of a user', async () => {
    const sessions = await ofPerson('ada', 'Sessions')
    expect(sessions.map(([application, , signedIn]) => [application, signedIn])).to.deep.include([
      'shop',
      '2026-03-02 12:00:00',
    ])
    const factors = await ofPerson('carol', 'Second factors')
    expect(factors.map(([kind, name, , , left]) => [kind, name, left])).to.have.deep.members([
      ['authenticator app', 'Authenticator app', ''],
      ['recovery codes', '', '2'],
    ])
  })

  it('show the identities of a user apart from the factors, and offer no reset of them', async () => {
    const identities = [{ issuer: 'https://accounts.google.com', subject: '7', name: 'Google' }]
    const gus = { id: GUS, email: 'gus@example.com', password_hash: null, email_verified: true, identities }
    await succeed(here.service.importUsers(CONTEXT, [gus]))
    const { html } = await here.get(`person?id=${GUS}`)
    expect(rowsOf(html, 'Identities')).to.deep.equal([
      ['https://accounts.google.com', 'Google', '2026-03-02 12:00:00', 'never'],
    ])
    expect(rowsOf(html, 'Second factors')).to.deep.equal([])
    expect(rowsOf(html, 'What happened').map(([, what]) => what)).to.include(
      'identity imported by an operator',
    )
    expect(textOf(html)).not.to.include('Reset second factors')
  })

  it('show a user without a password, and who claimed the account', async () => {
    const { service } = here
    const { id } = await succeed(
      service.registerUser(CONTEXT, { email: 'fay@example.com', password: 'guessed' }, OPERATOR),
    )
    const scope = 'users:vouch users:confirm_email'
    const made = await succeed(service.registerApplication(CONTEXT, { name: 'portal', scope }))
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, made))
    const caller = await succeed(service.authenticate(CONTEXT, 'vouchForUser', token))
    const request = { userId: undefined, email: 'fay@example.com', method: 'fed', emailVerified: true }
    await succeed(service.signInVouched(CONTEXT, caller, request))
    const { html } = await here.get(`person?id=${id}`)
    expect(textOf(html)).to.include(
      'This user can sign in with a passkey, with an identity at another provider, or by the word of an application with users:vouch. The user has no password',
    )
    expect(rowsOf(html, 'What happened').map(([, what]) => what)).to.deep.equal([
      'vouched for and signed in through portal',
      'password removed, and claimed by the owner of the e-mail through portal',
      'registered by an operator',
    ])
    expect(rowsOf(html, 'Sessions')[0]?.[6]).to.equal('vouched fed')
  })

  it('show the attributes of a user as text, and fetch no picture', async () => {
    const attributes = {
      name: 'Ada <b>Lovelace</b>',
      picture: 'https://example.com/ada.png',
      locale: 'en-GB',
      metadata: { shoe_size: 38 },
    }
    const operator = { kind: 'operator' } as const
    const change = here.service.changeAttributes(CONTEXT, { userId: story.ada, patch: attributes }, operator)
    await succeed(change)
    const { html } = await here.get(`person?id=${story.ada}`)
    const text = textOf(html)
    for (const shown of [
      'NameAda <b>Lovelace</b>',
      'Picturehttps://example.com/ada.png',
      'Languageen-GB',
      'Metadata{"shoe_size":38}',
      'attributes changed: locale, metadata, name, picture',
    ])
      expect(text).to.include(shown)
    expect(html).to.not.match(/<b>Lovelace|<img|(?:src|href)="https:/)
  })

  const ACTIONS = [
    [
      'ada',
      'End all sessions',
      'End all sessions',
      'all sessions ended',
      'All sessions of the user have ended.',
    ],
    [
      'carol',
      'Reset second factors',
      'Reset second factors',
      'all second factors removed',
      'The user has no second factor, and all sessions have ended.',
    ],
    ['bob', 'Enable', 'Enable', 'enabled', 'Enabled: the user can sign in again. Ended sessions stay ended.'],
    ['bob', 'Disable', 'Disable', 'disabled', 'Disabled: sign-in is blocked, and all sessions have ended.'],
    [
      'carol',
      'Remove',
      'Remove permanently',
      'removed',
      'Removed: all sessions have ended, and the e-mail can be registered again.',
    ],
  ] as const
  for (const [name, link, verb, happened, note] of ACTIONS)
    it(`ask about ${name} first, with a way back, and show afterwards what has changed: ${link}`, async () => {
      const person = await here.get(`person?id=${story[name]}`)
      const asked = await here.get(linkIn(person.html, link))
      expect(headingOf(asked.html)).to.equal(`${verb}: ${name}@example.com?`)
      expect(linkIn(asked.html, 'Back, without a change')).to.equal(`person?id=${story[name]}`)
      const changed = await confirm(asked)
      expect(noteOf(changed)).to.equal(note)
      expect(rowsOf(changed.html, 'What happened')[0]?.[1]).to.equal(`${happened} by operator grace`)
      expect(textOf(changed.html)).to.include('No live session.')
      expect(rowsOf(changed.html, 'Second factors')).to.deep.equal([])
    })

  it('show the age of a new key beside the end of the former one, and a revoked application', async () => {
    const rowOfShop = async () => rowsOf((await here.get('applications')).html, 'Applications')[1] ?? []
    const { id } = story.shop.application
    await confirm(await here.get(`confirm?action=rotate&id=${id}`))
    expect((await rowOfShop())[3]).to.equal('0 seconds. The former key works until 2026-03-03 12:00:00')
    const revoked = await confirm(await here.get(`confirm?action=revoke&id=${id}`))
    expect(noteOf(revoked)).to.equal('Revoked. Its keys, tokens and sessions no longer work.')
    const [name, change, , age, , , , state] = await rowOfShop()
    expect([name, change, age, state]).to.deep.equal(['shop', '', '', 'revoked'])
  })

  it('offer no new key for the account pages, which have none, and say what their revocation does', async () => {
    const { application } = await succeed(here.service.createAccountPages(CONTEXT))
    const { html } = await here.get('applications')
    const row = rowsOf(html, 'Applications').find(([name]) => name === 'Account pages') ?? []
    expect([row[1], row[3]]).to.deep.equal(['Revoke', 'no key'])
    expect((await here.get(`confirm?action=rotate&id=${application.id}`)).status).to.equal(404)
    const asked = await here.get(`confirm?action=revoke&id=${application.id}`)
    expect(textOf(asked.html)).to.include('until you run: portcullis application create-pages')
    await confirm(asked)
    const after = rowsOf((await here.get('applications')).html, 'Applications').at(-1) ?? []
    expect([after[0], after[7]]).to.deep.equal(['Account pages', 'revoked'])
  })
})
