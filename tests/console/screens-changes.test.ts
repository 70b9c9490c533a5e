import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { publicApiKey } from '../../domain/api-key.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { enrolUser } from '../support/second-factors.ts'
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

describe('the console with --write', () => {
  let here: ScreensHere
  let story: Story
  beforeEach(async () => {
    here = await startScreens({ isWritable: true, environment: FACTOR_SETTINGS })
    story = await tell(here)
  })
  afterEach(() => here.stop())

  const noteOf = ({ html }: PageHere) =>
    textOf(/<p class="notice" role="status">(.*?)<\/p>/.exec(html)?.[1] ?? '')
  /** Sends the form of a page, and follows where it leads. */
  const confirm = async ({ html }: PageHere): Promise<PageHere> => {
    const fields = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
    const form = Object.fromEntries(fields.map(([, name, value]) => [name, value]))
    const answer = await here.post('change', form)
    return answer.status === 303 ? here.get(String(answer.headers.location)) : answer
  }
  const lastEntry = async () =>
    (await succeed(here.service.store.readEvents({ after: 0, limit: 1_000 }))).at(-1)

  const ACTIONS = [
    [
      'bob',
      'Enable',
      'Enable?',
      'UserEnabled',
      'Enabled: the user can sign in again. Ended sessions stay ended.',
    ],
    [
      'ada',
      'Disable',
      'Disable?',
      'UserDisabled',
      'Disabled: sign-in is blocked, and all sessions have ended.',
    ],
    ['ada', 'End sessions', 'End all sessions?', 'SessionsEnded', 'All sessions of the user have ended.'],
    [
      'ada',
      'Reset factors',
      'Reset second factors?',
      'FactorsReset',
      'The user has no second factor, and all sessions have ended.',
    ],
    [
      'ada',
      'Remove',
      'Remove permanently?',
      'UserRemoved',
      'Removed: all sessions have ended, and the e-mail can be registered again.',
    ],
  ] as const
  for (const [name, link, question, type, note] of ACTIONS)
    it(`asks first, then changes the user and says so, as the operator in the log: ${link}`, async () => {
      await enrolUser(here.service.store, story.ada)
      const person = await here.get(`person?id=${story[name]}`)
      const asked = await here.get(linkIn(person.html, link))
      expect(headingOf(asked.html)).to.include(question.replace('?', ''))
      expect(textOf(asked.html)).to.include(`${name}@example.com`)
      expect(linkIn(asked.html, 'Back, without a change')).to.equal(`person?id=${story[name]}`)
      expect(await lastEntry()).to.not.have.property('type', type)
      const changed = await confirm(asked)
      expect(noteOf(changed)).to.equal(note)
      expect(rowsOf(changed.html, 'What happened')[0]?.[1]).to.match(/ by operator grace$/)
      expect(await lastEntry()).to.deep.include({
        type,
        subject: { kind: 'user', id: story[name] },
        actor: { kind: 'operator', id: 'grace' },
      })
    })

  it('shows the sessions and factors of a user until they have ended', async () => {
    await enrolUser(here.service.store, story.ada)
    await signIn(here, story.shop, 'carol@example.com')
    const [ada, carol] = await Promise.all([story.ada, story.carol].map((id) => here.get(`person?id=${id}`)))
    expect(
      rowsOf(ada?.html ?? '', 'Second factors').map(([kind, name, , , left]) => [kind, name, left]),
    ).to.deep.equal([
      ['authenticator app', 'Authenticator app', ''],
      ['recovery codes', '', '2'],
    ])
    expect(
      rowsOf(carol?.html ?? '', 'Sessions').map(([application, , signedIn]) => [application, signedIn]),
    ).to.deep.equal([['shop', '2026-03-02 12:00:00']])
    const ended = await confirm(await here.get(linkIn(carol?.html ?? '', 'End sessions')))
    expect(textOf(ended.html)).to.include('No live session.')
  })

  it('makes a new key once, also if the form is sent twice, and shows it only then', async () => {
    const { id } = story.shop.application
    const asked = await here.get(`confirm?action=rotate&id=${id}`)
    expect(textOf(asked.html)).to.include('The new private key is shown once.')
    const made = await confirm(asked)
    const [, privateApiKey = ''] = /<dt>Private API key<\/dt><dd><code>([^<]+)</.exec(made.html) ?? []
    const pair = { publicApiKey: publicApiKey(id), privateApiKey }
    expect(isRight(await here.service.issueApplicationToken(CONTEXT, pair)())).to.equal(true)
    const again = await confirm(asked)
    expect([again.status, headingOf(again.html)]).to.deep.equal([409, 'The key was replaced already'])
    expect((await here.get('applications')).html).to.not.include(privateApiKey)
    expect(rowsOf((await here.get('applications')).html, 'Applications')[1]?.[2]).to.equal(
      '0 seconds old. The former key works until 2026-03-03 12:00:00',
    )
  })

  it('revokes an application, and offers nothing more for it', async () => {
    const revoked = await confirm(await here.get(`confirm?action=revoke&id=${story.shop.application.id}`))
    expect(noteOf(revoked)).to.equal('Revoked. Its keys, tokens and sessions no longer work.')
    const row = rowsOf(revoked.html, 'Applications')[1]
    expect([row?.[0], row?.[5], row?.[6]]).to.deep.equal(['shop', 'revoked', ''])
    expect(await here.service.issueApplicationToken(CONTEXT, story.shop)()).to.have.property('_tag', 'Left')
  })

  it('neither asks nor changes for an unknown action, user or application', async () => {
    const before = await lastEntry()
    for (const query of ['action=disable&id=unknown', 'action=toString&id=ada', 'action=rotate', ''])
      for (const { status, html } of [
        await here.get(`confirm?${query}`),
        await here.post('change', Object.fromEntries(new URLSearchParams(query))),
      ])
        expect([status, headingOf(html)], query).to.deep.equal([404, 'Nothing to change'])
    expect(await lastEntry()).to.deep.equal(before)
  })
})

describe('the console without --write', () => {
  it('offers no change, and makes none', async () => {
    const here = await startScreens()
    try {
      const { ada, shop } = await tell(here)
      for (const link of ['today', 'people', `person?id=${ada}`, 'events', 'applications']) {
        const { html } = await here.get(link)
        expect(html, link).to.include('Reads only')
        expect(html.replace('<form method="post" action="check">', ''), link).to.not.match(
          /method="post"|href="confirm/,
        )
      }
      for (const form of [
        { action: 'disable', id: ada },
        { action: 'revoke', id: shop.application.id },
      ])
        for (const { status } of [
          await here.get(`confirm?${new URLSearchParams(form)}`),
          await here.post('change', form),
        ])
          expect(status).to.equal(404)
    } finally {
      await here.stop()
    }
  })
})
