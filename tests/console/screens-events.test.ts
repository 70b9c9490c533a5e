import { expect } from 'chai'
import { jsonLines } from '../support/json-lines.ts'
import { append, aRefusal } from '../support/modelled-log.ts'
import { succeed } from '../support/outcome.ts'
import { runHere } from '../support/run-here.ts'
import { headingOf, linkIn, rowsOf, type ScreensHere, startScreens, textOf } from './screens-here.ts'
import { type Story, tell } from './screens-story.ts'

describe('the events of the console', () => {
  let here: ScreensHere
  let story: Story
  before(async () => {
    here = await startScreens()
    story = await tell(here)
  })
  after(() => here.stop())

  const positionsOf = (html: string) => rowsOf(html, 'Events').map((cells) => Number(cells[5]))

  /** Each filter of the screen, and the same of the command. */
  const FILTERS: ReadonlyArray<readonly [query: string, words: string]> = [
    ['', ''],
    ['user=ada@example.com', ' --user ada@example.com'],
    ['user=FAY', ' --user FAY'],
    ['application=bank', ' --application bank'],
    ['application=SHOP', ' --application shop'],
    ['type=UserSignedIn', ' --type UserSignedIn'],
    ['type=UserSignedIn UserDisabled', ' --type UserSignedIn --type UserDisabled'],
    ['reason=unknown_email', ' --reason unknown_email'],
    ['since=2026-03-01T10:00Z&until=2026-03-02', ' --since 2026-03-01T10:00:00Z --until 2026-03-02'],
    ['since=2026-03-02 13:00:00%2B01:00', ' --since 2026-03-02T12:00:00Z'],
    [
      'user=bob@example.com&type=SignInRefused&reason=user_disabled&until=2027-01-01T00:00',
      ' --user bob@example.com --type SignInRefused --reason user_disabled',
    ],
  ]
  for (const [query, words] of FILTERS)
    it(`are those of events list${words}`, async () => {
      const named = (text: string) =>
        text.replace('FAY', story.fay).replace('SHOP', story.shop.application.id)
      const page = await here.get(`events?${new URLSearchParams(named(query))}`)
      const listed = await runHere(`events list --reverse --json${named(words)}`, {
        DATABASE_URL: `sqlite:${here.files.store}`,
      })
      const positions = jsonLines(listed.out).map(({ position }) => position)
      expect([page.status, positionsOf(page.html)]).to.deep.equal([200, positions])
      expect(positions).to.not.deep.equal([])
    })

  const WRONG: ReadonlyArray<readonly [field: string, value: string, message: string]> = [
    ['user', 'nobody@example.com', 'No user has this e-mail or id.'],
    ['application', 'mill', 'No application has this name or id.'],
    ['type', 'UserSignedIn Gone', 'There is no such type.'],
    ['reason', 'bad_luck', 'There is no such reason.'],
    ['since', 'yesterday', 'Give a date or a time, such as 2026-11-22 or 2026-11-22T08:00Z.'],
    ['until', '2026-02-30', 'Give a date or a time, such as 2026-11-22 or 2026-11-22T08:00Z.'],
  ]
  for (const [field, value, message] of WRONG)
    it(`are not shown with a wrong field, which keeps its text: ${field}`, async () => {
      const { status, html, headers } = await here.get(
        `events?${new URLSearchParams({ follow: 'on', [field]: value })}`,
      )
      expect([status, headers.refresh, rowsOf(html, 'Events')]).to.deep.equal([422, undefined, []])
      expect(html).to.include(`<p class="error" id="${field}-error">${message}</p>`)
      expect(html).to.match(
        new RegExp(`id="${field}" name="${field}" aria-describedby="[^"]*${field}-error" aria-invalid`),
      )
      if (field !== 'type' && field !== 'reason') expect(html).to.include(`value="${value}"`)
    })

  it('keep their filter in the links to older and newest ones, and are complete and disjoint', async () => {
    const refusals = Array.from({ length: 250 }, () => aRefusal('wrong_password', { user: story.carol }))
    await append(here.service.store, ...refusals)
    const first = await here.get('events?user=carol%40example.com')
    const all = [...positionsOf(first.html)]
    expect(textOf(first.html)).to.not.include('Newest')
    let page = first
    while (page.html.includes('>Older</a>')) {
      await append(here.service.store, aRefusal('wrong_password', { user: story.carol }))
      page = await here.get(linkIn(page.html, 'Older'))
      all.push(...positionsOf(page.html))
    }
    const log = await succeed(here.service.store.readEvents({ after: 0, through: all[0] ?? 0, limit: 1_000 }))
    const ofCarol = log.filter(({ subject }) => 'id' in subject && subject.id === story.carol)
    expect(all).to.deep.equal(ofCarol.map(({ position }) => position).reverse())
    const newest = await here.get(linkIn(page.html, 'Newest'))
    expect(positionsOf(newest.html)[0]).to.be.greaterThan(all[0] ?? 0)
    expect(new Set(rowsOf(newest.html, 'Events').map((cells) => cells[2]))).to.deep.equal(
      new Set(['carol@example.com']),
    )
  })

  it('are followed with a header that says so, until that is stopped', async () => {
    const page = await here.get('events?user=ada%40example.com')
    const followed = await here.get(linkIn(page.html, 'Follow new events'))
    expect(followed.headers.refresh).to.equal('5; url=events?user=ada%40example.com&follow=on&refreshed=1')
    await append(here.service.store, aRefusal('unknown_email', { user: story.ada }))
    const [, url = ''] = String(followed.headers.refresh).split('url=')
    const again = await here.get(url)
    expect(again.headers.refresh).to.equal(followed.headers.refresh)
    expect(rowsOf(again.html, 'Events')[0]?.[1]).to.equal('sign-in refused: unknown_email')
    const stopped = await here.get(linkIn(again.html, 'Stop following'))
    expect([stopped.status, stopped.headers.refresh]).to.deep.equal([200, undefined])
  })

  it('are not shown for a query that names a filter twice', async () => {
    const { status, html } = await here.get('events?user=a&user=b')
    expect([status, headingOf(html)]).to.deep.equal([400, 'The request cannot be read'])
  })
})
