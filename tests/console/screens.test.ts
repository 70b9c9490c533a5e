import { expect } from 'chai'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { sqliteFiles } from '../support/sqlite-files.ts'
import {
  answersOf,
  headingOf,
  linkIn,
  rowsOf,
  type ScreensHere,
  startScreens,
  textOf,
} from './screens-here.ts'
import { attack, type Story, tell } from './screens-story.ts'

describe('the console answers an operator', () => {
  let here: ScreensHere
  let story: Story
  before(async () => {
    here = await startScreens()
    story = await tell(here)
  })
  after(() => here.stop())

  const html = async (link: string): Promise<string> => (await here.get(link)).html
  const columnOf = (page: string, label: string, column: number) =>
    rowsOf(page, label).map((cells) => cells[column])

  it('who signed in yesterday: from Today to the list with e-mails', async () => {
    const yesterday = await html(linkIn(await html('today'), 'Yesterday'))
    expect(headingOf(yesterday)).to.equal('2026-03-01')
    expect(columnOf(yesterday, 'Sign-ins, each with a new session, per hour', 1).join('')).to.equal(
      `${'0'.repeat(13)}210${'0'.repeat(8)}`,
    )
    const list = await html(linkIn(yesterday, '3'))
    expect(rowsOf(list, 'Events').map(([time, , about, by]) => [time, about, by])).to.deep.equal([
      ['2026-03-01 10:00:00', 'carol@example.com', 'shop'],
      ['2026-03-01 10:00:00', 'ada@example.com', 'shop'],
      ['2026-03-01 09:00:00', 'ada@example.com', 'shop'],
    ])
    const hour = await html(linkIn(yesterday, '2026-03-01 10:00'))
    expect(columnOf(hour, 'Events', 2)).to.deep.equal(['carol@example.com', 'ada@example.com'])
  })

  const CAN = 'This user can sign in with the right password, and a second factor if one is due.'
  const RECORD = 'The record of the password cannot be verified: PASSWORD_PEPPER lacks its pepper'
  const WHY: ReadonlyArray<readonly [name: string, can: string, refused: string]> = [
    ['ada', CAN, 'The last successful sign-in was at 2026-03-01 10:00:00, and none was refused since then.'],
    [
      'bob',
      'This user cannot sign in. The user was disabled by an operator at 2026-03-02 12:00:00.',
      'user_disabled. The password was right',
    ],
    ['carol', CAN, 'wrong_password. The password was wrong.'],
    ['dan', CAN, 'no_second_factor. The first step succeeded. The application requires a second factor'],
    ['eve', `This user cannot sign in. ${RECORD}`, 'wrong_password'],
  ]
  for (const [name, can, refused] of WHY)
    it(`whether and why ${name} cannot sign in, from the e-mail`, async () => {
      const found = await html(`people?user=${name}%40example.com`)
      const page = await html(linkIn(found, `${name}@example.com`))
      expect(headingOf(page)).to.equal(`${name}@example.com`)
      const [first, second] = answersOf(page)
      expect(first).to.include(can)
      expect(second).to.include(refused)
    })

  it('users by the beginning of an e-mail, or that there are none', async () => {
    const found = await html('people?user=CA')
    expect(columnOf(found, 'Users', 0)).to.deep.equal(['carol@example.com'])
    const none = await html('people?user=zz')
    expect(textOf(none)).to.include('No user has this e-mail or id, and no e-mail or name begins so.')
  })

  it('that no user has an e-mail, and where refused sign-ins with unknown e-mails are', async () => {
    const page = await html('people?user=fay%40example.com')
    expect(textOf(page)).to.include('No user has the e-mail fay@example.com. Sign-ins with it are refused.')
    const list = await html(linkIn(page, 'refused sign-ins with unknown e-mails'))
    expect(columnOf(list, 'Events', 1)).to.deep.equal(Array(2).fill('sign-in refused: unknown_email'))
  })

  it('that a user is removed, from the id', async () => {
    const found = await html(`people?user=${story.fay}`)
    const page = await html(linkIn(found, 'removed user'))
    expect(headingOf(page)).to.equal('A removed user')
    expect(answersOf(page)[0]).to.equal(
      'This user cannot sign in. The user was removed by an operator at 2026-03-02 12:00:00.',
    )
    expect(columnOf(page, 'What happened', 1)[0]).to.equal('removed by an operator')
    expect(page).to.not.include('fay@')
  })

  it('which key is oldest, of which application, and when each was last used', async () => {
    const page = await html('applications')
    expect(answersOf(page)).to.deep.equal([
      'The oldest key is the API key of bank: 1 day old, since 2026-03-01 08:00:00. portcullis application rotate replaces it.',
    ])
    expect(rowsOf(page, 'Applications').map((cells) => cells.slice(0, 7))).to.deep.equal([
      ['bank', '2026-03-02 12:00:00', '1 day', 'users:sign_in', 'a second factor', '', 'in use'],
      ['shop', '2026-03-02 12:00:00', '1 day', 'users:sign_in', '', '', 'in use'],
    ])
    expect(columnOf(page, 'Keys that sign tokens', 0)).to.have.members([
      'tokens of applications',
      'tokens of users (PASETO)',
    ])
  })

  it('which application is a client of the OpenID provider, and where it may lead', async () => {
    const set = (name: string, request: Parameters<typeof here.service.setApplication>[2]) =>
      succeed(here.service.setApplication(CONTEXT, name, request))
    const redirectUris = ['https://bank.example/callback', 'http://127.0.0.1:3000/callback']
    await set('bank', { redirectUris, logoutUris: ['https://bank.example/bye'], pkce: 'optional' })
    await set('shop', { redirectUris: ['com.example.shop:/callback'], client: 'public' })
    const page = await html('applications')
    expect(columnOf(page, 'Applications', 5)).to.deep.equal([
      'confidential, PKCE optional; redirect to https://bank.example/callback, http://127.0.0.1:3000/callback; logout to https://bank.example/bye',
      'public; redirect to com.example.shop:/callback',
    ])
    expect(columnOf(page, 'Applications', 1), 'no use of it').to.deep.equal([
      '2026-03-02 12:00:00',
      '2026-03-02 12:00:00',
    ])
  })

  it('that no passwords are guessed, and that they may be, with the reasons', async () => {
    expect(answersOf(await html('today'))[1]).to.equal(
      'No sign of password guessing: 6 sign-ins were refused, at most 6 in an hour (2026-03-02 12:00). A day earlier: 0, at most 0 in an hour.',
    )
    await attack(here, 5_000, story.ada)
    const page = await html('today')
    expect(answersOf(page)[1]).to.match(
      /^An attacker may be guessing passwords: 5,006 sign-ins were refused.*Most refused lately: ada@example\.com \(5000\), /,
    )
    expect(rowsOf(page, 'Refusals by reason').map(([what, count]) => [what, count])).to.deep.equal([
      ['SignInRefused: wrong_password', '5,001'],
      ['SignInRefused: unknown_email', '3'],
      ['SignInRefused: no_second_factor', '1'],
      ['SignInRefused: user_disabled', '1'],
    ])
    const summary = await html(linkIn(page, 'wrong_password'))
    expect(columnOf(summary, 'Events', 1)[0]).to.equal(
      'sign-in refused 5000 more times: ada@example.com (5000)',
    )
    const ofAda = answersOf(await html(linkIn(page, 'ada@example.com')))
    expect(ofAda[0]).to.include('the service makes the account wait')
    expect(ofAda[1]).to.match(/^Until 2026-03-02 12:00:00, 5000 more sign-ins were refused\./)
    expect(ofAda[2]).to.equal('The last successful sign-in was at 2026-03-01 10:00:00.')
  })

  it('the same numbers as the log has, in each chart and total', async () => {
    const page = await html('today')
    const log = await succeed(here.service.store.readEvents({ after: 0, limit: 1_000 }))
    const since = Date.parse('2026-03-01T13:00:00Z')
    const counted = (...types: ReadonlyArray<string>) =>
      log
        .filter(({ at }) => Date.parse(at) >= since)
        .reduce(
          (sum, { type, data }) =>
            type === 'RefusalsSummarized'
              ? sum + (types.includes(data.type) ? data.count : 0)
              : sum + (types.includes(type) ? 1 : 0),
          0,
        )
    const numbers: Readonly<Record<string, number>> = {
      'Sign-ins, each with a new session, per hour': counted('UserSignedIn'),
      'Refused sign-ins and second steps per hour': counted('SignInRefused', 'SecondFactorRefused'),
      'Registered and imported users per hour': counted('UserRegistered', 'UserImported'),
      'Tokens issued to applications per hour': counted('ApplicationTokenIssued'),
    }
    for (const [label, total] of Object.entries(numbers)) {
      const sum = columnOf(page, label, 1).reduce((sum, text = '') => sum + Number(text.replace(',', '')), 0)
      expect(sum, label).to.equal(total)
      expect(columnOf(page, label, 1), label).to.have.lengthOf(24)
    }
    expect(textOf(page)).to.include('Sign-ins refused5,006, a day earlier 0')
  })

  it('whether the log is intact, and what is wrong with a changed one', async () => {
    await html('today')
    await here.checked()
    expect(answersOf(await html('today'))[0]).to.match(
      /^The log is intact: \d+ entries and \d+ rows agree\. \d+ entries agree with their tree\..* Checked 0 seconds ago\.$/,
    )
    await sqliteFiles.spoil(
      `sqlite:${here.files.store}`,
      "UPDATE users SET status = 'enabled' WHERE email = 'bob@example.com'",
    )
    await here.post('check', {})
    await here.checked()
    const page = await html('today')
    expect(answersOf(page)[0]).to.match(/^The log is not in order: users .*: status .*Restore a back-up\./)
    expect(answersOf(page)[0]).to.include(story.bob)
    expect(answersOf(page)[2]).to.equal('Wrong: passwords, hashing. See the checks.')
    expect(rowsOf(page, 'Checks')[0]?.slice(0, 2)).to.deep.equal(['log', 'wrong'])
  })

  it('which roles a user has, and when they changed', async () => {
    const change = { add: ['shop:admin', 'editor'], remove: [] }
    await succeed(here.service.changeUserRoles(CONTEXT, story.dan, change))
    const page = await html(linkIn(await html('people?user=dan%40example.com'), 'dan@example.com'))
    expect(textOf(page)).to.match(/Roles\s*editor, shop:admin/)
    expect(columnOf(page, 'What happened', 1)[0]).to.equal('roles: editor, shop:admin by an operator')
  })

  it('users by the beginning of a name', async () => {
    const patch = { name: 'Mary Somerville' }
    await succeed(here.service.changeAttributes(CONTEXT, { userId: story.dan, patch }, { kind: 'operator' }))
    expect(columnOf(await html('people?user=Mary%20S'), 'Users', 0)).to.deep.equal(['dan@example.com'])
  })
})
